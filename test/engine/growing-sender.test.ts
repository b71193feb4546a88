import { describe, expect, it } from 'vitest';
import { createTimeHistogram } from '../../src/core/base/time-histogram.js';
import type { ClientReading } from '../../src/core/measure/client-check.js';
import { createGrowingSender } from '../../src/engine/growing-sender.js';
import type { LoadSender, PhaseEnd, TrialPhase } from '../../src/engine/ports.js';

function endOf(threads: number, lagMs: number, coresUsed: number): PhaseEnd {
  const lags = createTimeHistogram();
  lags.add(lagMs);
  const none = createTimeHistogram().counts();
  const reading: ClientReading = {
    stampLag: lags.counts(),
    loopDelay: none,
    readerMs: 0,
    cpuMs: 1000 * coresUsed,
    spanMs: 1000,
  };
  return { readings: new Array(threads).fill(reading), gaps: none };
}

/** Who sent each trial, when its threads were as late and busy as told: "threads" by number, 1 for this thread. */
async function sentBy(
  first: number,
  most: number,
  trials: readonly (readonly [lagMs: number, coresUsed: number])[],
): Promise<{ readonly by: number[]; readonly closed: number[] }> {
  const by: number[] = [];
  const closed: number[] = [];
  const senderOfSize = (threads: number, lagMs: number, coresUsed: number): LoadSender => ({
    open: async () => {},
    run: async () => {
      by.push(threads);
      return endOf(threads, lagMs, coresUsed);
    },
  });
  let now: readonly [number, number] = [0, 0];
  const sender = createGrowingSender(first, most, (threads) => ({
    open: async () => {},
    run: (phase, onEnd) => senderOfSize(threads, ...now).run(phase, onEnd),
    close: async () => {
      closed.push(threads);
    },
  }));
  for (const trial of trials) {
    now = trial;
    const chosen = sender.senderOf(senderOfSize(1, ...trial));
    await chosen.open(8);
    await chosen.run({} as TrialPhase, () => {});
  }
  await sender.close();
  return { by, closed };
}

describe('a growing sender', () => {
  it('stays one thread while that is in time', async () => {
    expect(
      await sentBy(1, 8, [
        [1.9, 1],
        [0.1, 0.2],
      ]),
    ).toEqual({ by: [1, 1], closed: [] });
  });

  it('doubles after a trial that was late for want of CPU, up to what it may', async () => {
    const late = [
      [30, 1],
      [30, 2],
      [30, 3],
      [0.1, 1],
    ] as const;
    expect(await sentBy(1, 3, late)).toEqual({ by: [1, 2, 3, 3], closed: [2, 3] });
  });

  it('does not when threads had time to spare: more of them would wait, too', async () => {
    expect(
      (
        await sentBy(1, 8, [
          [30, 0.5],
          [30, 0.6],
        ])
      ).by,
    ).toEqual([1, 1]);
  });

  it('is the number of threads that was asked for, and ends them', async () => {
    expect(
      await sentBy(4, 4, [
        [30, 4],
        [30, 4],
      ]),
    ).toEqual({ by: [4, 4], closed: [4] });
  });
});
