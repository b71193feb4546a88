import { describe, expect, it } from 'vitest';
import { createVirtualClock, type VirtualClock } from '../../../src/sim/clock/virtual-clock.js';
import { createOwnDevice, createSharedDevice } from '../../../src/sim/worker/device.js';
import { createKvCache, type ResidencyChange, type Segment } from '../../../src/sim/worker/kv-cache.js';
import { stepWorkMs } from '../../../src/sim/worker/timing.js';
import { createWorker, type Worker, type WorkerSettings } from '../../../src/sim/worker/worker.js';
import { yieldToHost } from '../../support/sim-trial.js';

// A step is 10 ms + 1 ms per prompt token + 2 ms per running request that gets its next token.
const SETTINGS: WorkerSettings = {
  blockSize: 4,
  maxNumSeqs: 8,
  maxNumBatchedTokens: 64,
  asyncScheduling: false,
  timing: 'linear',
  stepMs: 10,
  prefillMsPerToken: 1,
  decodeMsPerRequest: 2,
};

interface Bench {
  readonly clock: VirtualClock;
  readonly worker: Worker;
  readonly log: string[];
  readonly changes: ResidencyChange[];
  add(name: string, segments: readonly Segment[], promptTokens: number, outputTokens: number): () => void;
  settle(): Promise<void>;
}

function createBench(settings: Partial<WorkerSettings> = {}, blocks = 32): Bench {
  const clock = createVirtualClock(yieldToHost);
  const log: string[] = [];
  const changes: ResidencyChange[] = [];
  const worker = createWorker(
    clock,
    createOwnDevice(clock, 1),
    createKvCache(blocks),
    { ...SETTINGS, ...settings },
    (taken) => changes.push(...taken),
  );
  return {
    clock,
    worker,
    log,
    changes,
    add(name, segments, promptTokens, outputTokens) {
      const added = worker.add({
        segments,
        promptTokens,
        outputTokens,
        on: {
          scheduled: (cached) => log.push(`${clock.now()} ${name} starts with ${cached}`),
          token: (last) => log.push(`${clock.now()} ${name}${last ? ' ends' : ''}`),
        },
      });
      if (added === null) {
        log.push(`${name} refused`);
        return () => undefined;
      }
      return added.cancel;
    },
    settle: () => new Promise((resolve) => clock.at(clock.now() + 100_000, resolve)),
  };
}

const prefix = (key: number, blocks: number): Segment => ({ key, blocks });

