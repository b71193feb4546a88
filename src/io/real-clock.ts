import type { Clock } from '../engine/ports.js';

/** The machine's monotonic clock, ms since the process began, sub-µs steps. */
export function createRealClock(): Clock {
  return {
    name: 'monotonic',
    now: () => performance.now(),
    at: (atMs, fire) => {
      const timer = setTimeout(fire, Math.max(0, atMs - performance.now()));
      return () => clearTimeout(timer);
    },
    soon: setImmediate,
  };
}
