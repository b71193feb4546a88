import type { RequestRecord } from '../answer/request-record.js';
import { roundMs } from '../base/round.js';
import { percentile, sortedOf } from '../base/statistics.js';
import { RECORD_FIELDS, type RecordField, type StatedRecord } from '../scenario/experiment-fields.js';
import type { CacheRules } from './cache-counts.js';
import { cachedTokensOf } from './cache-counts.js';
import { createWorkerLifetimes, type WorkerLifetimes } from './worker-lifetimes.js';

/** `record` in run.json: what the user stated, and what the requests of each variant show. */
export interface ExperimentRecord {
  readonly stated: Readonly<Record<RecordField, string | null>>;
  /** By variant name; empty until the run has ended. */
  readonly seen: Readonly<Record<string, SeenFacts>>;
}

/** What the answered requests of one variant show. Keys as in run.json; null when no answer says it. */
export interface SeenFacts {
  readonly answers: number;
  readonly prompt_tokens: Range | null;
  readonly output_tokens: Range | null;
  /** Distinct ids at a time: see {@link WorkerLifetimes}. */
  readonly prefill_workers: number | null;
  readonly decode_workers: number | null;
  /** Answers whose prefill and decode workers are both known and differ: a disaggregated deployment. */
  readonly split_answers: number | null;
  /** Sets of ids that came one after the other, one unless the target was started anew between repeats. */
  readonly worker_lifetimes?: number | null;
  /** The workers that hold the prefixes, busiest first. */
  readonly workers: readonly SeenWorker[];
  /** Medians, ms, each over the answers that report it: the segments up to the first token. */
  readonly segments: Readonly<Record<Segment, number | null>>;
}

export interface SeenWorker {
  readonly worker: string;
  /** Of the answers of its lifetime that name a worker. */
  readonly share: number;
  /** Σ cached / Σ prompt tokens of its answers that report both. */
  readonly cached_token_ratio: number | null;
}

export interface Range {
  readonly min: number;
  readonly max: number;
}

/** In the order in which they pass: inside the client, connecting, the server's own parts, all as the client sees it. */
export const SEGMENTS = [
  'send_lag_ms',
  'connect_ms',
  'prefill_wait_ms',
  'prefill_ms',
  'kv_transfer_ms',
  'ttft_ms',
] as const;

export type Segment = (typeof SEGMENTS)[number];

/** A form with every field of it, as it stands before the first request. */
export function buildExperimentRecord(stated: StatedRecord): ExperimentRecord {
  const all = RECORD_FIELDS.map(({ key }) => [key, stated[key] ?? null] as const);
  return { stated: Object.fromEntries(all) as ExperimentRecord['stated'], seen: {} };
}

/** Folds the records of one variant, of any trials and phases. */
export interface Observer {
  add(record: RequestRecord): void;
  seen(): SeenFacts;
}

/** What the measured, answered requests show. Of each only numbers are kept: a run of a million may be observed. */
export function createObserver(rules: CacheRules): Observer {
  let answers = 0;
  let both = 0;
  let split = 0;
  const prompt = createRange();
  const output = createRange();
  const prefillWorkers = createNames();
  const decodeWorkers = createNames();
  const holders = createNames();
  const workers = new Map<string, WorkerSums>();
  const segments = SEGMENTS.map((segment) => ({ segment, valuesMs: [] as number[] }));

  return {
    add(record) {
      if (record.phase !== 'measure' || record.outcome !== 'ok') return;
      const { prefill_worker: prefill, decode_worker: decode } = record;
      answers++;
      prompt.add(record.prompt_tokens);
      output.add(record.output_tokens);
      prefillWorkers.add(record.repeat, prefill);
      decodeWorkers.add(record.repeat, decode);
      holders.add(record.repeat, record.worker);
      if (prefill !== null && decode !== null) {
        both++;
        if (prefill !== decode) split++;
      }
      if (record.worker !== null) addToWorker(workers, record.worker, record, rules);
      for (const { segment, valuesMs } of segments) {
        const ms = segmentOf(record, segment);
        if (ms !== null) valuesMs.push(ms);
      }
    },
    seen: () => ({
      answers,
      prompt_tokens: prompt.range(),
      output_tokens: output.range(),
      prefill_workers: prefillWorkers.fleet().size || null,
      decode_workers: decodeWorkers.fleet().size || null,
      worker_lifetimes: holders.fleet().lifetimes.length || null,
      split_answers: both === 0 ? null : split,
      workers: sharesOf(workers, holders.fleet()),
      segments: Object.fromEntries(
        segments.map(({ segment, valuesMs }) => [segment, roundOrNull(percentile(sortedOf(valuesMs), 0.5))]),
      ) as SeenFacts['segments'],
    }),
  };
}

/** As {@link createObserver} sees them. */
export function observeRecords(records: Iterable<RequestRecord>, rules: CacheRules): SeenFacts {
  const observer = createObserver(rules);
  for (const record of records) observer.add(record);
  return observer.seen();
}

const NO_SUMS: WorkerSums = { answers: 0, cached: 0, prompt: 0 };

interface WorkerSums {
  answers: number;
  cached: number;
  prompt: number;
}

function addToWorker(
  workers: Map<string, WorkerSums>,
  worker: string,
  record: RequestRecord,
  rules: CacheRules,
): void {
  const sums = workers.get(worker) ?? { ...NO_SUMS };
  workers.set(worker, sums);
  sums.answers++;
  const cached = cachedTokensOf(record, rules);
  if (cached === null || record.prompt_tokens === null) return;
  sums.cached += cached;
  sums.prompt += record.prompt_tokens;
}

/** Each worker's share of the answers of its lifetime. */
function sharesOf(workers: ReadonlyMap<string, WorkerSums>, fleet: WorkerLifetimes): SeenWorker[] {
  const shares = fleet.lifetimes.flatMap((ids) => {
    const all = ids.map((worker) => ({ worker, ...(workers.get(worker) ?? NO_SUMS) }));
    const named = all.reduce((sum, { answers }) => sum + answers, 0);
    return all.map(({ worker, answers, cached, prompt }) => ({
      worker,
      share: round(answers / named),
      cached_token_ratio: prompt === 0 ? null : round(cached / prompt),
    }));
  });
  return shares.sort((a, b) => b.share - a.share || (a.worker < b.worker ? -1 : 1));
}

/** Names by repeat. */
function createNames() {
  const byRepeat = new Map<number, Set<string>>();
  return {
    add(repeat: number, name: string | null): void {
      if (name === null) return;
      const known = byRepeat.get(repeat);
      if (known === undefined) byRepeat.set(repeat, new Set([name]));
      else known.add(name);
    },
    fleet: () => createWorkerLifetimes([...byRepeat].map(([repeat, workers]) => ({ repeat, workers }))),
  };
}

function createRange() {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  return {
    add(value: number | null): void {
      if (value === null) return;
      min = Math.min(min, value);
      max = Math.max(max, value);
    },
    range: (): Range | null => (max === Number.NEGATIVE_INFINITY ? null : { min, max }),
  };
}

function segmentOf(record: RequestRecord, segment: Segment): number | null {
  switch (segment) {
    case 'send_lag_ms':
    case 'connect_ms':
    case 'ttft_ms':
      return record[segment];
    default:
      return record.server?.[segment] ?? null;
  }
}

function roundOrNull(ms: number | null): number | null {
  return ms === null ? null : roundMs(ms);
}

function round(value: number): number {
  return Number(value.toFixed(6));
}
