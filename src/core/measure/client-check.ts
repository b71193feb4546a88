import type { Evidence } from '../base/evidence.js';
import { roundMs } from '../base/round.js';
import { supportsPercentile } from '../base/statistics.js';
import { createTimeHistogram, type TimeCounts, type TimeHistogram } from '../base/time-histogram.js';
import { clientErrorOf, LOST_SHARE } from './client-error.js';
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
  readonly stamp_lag_mean_ms: number | null;
  readonly stamp_lag_p50_ms: number | null;
  readonly stamp_lag_p90_ms: number | null;
  readonly stamp_lag_p99_ms: number | null;
  readonly stamp_lag_max_ms: number | null;
  /** How late the event loop answered to a moment of the trial; waiting for a processor counts. Null in a trial of a few ms. */
  readonly loop_delay_mean_ms: number | null;
  readonly loop_delay_p50_ms: number | null;
  readonly loop_delay_p90_ms: number | null;
  readonly loop_delay_p99_ms: number | null;
  readonly loop_delay_max_ms: number | null;
  /** sent − due, less the opening of a connection. Null when nothing was sent. */
  readonly send_lag_mean_ms: number | null;
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
    stamp_lag_mean_ms: stamps.mean(),
    stamp_lag_p50_ms: stamps.percentile(0.5),
    stamp_lag_p90_ms: stamps.percentile(0.9),
    stamp_lag_p99_ms: stamps.percentile(0.99),
    stamp_lag_max_ms: stamps.max(),
    loop_delay_mean_ms: delays.mean(),
    loop_delay_p50_ms: delays.percentile(0.5),
    loop_delay_p90_ms: delays.percentile(0.9),
    loop_delay_p99_ms: delays.percentile(0.99),
    loop_delay_max_ms: delays.max(),
    send_lag_mean_ms: load.sendLag.mean(),
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

/** Less in flight than this share of what was asked is another load than the one named. */
const CONCURRENCY_SHARE = 0.98;

/**
 * Where the client was the limit, each reason with its figures; null where it was not: a time that may be the client's by
 * more than {@link LOST_SHARE} of it (an open load's late sends count as such a time), or less in flight than asked. A
 * smaller error widens the intervals of a comparison and is no finding. `times` are figures of the trial, ms.
 */
export function findClientLimit(client: ClientCheck, times: FirstTokenTimes): Evidence | null {
  const { concurrency_asked: asked, concurrency_mean: mean, cpu_share: cpuShare, threads } = client;
  const error = clientErrorOf(client);
  const bounds = {
    ttft_mean_ms: error.meanMs,
    ttft_p50_ms: error.p50Ms,
    // Fewer first tokens have no p99 to be wrong.
    ttft_p99_ms: supportsPercentile(client.first_tokens, 0.99) ? error.p99Ms : 0,
  };
  const lost = (Object.keys(bounds) as (keyof FirstTokenTimes)[]).flatMap((measure) => {
    const [boundMs, valueMs] = [bounds[measure], times[measure] ?? null];
    return valueMs !== null && boundMs > LOST_SHARE * valueMs
      ? { measure, boundMs: roundMs(boundMs), valueMs: roundMs(valueMs) }
      : [];
  });
  const leftMs = asked === null ? (client.send_lag_p99_ms ?? 0) : 0;
  const leftLateMs = leftMs > LOST_SHARE * (times.ttft_p50_ms ?? Number.POSITIVE_INFINITY) ? leftMs : null;
  const inFlight =
    asked !== null && mean !== null && mean < CONCURRENCY_SHARE * asked ? { mean, asked } : null;
  return lost.length === 0 && leftLateMs === null && inFlight === null
    ? null
    : trialEvidence('client-limit', { lost, leftLateMs, inFlight, cpuShare, threads });
}

/** TTFT of one trial, ms; a figure that is left out or null is not judged. */
export type FirstTokenTimes = Readonly<
  Partial<Record<'ttft_mean_ms' | 'ttft_p50_ms' | 'ttft_p99_ms', number | null>>
>;
