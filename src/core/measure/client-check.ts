import type { Evidence } from '../base/evidence.js';
import { supportsPercentile } from '../base/statistics.js';
import { createTimeHistogram, type TimeCounts, type TimeHistogram } from '../base/time-histogram.js';
import type { ClientLateness } from './trial-evidence.js';
import { trialEvidence } from './trial-evidence.js';

/**
 * What the client saw of itself during a trial; in run.json. Every lag is an upper bound of the client's own error, so
 * that a small one proves something. docs/client.md tells how each is measured.
 */
export interface ClientCheck {
  /** Threads that sent requests. */
  readonly threads: number;
  /** Requests of which a first token came. */
  readonly first_tokens: number;
  /**
   * How long the read that carried a first token may have waited in the client before it was stamped: since the end of
   * the loop's last sleep, or since the poll before, at which it had not been there. Null when no token came.
   */
  readonly stamp_lag_p50_ms: number | null;
  readonly stamp_lag_p99_ms: number | null;
  readonly stamp_lag_max_ms: number | null;
  /** How late the event loop answered to a moment of the trial; waiting for a processor counts. Null in a trial of a few ms. */
  readonly loop_delay_p50_ms: number | null;
  readonly loop_delay_p99_ms: number | null;
  readonly loop_delay_max_ms: number | null;
  /** sent − due, less the opening of a connection. Null when nothing was sent. */
  readonly send_lag_p50_ms: number | null;
  readonly send_lag_p99_ms: number | null;
  readonly send_lag_max_ms: number | null;
  /** Null for an open load. */
  readonly concurrency_asked: number | null;
  /** Mean in flight from the moment that many were sent to the one when the plan ran out; null when it ran out at once, or for an open load. */
  readonly concurrency_mean: number | null;
  /** CPU seconds the whole process used, over the trial's seconds. */
  readonly cpu_share: number;
  /** CPU of the whole process per planned request, µs. */
  readonly cpu_per_request_us: number;
  /** Share of the trial's seconds spent reading answers, of one thread; sampled. */
  readonly reader_share: number;
}

/** What one thread saw of itself while requests were measured. */
export interface ClientReading {
  readonly stampLag: TimeCounts;
  readonly loopDelay: TimeCounts;
  /** Time spent reading answers. */
  readonly readerMs: number;
  /** CPU time of the whole process. */
  readonly cpuMs: number;
  readonly spanMs: number;
}

/** What the load came to, seen from the plan. */
export interface LoadSeen {
  readonly requests: number;
  readonly sendLag: TimeHistogram;
  readonly concurrencyAsked: number | null;
  readonly concurrencyMean: number | null;
}

/** Folds what every thread saw (one at least) into the check of a trial. */
export function buildClientCheck(readings: readonly ClientReading[], load: LoadSeen): ClientCheck {
  const stamps = createTimeHistogram();
  const delays = createTimeHistogram();
  for (const { stampLag, loopDelay } of readings) {
    stamps.merge(stampLag);
    delays.merge(loopDelay);
  }
  // Each thread counts the CPU of the whole process.
  const cpuMs = Math.max(...readings.map((reading) => reading.cpuMs));
  const spanMs = Math.max(...readings.map((reading) => reading.spanMs));
  const readerMs = readings.reduce((sum, reading) => sum + reading.readerMs, 0);
  return {
    threads: readings.length,
    first_tokens: stamps.size(),
    stamp_lag_p50_ms: stamps.percentile(0.5),
    stamp_lag_p99_ms: stamps.percentile(0.99),
    stamp_lag_max_ms: stamps.max(),
    loop_delay_p50_ms: delays.percentile(0.5),
    loop_delay_p99_ms: delays.percentile(0.99),
    loop_delay_max_ms: delays.max(),
    send_lag_p50_ms: load.sendLag.percentile(0.5),
    send_lag_p99_ms: load.sendLag.percentile(0.99),
    send_lag_max_ms: load.sendLag.max(),
    concurrency_asked: load.concurrencyAsked,
    concurrency_mean: load.concurrencyMean === null ? null : round3(load.concurrencyMean),
    cpu_share: round3(cpuMs / spanMs),
    cpu_per_request_us: Math.round((cpuMs * 1000) / load.requests),
    reader_share: round3(readerMs / (spanMs * readings.length)),
  };
}

/**
 * Time-weighted mean of requests in flight from the moment the `asked`-th was sent, when a closed load is complete, to
 * `ranOutMs`, when the last of the plan was due: before and after it is thinner by design. `fromMs` and `toMs` by request,
 * NaN for one that was never sent; null for no time at all.
 */
export function meanInFlight(
  fromMs: Float64Array,
  toMs: Float64Array,
  asked: number,
  ranOutMs: number,
): number | null {
  let begunMs = Number.NEGATIVE_INFINITY;
  for (const from of fromMs.subarray(0, asked)) if (from > begunMs) begunMs = from;
  if (!(ranOutMs > begunMs) || begunMs === Number.NEGATIVE_INFINITY) return null;
  let sum = 0;
  for (const [i, from] of fromMs.entries()) {
    const span = Math.min(toMs[i] as number, ranOutMs) - Math.max(from, begunMs);
    if (span > 0) sum += span;
  }
  return sum / (ranOutMs - begunMs);
}

function round3(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** An error of this much is never let pass in the middle, and always at the tail. */
const ERROR_MS = 2;
/** The same as a share of the TTFT p50. */
const ERROR_SHARE = 0.02;
/** Less in flight than this share of what was asked is another load than the one named. */
const CONCURRENCY_SHARE = 0.98;

/**
 * Where the client was the limit, each reason with its figure; null where it was not. The error that a typical TTFT may
 * have (median lag) must stay within 2 ms and within 2 % of the TTFT p50: it shifts the p50 itself. The error of the worst
 * hundredth must stay within 2 ms or, where that is more, 2 %: a pause of 3 ms does not spoil a p99 of a second.
 */
export function findClientLimit(client: ClientCheck, ttftP50: number | null): Evidence | null {
  const late = ttftP50 === null ? null : findLateness(client, ttftP50);
  const { concurrency_asked: asked, concurrency_mean: mean, cpu_share: cpuShare, threads } = client;
  const isShort = asked !== null && mean !== null && mean < CONCURRENCY_SHARE * asked;
  const inFlight = isShort ? { mean, asked } : null;
  return late === null && inFlight === null
    ? null
    : trialEvidence('client-limit', { late, inFlight, cpuShare, threads });
}

/** What was later than a TTFT of this p50 bears, ms; null of what was not, and when nothing was. */
function findLateness(client: ClientCheck, ttftP50: number): ClientLateness | null {
  const typicalAllowed = Math.min(ERROR_MS, ERROR_SHARE * ttftP50);
  const tailAllowed = Math.max(ERROR_MS, ERROR_SHARE * ttftP50);
  const above = (ms: number, allowed: number) => (ms > allowed ? ms : null);
  // Of fewer requests there is no p99 to be wrong.
  const stampTail = supportsPercentile(client.first_tokens, 0.99) ? client.stamp_lag_p99_ms : null;
  const leftTail = client.concurrency_asked === null ? client.send_lag_p99_ms : null;
  const late = {
    stampedHalf: above(client.stamp_lag_p50_ms ?? 0, typicalAllowed),
    stampedTail: above(Math.max(stampTail ?? 0, client.loop_delay_p99_ms ?? 0), tailAllowed),
    leftTail: above(leftTail ?? 0, tailAllowed),
  };
  return Object.values(late).every((ms) => ms === null) ? null : { ...late, ttftP50 };
}
