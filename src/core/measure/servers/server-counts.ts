import type { ServerFigures, ServerReading } from './server-reading.js';

/** What one server counted over one trial; counters as differences, null where its page does not tell or it started anew. */
export interface ServerCounts {
  readonly server: string;
  readonly kind: string;
  readonly role: 'engine' | 'router';
  readonly worker: string | null;
  /** A counter went backwards, so nothing was subtracted. */
  readonly restarted: boolean;
  readonly requests: number | null;
  readonly prompt_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly output_tokens: number | null;
  readonly preemptions: number | null;
  /** Most of each that one look saw within the trial. */
  readonly running_max: number | null;
  readonly waiting_max: number | null;
  readonly kv_usage_max: number | null;
  /** Requests by worker, where a router counts them. */
  readonly worker_requests?: Readonly<Record<string, number>> | undefined;
}

/** What the servers of a target counted over the measured phase of one trial. */
export interface TrialServers {
  readonly servers: readonly ServerCounts[];
  /** Pages that could not be read before or after, each with why. */
  readonly unread: readonly { readonly server: string; readonly why: string }[];
  /** Two looks in a row were the same, before and after: nothing else was going on. */
  readonly settled: boolean;
}

/** One look at one server within a trial; a line of metrics.jsonl. Counters are since the measured phase began. */
export interface SeriesPoint {
  /** From the start of the measured phase, ms. */
  readonly at_ms: number;
  readonly server: string;
  readonly running: number | null;
  readonly waiting: number | null;
  readonly kv_usage: number | null;
  readonly requests: number | null;
  readonly prompt_tokens: number | null;
  readonly cached_tokens: number | null;
}

const COUNTERS = ['requests', 'promptTokens', 'cachedTokens', 'outputTokens', 'preemptions'] as const;

/** What `after` counted more than `before`, with the gauges of the looks between them. */
export function countServer(
  before: ServerReading,
  after: ServerReading,
  series: readonly SeriesPoint[],
): ServerCounts {
  const restarted = COUNTERS.some((key) => (difference(before.figures, after.figures, key) ?? 0) < 0);
  const counted = (key: (typeof COUNTERS)[number]) =>
    restarted ? null : difference(before.figures, after.figures, key);
  const own = series.filter(({ server }) => server === after.server);
  const workers = [...after.workerRequests].map(
    ([worker, count]) => [worker, count - (before.workerRequests.get(worker) ?? 0)] as const,
  );
  return {
    server: after.server,
    kind: after.kind,
    role: after.role,
    worker: after.worker,
    restarted,
    requests: counted('requests'),
    prompt_tokens: counted('promptTokens'),
    cached_tokens: counted('cachedTokens'),
    output_tokens: counted('outputTokens'),
    preemptions: counted('preemptions'),
    running_max: most(own.map(({ running }) => running)),
    waiting_max: most(own.map(({ waiting }) => waiting)),
    kv_usage_max: most(own.map(({ kv_usage }) => kv_usage)),
    ...(workers.length > 0 && workers.every(([, count]) => count >= 0)
      ? { worker_requests: Object.fromEntries(workers) }
      : {}),
  };
}

/** One look as a line of the series, its counters since `before`. */
export function seriesPoint(atMs: number, before: ServerReading | null, now: ServerReading): SeriesPoint {
  const since = (key: (typeof COUNTERS)[number]) =>
    before === null ? null : difference(before.figures, now.figures, key);
  return {
    at_ms: atMs,
    server: now.server,
    running: now.figures.running,
    waiting: now.figures.waiting,
    kv_usage: now.figures.kvUsage,
    requests: since('requests'),
    prompt_tokens: since('promptTokens'),
    cached_tokens: since('cachedTokens'),
  };
}

/** True when no counter of any server has moved from one look to the next, and nothing runs. */
export function isSettled(a: readonly ServerReading[], b: readonly ServerReading[]): boolean {
  const byServer = new Map(a.map((reading) => [reading.server, reading]));
  return b.every((reading) => {
    const earlier = byServer.get(reading.server);
    return (
      earlier !== undefined &&
      (reading.figures.running ?? 0) === 0 &&
      COUNTERS.every((key) => earlier.figures[key] === reading.figures[key])
    );
  });
}

function difference(a: ServerFigures, b: ServerFigures, key: keyof ServerFigures): number | null {
  const [before, after] = [a[key], b[key]];
  return before === null || after === null ? null : after - before;
}

function most(values: readonly (number | null)[]): number | null {
  return values.reduce<number | null>(
    (top, value) => (value === null || (top !== null && top >= value) ? top : value),
    null,
  );
}
