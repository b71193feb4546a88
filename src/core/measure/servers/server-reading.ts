import { METRICS_DIALECTS, type MetricName, type MetricNames, type MetricsDialect } from './metric-names.js';
import type { Sample } from './metrics-page.js';

/** Figures of one server at one time; null where its page does not tell. Counters are since its start. */
export type ServerFigures = { readonly [K in keyof MetricNames]: number | null };

/** One server of one metrics page. */
export interface ServerReading {
  /** The page's name; behind it, where a page has several servers, what tells this one apart. */
  readonly server: string;
  /** As in {@link METRICS_DIALECTS}. */
  readonly kind: string;
  readonly role: MetricsDialect['role'];
  /** The worker's id as answers write it, where the page tells: Dynamo's hexadecimal labels are decimal here. */
  readonly worker: string | null;
  /** Tokens in a block of its cache. */
  readonly blockSize: number | null;
  /** Blocks of its cache. */
  readonly blocks: number | null;
  readonly figures: ServerFigures;
  /** Requests by worker, as a router counts them; empty where it does not. */
  readonly workerRequests: ReadonlyMap<string, number>;
}

/** Every server that a page tells of; empty for a page with no name that is known. */
export function readServers(samples: readonly Sample[], page: string): readonly ServerReading[] {
  const found = METRICS_DIALECTS.filter(({ mark }) => samples.some(({ name }) => name.startsWith(mark)));
  const first = found[0];
  if (first === undefined) return [];
  // Counters of other ranks of tensor and pipeline parallelism count the same requests again.
  const own = samples.filter(({ labels }) =>
    ['tp_rank', 'pp_rank'].every((rank) => (labels.get(rank) ?? '0') === '0'),
  );
  const parts = splitSamples(own, first);
  return parts.map(({ label, samples: part }) => {
    const server = parts.length === 1 ? page : `${page} ${label}`;
    const reading = readServer(part, first, server);
    // An engine's page inside another's (Dynamo's worker shows vLLM's names): each tells what the other does not.
    return found
      .slice(1)
      .filter(({ role }) => parts.length === 1 && role === 'engine' && first.role === 'engine')
      .reduce((sum, dialect) => mergeReadings(sum, readServer(part, dialect, server)), reading);
  });
}

/** Of samples with the labels that tell servers apart, those of each; the others are of no one server. */
function splitSamples(
  samples: readonly Sample[],
  dialect: MetricsDialect,
): readonly { readonly label: string; readonly samples: readonly Sample[] }[] {
  const marked = samples.filter(({ name }) => name.startsWith(dialect.mark));
  const labelOf = ({ labels }: Sample) => dialect.splitBy.flatMap((key) => labels.get(key) ?? []).join(' ');
  const labels = [...new Set(marked.map(labelOf))].sort();
  if (labels.length <= 1) return [{ label: '', samples }];
  return labels.map((label) => ({ label, samples: samples.filter((sample) => labelOf(sample) === label) }));
}

function readServer(samples: readonly Sample[], dialect: MetricsDialect, server: string): ServerReading {
  const sum = (names: readonly MetricName[]) =>
    firstOf(names, samples, (values) => values.reduce((a, b) => a + b, 0));
  const most = (names: readonly MetricName[]) => firstOf(names, samples, (values) => Math.max(...values));
  const { info } = dialect.cache;
  const told = info === null ? undefined : samples.find(({ name }) => name === info.name)?.labels;
  return {
    server,
    kind: dialect.name,
    role: dialect.role,
    worker: dialect.role === 'engine' ? workerOf(samples) : null,
    blockSize:
      wholeOf(info === null ? undefined : told?.get(info.blockSize)) ?? most(dialect.cache.blockSize),
    blocks: wholeOf(info === null ? undefined : told?.get(info.blocks)) ?? most(dialect.cache.blocks),
    figures: {
      requests: sum(dialect.requests),
      promptTokens: sum(dialect.promptTokens),
      cachedTokens: sum(dialect.cachedTokens),
      outputTokens: sum(dialect.outputTokens),
      preemptions: sum(dialect.preemptions),
      running: sum(dialect.running),
      waiting: sum(dialect.waiting),
      kvUsage: most(dialect.kvUsage),
    },
    workerRequests: countByWorker(samples, dialect),
  };
}

function mergeReadings(a: ServerReading, b: ServerReading): ServerReading {
  const figures = Object.fromEntries(
    Object.entries(a.figures).map(([key, value]) => [key, value ?? b.figures[key as keyof ServerFigures]]),
  ) as unknown as ServerFigures;
  return { ...a, worker: a.worker ?? b.worker, figures };
}

/** Of the first name that the page has; null where it has none. */
function firstOf(
  names: readonly MetricName[],
  samples: readonly Sample[],
  fold: (values: readonly number[]) => number,
): number | null {
  for (const name of names) {
    const values = samples.filter((sample) => isNamed(sample, name)).map(({ value }) => value);
    if (values.length > 0) return fold(values);
  }
  return null;
}

function isNamed(sample: Sample, { name, where }: MetricName): boolean {
  return (
    sample.name === name && Object.entries(where).every(([key, value]) => sample.labels.get(key) === value)
  );
}

function countByWorker(samples: readonly Sample[], { workers }: MetricsDialect): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of workers?.requests ?? []) {
    for (const sample of samples) {
      const worker = isNamed(sample, name) ? sample.labels.get(workers?.label ?? '') : undefined;
      if (worker !== undefined) counts.set(worker, (counts.get(worker) ?? 0) + sample.value);
    }
    if (counts.size > 0) break;
  }
  return counts;
}

/** Dynamo's `worker_id` is hexadecimal on a worker's page and decimal in answers. */
function workerOf(samples: readonly Sample[]): string | null {
  const id = samples
    .find(({ name, labels }) => name.startsWith('dynamo_') && labels.has('worker_id'))
    ?.labels.get('worker_id');
  if (id === undefined) return null;
  return /^[0-9a-f]{1,16}$/i.test(id) ? BigInt(`0x${id}`).toString() : id;
}

function wholeOf(text: string | undefined): number | null {
  return text !== undefined && /^[1-9]\d{0,11}$/.test(text) ? Number(text) : null;
}
