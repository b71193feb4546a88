import { describe, expect, it } from 'vitest';
import { createRng } from '../../../src/core/base/rng.js';
import { createCacheAware, isUnbalanced } from '../../../src/sim/policies/cache-aware.js';
import { createConsistentHash } from '../../../src/sim/policies/consistent-hash.js';
import { createSentIndex } from '../../../src/sim/policies/overlap-index.js';
import type { Policy, PolicyContext, RoutedRequest } from '../../../src/sim/policies/policy.js';
import { createStateless } from '../../../src/sim/policies/stateless.js';

function context(inFlight: readonly number[]): PolicyContext {
  return { workers: inFlight.length, inFlight: Int32Array.from(inFlight), now: () => 0 };
}

function request(connection = 0, key = 1): RoutedRequest {
  return { segments: [{ key, blocks: 10 }], promptTokens: 200, connection };
}

function choices(
  policy: Policy,
  count: number,
  make: (i: number) => RoutedRequest = () => request(),
): number[] {
  return Array.from({ length: count }, (_, i) => policy.choose(make(i)).worker);
}

describe('policies', () => {
  it('random keeps a worker as long as the connection', () => {
    const policy = createStateless('random', context([0, 0, 0, 0]), createRng('x'));
    const first = choices(policy, 40, (i) => request(i % 8));
    expect(first.slice(8)).toEqual([
      ...first.slice(0, 8),
      ...first.slice(0, 8),
      ...first.slice(0, 8),
      ...first.slice(0, 8),
    ]);
    expect(new Set(first.slice(0, 8)).size).toBeGreaterThan(1);
  });

  it('random-request draws anew each time, evenly', () => {
    const drawn = choices(createStateless('random-request', context([0, 0, 0]), createRng('x')), 3000);
    for (const worker of [0, 1, 2]) {
      const share = drawn.filter((chosen) => chosen === worker).length;
      expect(share).toBeGreaterThan(900);
      expect(share).toBeLessThan(1100);
    }
  });

  it('round-robin takes each in turn', () => {
    expect(choices(createStateless('round-robin', context([9, 0, 0]), createRng('x')), 7)).toEqual([
      0, 1, 2, 0, 1, 2, 0,
    ]);
  });

  it('least-loaded takes the fewest in flight, ties at random', () => {
    const drawn = choices(createStateless('least-loaded', context([3, 1, 2, 1]), createRng('x')), 200);
    expect([...new Set(drawn)].sort()).toEqual([1, 3]);
  });

  it('power-of-two takes the less loaded of two, so never the most loaded one', () => {
    const drawn = choices(createStateless('power-of-two', context([0, 5, 9]), createRng('x')), 3000);
    // 0 wins both pairs it is in (2/3 of the draws), 1 the remaining one.
    expect(drawn.filter((chosen) => chosen === 2).length).toBe(0);
    expect(drawn.filter((chosen) => chosen === 0).length).toBeGreaterThan(1900);
    expect(drawn.filter((chosen) => chosen === 0).length).toBeLessThan(2100);
    expect(choices(createStateless('power-of-two', context([4]), createRng('x')), 2)).toEqual([0, 0]);
  });

  it('consistent-hash sends what starts alike to one worker, and moves few when one leaves', () => {
    const six = createConsistentHash(context([0, 0, 0, 0, 0, 0]), 160);
    const five = createConsistentHash(context([0, 0, 0, 0, 0]), 160);
    const before = choices(six, 600, (i) => request(0, i));
    expect(choices(six, 600, (i) => request(7, i))).toEqual(before);
    const after = choices(five, 600, (i) => request(0, i));
    // Only those of the worker that left have moved.
    expect(before.filter((worker, i) => worker !== 5 && worker !== after[i]).length).toBe(0);
    for (let worker = 0; worker < 6; worker++) {
      const share = before.filter((chosen) => chosen === worker).length;
      expect(share).toBeGreaterThan(60);
      expect(share).toBeLessThan(150);
    }
  });
});

describe('cache-aware', () => {
  const settings = { cacheThreshold: 0.3, balanceAbs: 64, balanceRel: 1.5, blockSize: 16 };

  it('balances only when both thresholds are passed', () => {
    expect(isUnbalanced(Int32Array.of(0, 64), settings)).toBe(false);
    expect(isUnbalanced(Int32Array.of(0, 65), settings)).toBe(true);
    expect(isUnbalanced(Int32Array.of(200, 290), settings)).toBe(false);
    expect(isUnbalanced(Int32Array.of(200, 300), settings)).toBe(false);
    expect(isUnbalanced(Int32Array.of(200, 301), settings)).toBe(true);
  });

  it('follows a match above the threshold, however loaded its worker is', () => {
    const tree = createSentIndex(() => 0, Number.POSITIVE_INFINITY);
    tree.sent(1, [{ key: 1, blocks: 10 }]);
    const policy = createCacheAware(context([0, 60]), settings, tree);
    expect(policy.choose(request())).toEqual({ worker: 1, overlapBlocks: 10 });
  });

  it('goes to the least loaded when the match is no more than the threshold, and remembers that', () => {
    const tree = createSentIndex(() => 0, Number.POSITIVE_INFINITY);
    tree.sent(1, [{ key: 1, blocks: 3 }]);
    const policy = createCacheAware(context([0, 60]), settings, tree);
    // 48 of 160 tokens are exactly 0.3: not more than the threshold.
    const short: RoutedRequest = {
      segments: [
        { key: 1, blocks: 3 },
        { key: 2, blocks: 7 },
      ],
      promptTokens: 160,
      connection: 0,
    };
    expect(policy.choose(short)).toEqual({ worker: 0, overlapBlocks: 0 });
    expect(policy.choose(short)).toEqual({ worker: 0, overlapBlocks: 10 });
  });

  it('goes to the least loaded while loads are far apart', () => {
    const tree = createSentIndex(() => 0, Number.POSITIVE_INFINITY);
    tree.sent(1, [{ key: 1, blocks: 10 }]);
    const policy = createCacheAware(context([0, 65]), settings, tree);
    expect(policy.choose(request())).toEqual({ worker: 0, overlapBlocks: 0 });
  });
});