describe('worker', () => {
  it('computes a prompt, then one token a step', async () => {
    const bench = createBench();
    bench.add('a', [prefix(1, 2)], 9, 3);
    await bench.settle();
    expect(bench.log).toEqual(['0 a starts with 0', '19 a', '31 a', '43 a ends']);
    expect(bench.worker.stats()).toEqual({
      running: 0,
      waiting: 0,
      kvUsage: 0,
      preemptions: 0,
      queriedTokens: 9,
      hitTokens: 0,
      promptTokens: 9,
      outputTokens: 3,
    });
  });

  it('hits at most ⌊(N−1)/B⌋ blocks: of a prompt cached whole, the last block is computed again', async () => {
    const bench = createBench();
    bench.add('a', [prefix(1, 2)], 8, 1);
    await bench.settle();
    bench.add('b', [prefix(1, 2)], 8, 1);
    await bench.settle();
    bench.add('c', [prefix(1, 2)], 9, 1);
    await bench.settle();
    expect(bench.log.filter((line) => line.includes('starts'))).toEqual([
      '0 a starts with 0',
      '100000 b starts with 4',
      '200000 c starts with 8',
    ]);
  });

  it('makes a missed prefill delay its neighbours', async () => {
    const bench = createBench();
    bench.add('a', [prefix(1, 1)], 5, 4);
    bench.clock.at(20, () => bench.add('b', [prefix(2, 5)], 20, 1));
    await bench.settle();
    // a's third token shares its step with b's 20 prompt tokens: 10 + 2 + 20 ms instead of 12.
    expect(bench.log).toEqual([
      '0 a starts with 0',
      '15 a',
      '27 a',
      '27 b starts with 0',
      '59 a',
      '59 b ends',
      '71 a ends',
    ]);
  });

  it('computes a long prompt in chunks of the token budget, running requests first', async () => {
    const bench = createBench({ maxNumBatchedTokens: 8 });
    bench.add('a', [prefix(1, 1)], 4, 3);
    bench.add('b', [prefix(2, 2)], 10, 1);
    await bench.settle();
    // Step 1: 4 of a, 4 of b. Step 2: a's token, 6 of b, who is done.
    expect(bench.log).toEqual([
      '0 a starts with 0',
      '0 b starts with 0',
      '18 a',
      '36 a',
      '36 b ends',
      '48 a ends',
    ]);
  });

  it('shows blocks to others as soon as they are scheduled', async () => {
    const bench = createBench();
    bench.add('a', [prefix(1, 3), prefix(2, 1)], 17, 1);
    bench.add('b', [prefix(1, 3), prefix(3, 1)], 17, 1);
    await bench.settle();
    // Both are in the first step: 17 + 5 tokens.
    expect(bench.log).toEqual(['0 a starts with 0', '0 b starts with 12', '32 a ends', '32 b ends']);
  });

  it('keeps requests waiting in order of arrival when the cache is full, and until the whole prompt fits', async () => {
    const bench = createBench({}, 6);
    bench.add('a', [prefix(1, 4)], 16, 2);
    bench.add('b', [prefix(2, 3)], 12, 1);
    bench.add('c', [prefix(3, 1)], 4, 1);
    await bench.settle();
    // a holds 5 of 6 blocks; b needs 3 and waits; c would fit but came later.
    expect(bench.log).toEqual([
      '0 a starts with 0',
      '26 a',
      '38 a ends',
      '38 b starts with 0',
      '38 c starts with 0',
      '64 b ends',
      '64 c ends',
    ]);
  });

  it('runs at most maxNumSeqs at once', async () => {
    const bench = createBench({ maxNumSeqs: 1 });
    bench.add('a', [], 2, 2);
    bench.add('b', [], 2, 1);
    await bench.settle();
    expect(bench.log).toEqual(['0 a starts with 0', '12 a', '24 a ends', '24 b starts with 0', '36 b ends']);
  });

  it('preempts the last admitted when a running request needs a block, and resumes it from the cache', async () => {
    const bench = createBench({}, 4);
    bench.add('a', [prefix(1, 1)], 7, 4);
    bench.add('b', [prefix(2, 1)], 7, 4);
    await bench.settle();
    // Both hold two blocks; the token after the eighth needs a third. a takes one of b's.
    expect(bench.worker.stats().preemptions).toBe(1);
    expect(bench.log).toEqual([
      '0 a starts with 0',
      '0 b starts with 0',
      '24 a',
      '24 b',
      '38 a',
      '38 b',
      '50 a',
      '62 a ends',
      // b: 7 + 2 tokens known, 4 of them cached, 5 to compute: 15 ms.
      '77 b',
      '89 b ends',
    ]);
  });

  it('refuses what could never fit', async () => {
    const bench = createBench({}, 4);
    bench.add('a', [prefix(1, 4)], 16, 1);
    bench.add('b', [prefix(1, 3)], 12, 4);
    await bench.settle();
    expect(bench.log).toEqual(['a refused', '0 b starts with 0', '22 b', '34 b', '46 b', '58 b ends']);
  });

  it('keeps the beginning of a prompt that was cancelled while its step ran', async () => {
    const bench = createBench({}, 4);
    const cancel = bench.add('a', [prefix(1, 3)], 13, 1);
    bench.clock.at(5, cancel);
    bench.clock.at(30, () => bench.add('b', [prefix(2, 1)], 5, 1));
    bench.clock.at(60, () => bench.add('c', [prefix(1, 3)], 13, 1));
    await bench.settle();
    expect(bench.log).toEqual([
      '0 a starts with 0',
      '30 b starts with 0',
      '45 b ends',
      '60 c starts with 8',
      '75 c ends',
    ]);
  });

  it('frees the slot and the blocks of a cancelled request', async () => {
    const bench = createBench({ maxNumSeqs: 1 }, 4);
    const cancel = bench.add('a', [prefix(1, 2)], 8, 8);
    bench.add('b', [prefix(2, 3)], 12, 2);
    bench.clock.at(25, cancel);
    await bench.settle();
    expect(bench.log).toEqual(['0 a starts with 0', '18 a', '30 b starts with 0', '52 b', '64 b ends']);
    expect(bench.worker.stats()).toMatchObject({ running: 0, waiting: 0, kvUsage: 0 });
  });

  it('tells what entered and left its cache when the step ends', async () => {
    const bench = createBench({}, 4);
    bench.add('a', [prefix(1, 3)], 13, 1);
    await bench.settle();
    expect(bench.changes).toEqual([{ key: 1, blocks: 3 }]);
    bench.add('b', [prefix(2, 2)], 9, 1);
    await bench.settle();
    expect(bench.changes.slice(1)).toEqual([
      { key: 1, blocks: 1 },
      { key: 2, blocks: 2 },
    ]);
    expect(bench.worker.resetCache()).toBe(true);
    expect(bench.changes.slice(3)).toEqual([
      { key: 1, blocks: 0 },
      { key: 2, blocks: 0 },
    ]);
  });
});

