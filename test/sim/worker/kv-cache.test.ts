import { describe, expect, it } from 'vitest';
import { createRng } from '../../../src/core/base/rng.js';
import { createKvCache, type KvCache, type Lease, type Segment } from '../../../src/sim/worker/kv-cache.js';

const A: Segment = { key: 1, blocks: 3 };
const TAIL: Segment = { key: 2, blocks: 1 };
const B: Segment = { key: 3, blocks: 3 };

/** Computes a whole prompt as a worker would: hold the hits, allocate and publish the rest. */
function compute(cache: KvCache, segments: readonly Segment[], extra = 0): Lease {
  const blocks = segments.reduce((sum, segment) => sum + segment.blocks, 0);
  const hits = cache.match(segments, blocks);
  const lease = cache.hold(segments, hits);
  cache.allocate(lease, blocks - hits + extra);
  cache.publish(segments, lease, hits, blocks);
  return lease;
}

describe('KV cache', () => {
  it('hits whole leading blocks only, up to the limit', () => {
    const cache = createKvCache(10);
    expect(cache.match([A, TAIL], 4)).toBe(0);
    compute(cache, [A, TAIL]);
    expect(cache.match([A, TAIL], 4)).toBe(4);
    expect(cache.match([A, TAIL], 3)).toBe(3);
    expect(cache.match([A, B], 6)).toBe(3);
    expect(cache.match([TAIL], 1)).toBe(1);
    expect(cache.match([B, A], 6)).toBe(0);
  });

  it('evicts the tail of the request that was freed first', () => {
    const cache = createKvCache(7);
    const a = compute(cache, [A]);
    const b = compute(cache, [B]);
    cache.release(a);
    cache.release(b);
    expect(cache.freeBlocks()).toBe(7);
    // One block was never used; then A loses its blocks from its end, then B.
    const lease: Lease = [];
    cache.allocate(lease, 1);
    expect([cache.match([A], 3), cache.match([B], 3)]).toEqual([3, 3]);
    cache.allocate(lease, 1);
    expect([cache.match([A], 3), cache.match([B], 3)]).toEqual([2, 3]);
    cache.allocate(lease, 2);
    expect([cache.match([A], 3), cache.match([B], 3)]).toEqual([0, 3]);
    cache.allocate(lease, 1);
    expect([cache.match([A], 3), cache.match([B], 3)]).toEqual([0, 2]);
  });

  it('moves what is used again to the end of the queue', () => {
    const cache = createKvCache(6);
    cache.release(compute(cache, [A]));
    cache.release(compute(cache, [B]));
    cache.release(compute(cache, [A]));
    cache.allocate([], 3);
    expect([cache.match([A], 3), cache.match([B], 3)]).toEqual([3, 0]);
  });

  it('uses blocks that are not full again before any other', () => {
    const cache = createKvCache(6);
    cache.release(compute(cache, [A], 2), 3);
    cache.release(compute(cache, [TAIL], 0));
    // The second request took one of the two part-full blocks; the other and the one never used go next, then A's end.
    cache.allocate([], 2);
    expect([cache.match([A], 3), cache.match([TAIL], 1)]).toEqual([3, 1]);
    cache.allocate([], 1);
    expect([cache.match([A], 3), cache.match([TAIL], 1)]).toEqual([2, 1]);
  });

  it('never evicts what a request holds, and shares it', () => {
    const cache = createKvCache(7);
    const first = compute(cache, [A], 1);
    const second = compute(cache, [A], 1);
    expect(second.slice(0, 3)).toEqual(first.slice(0, 3));
    expect(cache.freeBlocks()).toBe(2);
    expect(cache.usage()).toBeCloseTo(5 / 7, 12);
    cache.release(first);
    expect(cache.freeBlocks()).toBe(3);
    cache.allocate([], 3);
    expect(cache.match([A], 3)).toBe(3);
  });

  it('counts hits nobody holds as room that the same request takes', () => {
    const cache = createKvCache(5);
    cache.release(compute(cache, [A]));
    // 5 free blocks, but 3 of them are the hits themselves.
    expect(cache.fits([A, TAIL], 3, 2)).toBe(true);
    expect(cache.fits([A, TAIL], 3, 3)).toBe(false);
    const held = cache.hold([A], 3);
    expect(cache.fits([A, TAIL], 3, 2)).toBe(true);
    expect(cache.fits([A, TAIL], 3, 3)).toBe(false);
    cache.release(held);
  });

  it('keeps a second copy when two requests compute the same blocks, and stays resident until both are gone', () => {
    const cache = createKvCache(6);
    const first: Lease = [];
    const second: Lease = [];
    cache.allocate(first, 3);
    cache.allocate(second, 3);
    cache.publish([A], first, 0, 3);
    cache.publish([A], second, 0, 3);
    cache.release(first);
    cache.release(second);
    cache.allocate([], 3);
    expect(cache.match([A], 3)).toBe(3);
    cache.allocate([], 1);
    expect(cache.match([A], 3)).toBe(2);
  });

  it('reports what changed once, as leading blocks per segment', () => {
    const cache = createKvCache(4);
    const lease = compute(cache, [A, TAIL]);
    expect(cache.takeChanges()).toEqual([
      { key: 1, blocks: 3 },
      { key: 2, blocks: 1 },
    ]);
    expect(cache.takeChanges()).toEqual([]);
    cache.release(lease);
    cache.allocate([], 2);
    expect(cache.takeChanges()).toEqual([
      { key: 2, blocks: 0 },
      { key: 1, blocks: 2 },
    ]);
  });

  it('refuses a reset while a request holds a block, else forgets all', () => {
    const cache = createKvCache(4);
    const lease = compute(cache, [A]);
    expect(cache.reset()).toBe(false);
    cache.release(lease);
    cache.takeChanges();
    expect(cache.reset()).toBe(true);
    expect(cache.match([A], 3)).toBe(0);
    expect(cache.takeChanges()).toEqual([{ key: 1, blocks: 0 }]);
  });

  it('agrees with a plain block-by-block model over a long random run', () => {
    const capacity = 24;
    const cache = createKvCache(capacity);
    const naive = createNaiveCache(capacity);
    const rng = createRng('kv-cache');
    const running: { segments: Segment[]; lease: Lease; naive: string[] }[] = [];
    for (let step = 0; step < 4000; step++) {
      if (running.length > 0 && (rng.int(2) === 0 || cache.freeBlocks() < 9)) {
        const [ended] = running.splice(rng.int(running.length), 1);
        if (ended === undefined) continue;
        cache.release(ended.lease);
        naive.release(ended.naive);
        continue;
      }
      const segments = [
        { key: rng.int(5), blocks: 5 },
        { key: 100 + rng.int(8), blocks: 2 },
      ].map((segment, i, all) =>
        i === 0 ? segment : { ...segment, key: segment.key + 1000 * (all[0]?.key ?? 0) },
      );
      const names = segments.flatMap((segment) =>
        Array.from({ length: segment.blocks }, (_, index) => `${segment.key}/${index}`),
      );
      const hits = cache.match(segments, names.length);
      expect(hits).toBe(naive.match(names));
      const lease = cache.hold(segments, hits);
      cache.allocate(lease, names.length - hits + 1);
      cache.publish(segments, lease, hits, names.length);
      running.push({ segments, lease, naive: naive.compute(names, 1) });
      expect(cache.freeBlocks()).toBe(naive.free());
    }
  });
});

