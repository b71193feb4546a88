import type { TrialSums } from './trial-sums.js';

/**
 * How much of a trial's times may be the client's own lateness: upper bounds, ms, each for the figure of its name. All of
 * them are of reads: a read is stamped late, never early.
 */
export interface ClientError {
  readonly meanMs: number;
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  /** How long a slot may have stayed empty after its answer ended: the stamp of the end, and the send that followed it. */
  readonly refillMs: number;
}

/** How far a value may be off for the client's sake, in the value's own unit: true = measured − over … measured + under. */
export interface ValueError {
  readonly over: number;
  readonly under: number;
}

/** A figure that the client may have spoilt by more than this share of it is no figure of the server's. */
export const LOST_SHARE = 0.1;

const NO_ERROR: ValueError = { over: 0, under: 0 };

/** What of a trial's client check its bounds are made from; see ClientCheck, which has all of it. */
export interface ClientLags {
  readonly stamp_lag_mean_ms: number | null;
  readonly stamp_lag_p50_ms: number | null;
  readonly stamp_lag_p90_ms: number | null;
  readonly stamp_lag_p99_ms: number | null;
  readonly loop_delay_mean_ms: number | null;
  readonly loop_delay_p50_ms: number | null;
  readonly loop_delay_p90_ms: number | null;
  readonly loop_delay_p99_ms: number | null;
  readonly send_lag_mean_ms: number | null;
  readonly send_lag_p99_ms: number | null;
  readonly concurrency_asked: number | null;
}

/**
 * The bounds of one trial. A read waited no longer than the loop
 * was busy (stamp lag), or than the process was kept from a processor (loop delay): the greater of the two counts. A
 * figure in the middle moves by the mean lag where times are spread wide and by the median lag where they are not, so the
 * p50 and p90 are bounded by the greater of both.
 */
export function clientErrorOf(check: ClientLags): ClientError {
  const late = (stamp: number | null | undefined, loop: number | null | undefined) =>
    Math.max(stamp ?? 0, loop ?? 0);
  const p50 = late(check.stamp_lag_p50_ms, check.loop_delay_p50_ms);
  const p99 = late(check.stamp_lag_p99_ms, check.loop_delay_p99_ms);
  // Where the mean or the p90 is not known, the p99 stands for it.
  const meanMs = late(
    check.stamp_lag_mean_ms ?? check.stamp_lag_p99_ms,
    check.loop_delay_mean_ms ?? check.loop_delay_p99_ms,
  );
  const p90 = late(
    check.stamp_lag_p90_ms ?? check.stamp_lag_p99_ms,
    check.loop_delay_p90_ms ?? check.loop_delay_p99_ms,
  );
  return {
    meanMs,
    p50Ms: Math.max(p50, meanMs),
    p90Ms: Math.max(p90, meanMs),
    p99Ms: p99,
    refillMs:
      meanMs +
      (check.concurrency_asked === null ? 0 : (check.send_lag_mean_ms ?? check.send_lag_p99_ms ?? 0)),
  };
}

/** The percentile `p` of a time that one stamp ends: too long by the stamp's lateness at most. Null: the mean. */
export function lateStamp(p: number | null): (error: ClientError) => ValueError {
  const key = p === null ? 'meanMs' : p <= 0.5 ? 'p50Ms' : p <= 0.9 ? 'p90Ms' : 'p99Ms';
  return (error) => ({ over: error[key], under: 0 });
}

/** A time between two stamps, per token: either may be late. */
export function lateGaps(error: ClientError, sums: TrialSums): ValueError {
  const perRequest = sums.outputTokens === null || sums.ok === 0 ? 2 : sums.outputTokens / sums.ok;
  const each = error.p50Ms / Math.max(1, perRequest - 1);
  return { over: each, under: each };
}

/** A rate of completions, which slots left empty by the client make smaller. */
export function emptySlots(error: ClientError, sums: TrialSums, value: number): ValueError {
  const e2eMs = sums.e2e.mean();
  return e2eMs === null || e2eMs <= 0 ? NO_ERROR : { over: 0, under: value * (error.refillMs / e2eMs) };
}