describe('KV events', () => {
  async function eventTimes(asyncScheduling: boolean): Promise<string[]> {
    const clock = createVirtualClock(yieldToHost);
    const seen: string[] = [];
    const cache = createKvCache(32);
    const worker = createWorker(
      clock,
      createOwnDevice(clock, 1),
      cache,
      { ...SETTINGS, asyncScheduling },
      (changes) => seen.push(`${clock.now()}: ${changes.map(({ key }) => key).join(',')}`),
    );
    const on = { scheduled: () => undefined, token: () => undefined };
    worker.add({ segments: [prefix(1, 1)], promptTokens: 5, outputTokens: 4, on });
    clock.at(20, () => worker.add({ segments: [prefix(2, 5)], promptTokens: 20, outputTokens: 1, on }));
    await new Promise<void>((resolve) => clock.at(1000, resolve));
    return seen;
  }

  it('leave at the end of the step that computes the blocks', async () => {
    expect(await eventTimes(false)).toEqual(['15: 1', '59: 2']);
  });

  it('with asynchronous scheduling leave when the step before ends, if there is one', async () => {
    expect(await eventTimes(true)).toEqual(['15: 1', '27: 2']);
  });
});

describe('devices', () => {
  it('share their time evenly among the steps on them', async () => {
    const clock = createVirtualClock(yieldToHost);
    const device = createSharedDevice(clock, 2);
    const ends: string[] = [];
    device.run(100, () => ends.push(`a ${clock.now()}`));
    clock.at(20, () => device.run(20, () => ends.push(`b ${clock.now()}`)));
    await new Promise<void>((resolve) => clock.at(1000, resolve));
    // a does 40 of its 100 ms alone; then both go at speed 1: b takes 20 ms, a has 40 left, alone again at speed 2.
    expect(ends).toEqual(['b 40', 'a 60']);
  });
});

describe('step cost', () => {
  it('is linear in prompt tokens and running requests', () => {
    expect(stepWorkMs(SETTINGS, 100, 3, 0.5)).toBe(116);
  });

  it('follows the polynomials of the Dynamo mocker', () => {
    expect(stepWorkMs({ ...SETTINGS, timing: 'mocker' }, 2308, 0, 0.3)).toBeCloseTo(
      4.209989e-7 * 2308 ** 2 + 1.518344e-2 * 2308 + 16.50142,
      9,
    );
    expect(stepWorkMs({ ...SETTINGS, timing: 'mocker' }, 2308, 0, 0.3)).toBeCloseTo(53.787, 3);
    expect(stepWorkMs({ ...SETTINGS, timing: 'mocker' }, 0, 4, 0.5)).toBeCloseTo(26.31, 9);
    expect(stepWorkMs({ ...SETTINGS, timing: 'mocker' }, 0, 0, 0.5)).toBe(0);
  });
});
