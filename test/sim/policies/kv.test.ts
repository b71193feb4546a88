import { describe, expect, it } from 'vitest';
import { createRng } from '../../../src/core/base/rng.js';
import { createKvPolicy, kvCost, pickByCost } from '../../../src/sim/policies/kv.js';
import { createEventIndex, createSentIndex } from '../../../src/sim/policies/overlap-index.js';
import type { RoutedRequest } from '../../../src/sim/policies/policy.js';

const WEIGHTS = { overlapScoreCredit: 1, prefillLoadScale: 1, decodeActiveRequestWeight: 0, temperature: 0 };

describe('cost of a worker', () => {
  it('adds the prefill still to do, less the overlap, to the blocks it would hold', () => {
    // (4,624 + 2,308) / 16 = 433.25 blocks of prefill, less 125 cached, plus 300 held.
    const load = { activePrefillTokens: 4624, decodeBlocks: 300, activeRequests: 3, overlapBlocks: 125 };
    expect(kvCost(WEIGHTS, 2308, 16, load)).toBe(608.25);
    expect(kvCost({ ...WEIGHTS, prefillLoadScale: 2 }, 2308, 16, load)).toBe(916.5);
    expect(kvCost({ ...WEIGHTS, overlapScoreCredit: 0.5 }, 2308, 16, load)).toBe(670.75);
    expect(kvCost({ ...WEIGHTS, decodeActiveRequestWeight: 10 }, 2308, 16, load)).toBe(638.25);
  });

  it('never takes off more than there is to prefill', () => {
    const load = { activePrefillTokens: 0, decodeBlocks: 7, activeRequests: 0, overlapBlocks: 10 };
    expect(kvCost(WEIGHTS, 100, 16, load)).toBe(7);
  });
});

describe('choice by cost', () => {
  it('takes the lowest, and each of equals as often', () => {
    const rng = createRng('ties');
    const counts = [0, 0, 0, 0];
    for (let i = 0; i < 3000; i++) {
      const chosen = pickByCost(Float64Array.of(5, 3, 9, 3), 0, rng);
      counts[chosen] = (counts[chosen] ?? 0) + 1;
    }
    expect([counts[0], counts[2]]).toEqual([0, 0]);
    expect(counts[1]).toBeGreaterThan(1400);
    expect(counts[1]).toBeLessThan(1600);
  });

  it('with a temperature draws from the softmax of the scaled cost', () => {
    const draws: number[] = [];
    // Costs 0 and 10 at temperature 1 weigh 1 and e^-1: the first has 73.1 % of the chance.
    for (const draw of [0, 0.7, 0.731, 0.732, 0.99]) {
      draws.push(pickByCost(Float64Array.of(0, 10), 1, { next: () => draw, int: () => 0 }));
    }
    expect(draws).toEqual([0, 0, 0, 1, 1]);
    // Scaled to the range: a hundred times the cost changes nothing.
    expect(pickByCost(Float64Array.of(0, 1000), 1, { next: () => 0.732, int: () => 0 })).toBe(1);
  });
});

describe('KV router', () => {
  const segments = [
    { key: 1, blocks: 4 },
    { key: 2, blocks: 1 },
  ];
  const request = (tail: number): RoutedRequest => ({
    segments: [
      { key: 1, blocks: 4 },
      { key: tail, blocks: 1 },
    ],
    promptTokens: 80,
    connection: 0,
  });

  function createRouter(workers = 2) {
    const index = createEventIndex();
    const inFlight = new Int32Array(workers);
    const policy = createKvPolicy({ workers, inFlight, now: () => 0 }, createRng('r'), 16, WEIGHTS, index);
    return { index, policy };
  }

  it('goes where the prefix is', () => {
    const { index, policy } = createRouter();
    index.apply(1, [{ key: 1, blocks: 4 }]);
    expect(policy.choose(request(2))).toEqual({ worker: 1, overlapBlocks: 4 });
  });

  it('sends the next request elsewhere while the first one is in its prefill, and back once both are known', () => {
    const { index, policy } = createRouter();
    const first = request(2);
    const { worker } = policy.choose(first);
    // There: (80 + 80)/16 + 5 + 1 = 16 blocks. Elsewhere: 5 + 5 = 10.
    expect(policy.choose(request(3)).worker).toBe(1 - worker);
    index.apply(worker, [{ key: 1, blocks: 4 }]);
    policy.firstToken(first, worker);
    // There: 5 − 4 + 5 + 1 = 7. Elsewhere: 5 + 5 + 5 + 1 = 16.
    expect(policy.choose(request(4)).worker).toBe(worker);
  });

  it('counts a prefix already active on a worker once', () => {
    const { index, policy } = createRouter();
    const both = [{ key: 1, blocks: 4 }];
    index.apply(0, both);
    index.apply(1, both);
    const first = request(2);
    const { worker } = policy.choose(first);
    policy.firstToken(first, worker);
    // There: 1 + (5 + 1) = 7, since four of the blocks are held already. Elsewhere: 1 + 5 = 6.
    const second = request(3);
    expect(policy.choose(second).worker).toBe(1 - worker);
    policy.firstToken(second, 1 - worker);
    policy.finished(second, 1 - worker);
    expect(policy.choose(request(4)).worker).toBe(1 - worker);
  });

  it('forgets a request that ended before its first token', () => {
    const { policy } = createRouter();
    const first = request(2);
    const { worker } = policy.choose(first);
    policy.finished(first, worker);
    policy.firstToken(first, worker);
    const next = policy.choose(request(3));
    policy.finished(request(3), next.worker);
    expect(next.overlapBlocks).toBe(0);
  });

  it('knows of an eviction once the event says so', () => {
    const index = createEventIndex();
    const seen = (): [number, number][] => {
      const found: [number, number][] = [];
      index.overlaps(segments, (worker, blocks) => found.push([worker, blocks]));
      return found;
    };
    index.apply(3, [{ key: 1, blocks: 4 }]);
    index.apply(3, [{ key: 2, blocks: 1 }]);
    index.apply(5, [{ key: 1, blocks: 2 }]);
    index.apply(5, [{ key: 2, blocks: 1 }]);
    // Worker 5 lacks the prefix's end, so what follows does not count.
    expect(seen()).toEqual([
      [3, 5],
      [5, 2],
    ]);
    index.apply(3, [{ key: 1, blocks: 0 }]);
    index.apply(5, [{ key: 1, blocks: 1 }]);
    expect(seen()).toEqual([[5, 1]]);
  });

  it('in approximate mode believes its own record for the time to live, whatever was evicted', () => {
    let now = 0;
    const index = createSentIndex(() => now, 120_000);
    const seen = (): [number, number][] => {
      const found: [number, number][] = [];
      index.overlaps(segments, (worker, blocks) => found.push([worker, blocks]));
      return found;
    };
    index.sent(0, segments);
    now = 60_000;
    index.sent(1, [{ key: 1, blocks: 4 }]);
    expect(seen()).toEqual([
      [0, 5],
      [1, 4],
    ]);
    index.sent(0, [{ key: 1, blocks: 4 }]);
    now = 120_001;
    // The tail was last sent at 0, the prefix at 60,000.
    expect(seen()).toEqual([
      [0, 4],
      [1, 4],
    ]);
    now = 180_001;
    expect(seen()).toEqual([]);
  });
});
