import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/sim/clock/virtual-clock.js';
import { yieldToHost } from '../../support/sim-trial.js';

/** Resolves when the clock has nothing left to do after `atMs`. */
function until(clock: ReturnType<typeof createVirtualClock>, atMs: number): Promise<void> {
  return new Promise((resolve) => clock.at(atMs, resolve));
}

describe('virtual clock', () => {
  it('starts at 0 and is called virtual', () => {
    const clock = createVirtualClock(yieldToHost);
    expect(clock.name).toBe('virtual');
    expect(clock.now()).toBe(0);
  });

  it('fires in order of time, and ties in order of scheduling', async () => {
    const clock = createVirtualClock(yieldToHost);
    const seen: string[] = [];
    for (const [atMs, name] of [
      [30, 'c'],
      [10, 'a1'],
      [20, 'b'],
      [10, 'a2'],
      [10, 'a3'],
    ] as const) {
      clock.at(atMs, () => seen.push(`${name}@${clock.now()}`));
    }
    await until(clock, 40);
    expect(seen).toEqual(['a1@10', 'a2@10', 'a3@10', 'b@20', 'c@30']);
  });

  it('fires nothing before the caller has returned to the host', () => {
    const clock = createVirtualClock(yieldToHost);
    let fired = 0;
    clock.at(0, () => fired++);
    expect(fired).toBe(0);
  });

  it('takes a time in the past for now', async () => {
    const clock = createVirtualClock(yieldToHost);
    const seen: number[] = [];
    clock.at(50, () => clock.at(10, () => seen.push(clock.now())));
    await until(clock, 60);
    expect(seen).toEqual([50]);
  });

  it('does not fire what was cancelled, even by an event of the same instant', async () => {
    const clock = createVirtualClock(yieldToHost);
    const seen: string[] = [];
    clock.at(10, () => cancelLater());
    const cancelLater = clock.at(10, () => seen.push('late'));
    const cancelEarly = clock.at(5, () => seen.push('early'));
    cancelEarly();
    cancelEarly();
    await until(clock, 20);
    expect(seen).toEqual([]);
  });

  it('forgets thousands of cancelled timers and still fires the rest in order', async () => {
    const clock = createVirtualClock(yieldToHost);
    const seen: number[] = [];
    for (let i = 0; i < 5000; i++) {
      const cancel = clock.at(5000 - i, () => seen.push(clock.now()));
      if (i % 1000 !== 0) cancel();
    }
    await until(clock, 6000);
    expect(seen).toEqual([1000, 2000, 3000, 4000, 5000]);
  });

  it('lets promises settled by an event run before time moves on', async () => {
    const clock = createVirtualClock(yieldToHost);
    const seen: number[] = [];
    async function sleepTwice(): Promise<void> {
      await until(clock, 10);
      await null;
      await null;
      await until(clock, clock.now() + 1);
      seen.push(clock.now());
    }
    const slept = sleepTwice();
    clock.at(500, () => undefined);
    await slept;
    expect(seen).toEqual([11]);
  });

  it('turns the host loop now and then during a long run', async () => {
    let turns = 0;
    const clock = createVirtualClock(async () => {
      turns++;
      await yieldToHost();
    });
    let left = 20_000;
    await new Promise<void>((resolve) => {
      const tick = (): void => {
        if (left-- === 0) resolve();
        else clock.quiet.at(clock.now() + 1, tick);
      };
      clock.quiet.at(0, tick);
    });
    // One to start, then one every 4,096 events.
    expect(turns).toBe(5);
  });

  it('starts again after it has run dry', async () => {
    const clock = createVirtualClock(yieldToHost);
    await until(clock, 7);
    await yieldToHost();
    await until(clock, 9);
    expect(clock.now()).toBe(9);
  });
});
