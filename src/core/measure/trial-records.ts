import { type FactRecord, OUTCOMES, type Phase } from '../answer/request-record.js';

/** The records of one trial while it runs. */
export interface TrialRecords {
  add(record: FactRecord): void;
  /** Those added, in that order. */
  all(): FactRecord[];
}

const PHASES: readonly Phase[] = ['measure', 'prime', 'warmup'];
const FIRST_ROOM = 256;
/** Stands for null among whole numbers, which are counts and never negative. */
const NO_COUNT = -1;

/**
 * Keeps of each record what its trial's figures are made from, in columns: some 100 bytes, where a record takes ten times as
 * much and gives the collector as much to do. A trial may have a million requests; the records themselves are in the file.
 */
export function createTrialRecords(): TrialRecords {
  const sent = createColumn(Float64Array);
  const ttft = createColumn(Float64Array);
  const e2e = createColumn(Float64Array);
  const tpot = createColumn(Float64Array);
  const seq = createColumn(Int32Array);
  const prefix = createColumn(Int32Array);
  const prompt = createColumn(Float64Array);
  const cached = createColumn(Float64Array);
  const output = createColumn(Float64Array);
  const chunks = createColumn(Int32Array);
  const worker = createColumn(Int32Array);
  const prefillWorker = createColumn(Int32Array);
  const decodeWorker = createColumn(Int32Array);
  const routerHits = createColumn(Float64Array);
  const group = createColumn(Int16Array);
  const outcome = createColumn(Int8Array);
  const phase = createColumn(Int8Array);
  const workers = createNames();
  const groups = createNames();
  const errors = new Map<number, FactRecord['error']>();
  let size = 0;

  /** Reads one record back from the columns. */
  class Row implements FactRecord {
    constructor(private readonly index: number) {}
    get seq() {
      return seq.at(this.index);
    }
    get prefix() {
      return count(prefix.at(this.index));
    }
    get group() {
      return groups.nameOf(group.at(this.index)) ?? undefined;
    }
    get phase() {
      return PHASES[phase.at(this.index)] as Phase;
    }
    get outcome() {
      return OUTCOMES[outcome.at(this.index)] as FactRecord['outcome'];
    }
    get error() {
      return errors.get(this.index) ?? null;
    }
    get sent_ms() {
      return time(sent.at(this.index));
    }
    get ttft_ms() {
      return time(ttft.at(this.index));
    }
    get e2e_ms() {
      return time(e2e.at(this.index));
    }
    get tpot_ms() {
      return time(tpot.at(this.index));
    }
    get prompt_tokens() {
      return count(prompt.at(this.index));
    }
    get cached_tokens() {
      return count(cached.at(this.index));
    }
    get output_tokens() {
      return count(output.at(this.index));
    }
    get chunks() {
      return chunks.at(this.index);
    }
    get prefill_worker() {
      return workers.nameOf(prefillWorker.at(this.index));
    }
    get decode_worker() {
      return workers.nameOf(decodeWorker.at(this.index));
    }
    get server() {
      const rate = routerHits.at(this.index);
      return Number.isNaN(rate) ? null : { kv_hit_rate: rate };
    }
    get worker() {
      return workers.nameOf(worker.at(this.index));
    }
  }

  return {
    add(record) {
      sent.push(record.sent_ms ?? Number.NaN);
      ttft.push(record.ttft_ms ?? Number.NaN);
      e2e.push(record.e2e_ms ?? Number.NaN);
      tpot.push(record.tpot_ms ?? Number.NaN);
      seq.push(record.seq);
      prefix.push(record.prefix ?? NO_COUNT);
      prompt.push(record.prompt_tokens ?? NO_COUNT);
      cached.push(record.cached_tokens ?? NO_COUNT);
      output.push(record.output_tokens ?? NO_COUNT);
      chunks.push(record.chunks);
      worker.push(workers.numberOf(record.worker));
      prefillWorker.push(workers.numberOf(record.prefill_worker));
      decodeWorker.push(workers.numberOf(record.decode_worker));
      routerHits.push(record.server?.kv_hit_rate ?? Number.NaN);
      group.push(groups.numberOf(record.group ?? null));
      outcome.push(OUTCOMES.indexOf(record.outcome));
      phase.push(PHASES.indexOf(record.phase));
      if (record.error !== null) errors.set(size, record.error);
      size++;
    },
    all: () => Array.from({ length: size }, (_, index) => new Row(index)),
  };
}

function time(ms: number): number | null {
  return Number.isNaN(ms) ? null : ms;
}

function count(value: number): number | null {
  return value === NO_COUNT ? null : value;
}

type Numbers = Float64Array | Int32Array | Int16Array | Int8Array;

/** Numbers that grow. */
function createColumn<A extends Numbers>(kind: new (length: number) => A) {
  let values = new kind(FIRST_ROOM);
  let length = 0;
  return {
    push(value: number): void {
      if (length === values.length) {
        const grown = new kind(2 * length);
        grown.set(values);
        values = grown;
      }
      values[length++] = value;
    },
    at: (index: number): number => values[index] as number,
  };
}

/** Names by number; null has the number of no name. */
function createNames() {
  const names: string[] = [];
  const numbers = new Map<string, number>();
  return {
    numberOf(name: string | null): number {
      if (name === null) return NO_COUNT;
      const known = numbers.get(name);
      if (known !== undefined) return known;
      numbers.set(name, names.length);
      names.push(name);
      return names.length - 1;
    },
    nameOf: (number: number): string | null => names[number] ?? null,
  };
}
