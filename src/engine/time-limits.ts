import type { StreamEnd, TimeoutCode } from '../core/answer/exchange.js';
import type { Recorder } from '../core/answer/recorder.js';
import type { Scenario } from '../core/scenario/settings.js';
import type { Clock } from './ports.js';

/** How long a request may take, ms; null for no limit. */
export interface TimeLimits {
  /** All of it, from when it was due. */
  readonly wholeMs: number;
  /** From sending it to its first token. */
  readonly firstTokenMs: number | null;
  /** From one token to the next, or to the end of the answer. */
  readonly idleMs: number | null;
}

export function timeLimitsOf(
  scenario: Pick<Scenario, 'timeout' | 'firstTokenTimeout' | 'idleTimeout'>,
): TimeLimits {
  return {
    wholeMs: scenario.timeout,
    firstTokenMs: scenario.firstTokenTimeout,
    idleMs: scenario.idleTimeout,
  };
}

interface Limit {
  readonly code: TimeoutCode;
  readonly atMs: number;
  readonly message: string;
}

/**
 * Aborts a request at the first limit that it passes; the answer ends the watch. There is one timer, which looks when the
 * next limit can be passed at the earliest, so that tokens cost nothing.
 */
export function watchLimits(
  { clock, limits }: { readonly clock: Clock; readonly limits: TimeLimits },
  recorder: Pick<Recorder, 'sentAtMs' | 'lastTokenAtMs'>,
  dueMs: number,
  abort: (end: StreamEnd) => void,
): () => void {
  let cancel = arm();
  return () => cancel();

  function arm(): () => void {
    const next = nextLimit();
    return clock.at(next.atMs, () => {
      const { code, atMs, message } = nextLimit();
      // A timer may fire a little early: the clock decides.
      if (atMs <= Math.max(clock.now(), next.atMs)) abort({ kind: 'timeout', code, message });
      else cancel = arm();
    });
  }

  function nextLimit(): Limit {
    const tokenAtMs = recorder.lastTokenAtMs();
    const whole = dueMs + limits.wholeMs;
    const first =
      limits.firstTokenMs === null || tokenAtMs !== null
        ? Number.POSITIVE_INFINITY
        : (recorder.sentAtMs() ?? clock.now()) + limits.firstTokenMs;
    const idle =
      limits.idleMs === null ? Number.POSITIVE_INFINITY : (tokenAtMs ?? clock.now()) + limits.idleMs;
    const atMs = Math.min(whole, first, idle);
    if (atMs === whole)
      return { code: 'timeout', atMs, message: `no complete answer within ${seconds(limits.wholeMs)}` };
    return atMs === first
      ? {
          code: 'first_token_timeout',
          atMs,
          message: `no token within ${seconds(limits.firstTokenMs)} of sending`,
        }
      : { code: 'idle_timeout', atMs, message: `no further token within ${seconds(limits.idleMs)}` };
  }
}

function seconds(ms: number | null): string {
  return `${(ms ?? 0) / 1000} s`;
}
