import type { Clock } from '../engine/ports.js';

/**
 * The machine's monotonic clock, ms since the process began, sub-µs steps. Each thread has its own zero;
 * one that is given the {@link clockOrigin} of another uses that one's.
 */
export function createRealClock(originMs: number = clockOrigin()): Clock {
  const shiftMs = clockOrigin() - originMs;
  const now = shiftMs === 0 ? () => performance.now() : () => performance.now() + shiftMs;
  return {
    name: 'monotonic',
    now,
    at: (atMs, fire) => {
      const timer = setTimeout(fire, Math.max(0, atMs - now()));
      return () => clearTimeout(timer);
    },
    soon: setImmediate,
  };
}

let origin: number | null = null;

/** Where this thread's `performance.now()` has its zero on the clock that all threads share, ms. */
export function clockOrigin(): number {
  if (origin !== null) return origin;
  // Between two looks at the one clock lies the look at the other: the narrowest pair says most.
  let narrowestMs = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 20; i++) {
    const beforeMs = performance.now();
    const sharedMs = Number(process.hrtime.bigint()) / 1e6;
    const afterMs = performance.now();
    if (afterMs - beforeMs >= narrowestMs) continue;
    narrowestMs = afterMs - beforeMs;
    origin = sharedMs - (beforeMs + afterMs) / 2;
  }
  return origin ?? 0;
}
