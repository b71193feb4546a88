import { describe, expect, it } from 'vitest';
import { createPacedClock } from '../../../src/sim/clock/paced-clock.js';

/** A real clock moved by hand. */
function createHandClock() {
  let now = 0;
  let timers: { atMs: number; fire: () => void }[] = [];
  return {
    now: () => now,
    at(atMs: number, fire: () => void) {
      const timer = { atMs, fire };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    /** Moves to `toMs`, where the host gets round to whatever is due. */
    wakeAt(toMs: number) {
      now = toMs;
      const due = timers.filter((timer) => timer.atMs <= toMs);
      timers = timers.filter((timer) => timer.atMs > toMs);
      for (const timer of due) timer.fire();
    },
    pending: () => timers.map(({ atMs }) => atMs),
  };
}

describe('paced clock', () => {
  it('shows an event the time it was due, however late it came, so that delays do not add up', () => {
    const real = createHandClock();
    const clock = createPacedClock(real);
    const seen: number[] = [];
    clock.at(10, () => {
      seen.push(clock.now());
      clock.at(clock.now() + 10, () => seen.push(clock.now()));
    });
    real.wakeAt(17);
    expect(seen).toEqual([10]);
    expect(real.pending()).toEqual([20]);
    real.wakeAt(21);
    expect(seen).toEqual([10, 20]);
    expect(clock.now()).toBe(21);
    expect(clock.lateness.read()).toMatchObject({ events: 2, sumMs: 8, maxMs: 7, kept: false });
  });

  it('runs all that has become due at one wake-up, in order', () => {
    const real = createHandClock();
    const clock = createPacedClock(real);
    const seen: string[] = [];
    clock.at(30, () => seen.push('c'));
    clock.at(10, () => {
      seen.push('a');
      clock.at(20, () => seen.push('b'));
    });
    real.wakeAt(35);
    expect(seen).toEqual(['a', 'b', 'c']);
  });

  it('wakes for the earliest timer only, and for none once stopped', () => {
    const real = createHandClock();
    const clock = createPacedClock(real);
    const cancel = clock.at(50, () => undefined);
    clock.at(20, () => undefined);
    expect(real.pending()).toEqual([20]);
    cancel();
    clock.stop();
    expect(real.pending()).toEqual([]);
  });

  it('counts lateness in buckets, and says when timing was not kept', () => {
    const real = createHandClock();
    const clock = createPacedClock(real);
    for (let i = 1; i <= 200; i++) {
      clock.at(i * 100, () => undefined);
      real.wakeAt(i * 100 + (i === 7 || i === 8 ? 60 : 0.5));
    }
    // Two of 200 are 1 %: kept. A third is not.
    expect(clock.lateness.read().kept).toBe(true);
    expect(clock.lateness.read().upTo).toEqual([198, 198, 198, 198, 198, 198, 200, 200, 200, 200]);
    clock.at(30_000, () => undefined);
    real.wakeAt(30_006);
    expect(clock.lateness.read().kept).toBe(false);
  });
});
