import { createLatenessMeter, type LatenessMeter } from './lateness.js';
import { createTimerHeap } from './timer-heap.js';
import type { ModelClock } from './virtual-clock.js';

/** Events in one turn of the host: a model whose steps cost nothing must not keep it from its sockets. */
const EVENTS_PER_TURN = 500;

/** A model's clock that keeps pace with real time, and how well it did. */
export interface PacedClock extends ModelClock {
  readonly lateness: LatenessMeter;
  /** Drops every timer. */
  stop(): void;
}

/**
 * A model's clock paced by `real`. An event sees the time it was due, not the time it got its turn, so that the lateness
 * of one event does not add to the next; how late each one was is measured.
 */
export function createPacedClock(real: ModelClock): PacedClock {
  const heap = createTimerHeap();
  const lateness = createLatenessMeter();
  /** Time of the event that is running; null between events, when it is what the real clock says. */
  let eventMs: number | null = null;
  let armed: { readonly atMs: number; readonly cancel: () => void } | null = null;
  let stopped = false;

  function run(): void {
    armed = null;
    for (let left = EVENTS_PER_TURN; left > 0; left--) {
      const next = heap.nextAtMs();
      if (next === null || next > real.now()) break;
      const timer = heap.pop();
      if (timer === null) break;
      lateness.add(real.now() - timer.atMs);
      eventMs = timer.atMs;
      try {
        timer.fire();
      } finally {
        eventMs = null;
      }
    }
    arm();
  }

  function arm(): void {
    const next = heap.nextAtMs();
    if (stopped || next === null || (armed !== null && armed.atMs <= next)) return;
    armed?.cancel();
    armed = { atMs: next, cancel: real.at(next, run) };
  }

  return {
    lateness,
    now: () => eventMs ?? real.now(),
    at(atMs, fire) {
      const cancel = heap.push(atMs, fire, true);
      if (eventMs === null) arm();
      return cancel;
    },
    stop() {
      stopped = true;
      armed?.cancel();
      armed = null;
    },
  };
}
