import type { RequestRecord } from '../core/answer/request-record.js';
import type { StopSignal } from './ports.js';

/** Stops a run in which most requests have begun to fail: a revoked key or dead workers measure nothing more. */
export interface FailureWatch {
  /** Counts a request that has ended; `slots` as many as are in flight at a time, null for an open load. */
  add(record: Pick<RequestRecord, 'phase' | 'outcome' | 'error'>, slots: number | null): void;
  /** What made it stop; null while nothing did. */
  seen(): FailuresSeen | null;
  /** The run's own stop, and this one. */
  readonly stop: StopSignal;
}

/** The last stretch of requests before the stop. */
export interface FailuresSeen {
  readonly failed: number;
  readonly requests: number;
  /** Of the whole run. */
  readonly failedInAll: number;
  /** Code and message of the last error. */
  readonly error: string;
}

/** Shorter stretches fail by bad luck. */
const FEWEST = 20;
/** Stretches this many times the load in flight: requests that fail fast do not fill one alone. */
const LOADS = 2;

/**
 * Trips once more than `maxFailed` requests of the run failed, and most of the last ones: 20, or twice as many as are in
 * flight. Nothing is sent from then on; what is in flight ends.
 */
export function createFailureWatch(maxFailed: number, stop: StopSignal): FailureWatch {
  /** Whether each of the last requests failed, the latest last. */
  let last: boolean[] = [];
  let failedInAll = 0;
  let seen: FailuresSeen | null = null;
  return {
    add({ phase, outcome, error }, slots) {
      if (phase !== 'measure' || outcome === 'aborted' || seen !== null) return;
      const most = Math.max(FEWEST, LOADS * (slots ?? 0));
      last.push(outcome !== 'ok');
      if (last.length > most) last = last.slice(last.length - most);
      if (outcome === 'ok') return;
      failedInAll++;
      const failed = last.filter(Boolean).length;
      if (failedInAll <= maxFailed || last.length < most || failed <= most / 2) return;
      seen = { failed, requests: most, failedInAll, error: `${error?.code}: ${error?.message}` };
    },
    seen: () => seen,
    stop: {
      get stopping() {
        return stop.stopping || seen !== null;
      },
      onAbort: stop.onAbort,
    },
  };
}