/** Blocks by name, one copy each: requests here never compute the same block side by side. */
function createNaiveCache(capacity: number): {
  match(names: readonly string[]): number;
  compute(names: readonly string[], extra: number): string[];
  release(names: readonly string[]): void;
  free(): number;
} {
  let made = 0;
  /** Idle blocks, next to be evicted first. */
  const idle: string[] = Array.from({ length: capacity }, () => `empty/${made++}`);
  const holders = new Map<string, number>();
  const has = (name: string): boolean => holders.has(name) || idle.includes(name);
  return {
    match(names) {
      const missing = names.findIndex((name) => !has(name));
      return missing === -1 ? names.length : missing;
    },
    compute(names, extra) {
      const all = [...names, ...Array.from({ length: extra }, () => `private/${made++}`)];
      const held = all.filter(has);
      for (const name of held) {
        if (idle.includes(name)) idle.splice(idle.indexOf(name), 1);
      }
      for (const name of all) {
        if (!held.includes(name)) idle.shift();
        holders.set(name, (holders.get(name) ?? 0) + 1);
      }
      return all;
    },
    release(names) {
      for (const name of [...names].reverse()) {
        const left = (holders.get(name) ?? 0) - 1;
        if (left > 0) holders.set(name, left);
        else {
          holders.delete(name);
          idle.push(name);
        }
      }
    },
    free: () => idle.length,
  };
}
