import { createBlockQueue } from './block-queue.js';

/**
 * A run of full cache blocks, each identified by (key, index): a group's prefix, or a tail. Equal keys mean equal tokens
 * after equal tokens, so a prompt is a list of segments, and a block stands for everything before it too.
 */
export interface Segment {
  readonly key: number;
  /** Full blocks. */
  readonly blocks: number;
}

/** A change in a cache: `key` now has this many leading blocks resident. */
export interface ResidencyChange {
  readonly key: number;
  readonly blocks: number;
}

/** The blocks one request holds, in the order of its tokens. */
export type Lease = number[];

/** A worker's block-granular prefix cache. */
export interface KvCache {
  readonly capacityBlocks: number;
  /** Leading blocks of `segments` that are resident, at most `limit`. */
  match(segments: readonly Segment[], limit: number): number;
  /** Holds the `count` leading blocks, which must be resident. */
  hold(segments: readonly Segment[], count: number): Lease;
  /** Whether `hold(segments, hits)` and then `allocate(fresh)` would succeed. */
  fits(segments: readonly Segment[], hits: number, fresh: number): boolean;
  /** Appends `count` fresh blocks to the lease, evicting the least recently used free ones. Check `freeBlocks` first. */
  allocate(lease: Lease, count: number): void;
  /** Makes the lease's blocks `from` to `to` (exclusive) visible as those blocks of `segments`. */
  publish(segments: readonly Segment[], lease: Lease, from: number, to: number): void;
  /**
   * Releases every block of the lease, the last one first, so that it is evicted first. Blocks from `filled` on are not
   * full and can never be hit, so they are reused before any other.
   */
  release(lease: Lease, filled?: number): void;
  /** Blocks that no request holds: empty or evictable. */
  freeBlocks(): number;
  /** Share of blocks held by running requests, 0-1. */
  usage(): number;
  /** Residency changes since the last call, in order of first change. */
  takeChanges(): readonly ResidencyChange[];
  /** Empties the cache. Returns false and does nothing while a request holds a block. */
  reset(): boolean;
}

/** The resident blocks of one segment. They are always a leading run, see {@link createKvCache}. */
interface Resident {
  readonly key: number;
  /** The first copy of each block; NONE when it is not resident. */
  readonly firstCopy: number[];
  blocks: number;
  changed: boolean;
}

const NONE = -1;
const NO_CHANGES: readonly ResidencyChange[] = [];

/**
 * An empty cache of `capacityBlocks`, modelled on vLLM V1's block pool (vllm/v1/core/block_pool.py). Free blocks wait in
 * one queue and are evicted from its front. A finished request's blocks go to the back, last block first; blocks that are
 * not full go to the front (since 0.24). Two requests that compute the same content side by side leave two copies of it.
 *
 * The resident blocks of a chain are always a leading run: whoever releases block j then releases its copies of the
 * blocks before it, so those are evicted later.
 */
export function createKvCache(capacityBlocks: number): KvCache {
  const holders = new Int32Array(capacityBlocks);
  const queue = createBlockQueue(capacityBlocks);
  const resident = createResidency(capacityBlocks);

  return {
    capacityBlocks,
    match: resident.match,
    hold(segments, count) {
      const lease: Lease = new Array<number>(count);
      let at = 0;
      resident.visit(segments, count, (block) => {
        if (holders[block] === 0) queue.remove(block);
        holders[block] = (holders[block] as number) + 1;
        lease[at++] = block;
      });
      return lease;
    },
    fits(segments, hits, fresh) {
      if (hits + fresh <= queue.size()) return true;
      let idleHits = 0;
      resident.visit(segments, hits, (block) => {
        if (holders[block] === 0) idleHits++;
      });
      return idleHits + fresh <= queue.size();
    },
    allocate(lease, count) {
      let at = lease.length;
      // Grown once: by pushing, a lease of some hundred blocks would leave four times its size to the garbage collector.
      if (count > 1) lease.length += count;
      for (const end = at + count; at < end; at++) {
        const block = queue.shift();
        resident.evict(block);
        holders[block] = 1;
        lease[at] = block;
      }
    },
    publish: resident.publish,
    release(lease, filled = lease.length) {
      for (let i = lease.length - 1; i >= 0; i--) {
        const block = lease[i] as number;
        const left = (holders[block] as number) - 1;
        holders[block] = left;
        if (left > 0) continue;
        if (i < filled) queue.push(block);
        else queue.unshift(block);
      }
      lease.length = 0;
    },
    freeBlocks: () => queue.size(),
    usage: () => 1 - queue.size() / capacityBlocks,
    takeChanges: resident.takeChanges,
    reset() {
      if (queue.size() < capacityBlocks) return false;
      for (let block = 0; block < capacityBlocks; block++) resident.evict(block);
      return true;
    },
  };
}

/** What is resident of each segment, in how many copies, and what changed of it. */
interface Residency extends Pick<KvCache, 'match' | 'publish' | 'takeChanges'> {
  /** Calls `visit` with the first copy of each of the `count` leading blocks, which must be resident. */
  visit(segments: readonly Segment[], count: number, visit: (block: number) => void): void;
  /** Forgets the content of a block; nothing when it has none. */
  evict(block: number): void;
}

function createResidency(capacityBlocks: number): Residency {
  const owner: (Resident | null)[] = new Array<Resident | null>(capacityBlocks).fill(null);
  const indexOf = new Int32Array(capacityBlocks);
  const nextCopy = new Int32Array(capacityBlocks).fill(NONE);
  const bySegment = new Map<number, Resident>();
  let changed: Resident[] = [];

  function noteChange(entry: Resident): void {
    if (entry.changed) return;
    entry.changed = true;
    changed.push(entry);
  }

  function evict(block: number): void {
    const entry = owner[block] ?? null;
    if (entry === null) return;
    owner[block] = null;
    const index = indexOf[block] as number;
    const first = entry.firstCopy[index] as number;
    const after = nextCopy[block] as number;
    nextCopy[block] = NONE;
    if (first !== block) {
      nextCopy[copyBefore(nextCopy, first, block)] = after;
      return;
    }
    entry.firstCopy[index] = after;
    if (after !== NONE) return;
    entry.blocks--;
    if (entry.blocks === 0) bySegment.delete(entry.key);
    noteChange(entry);
  }

  function publishBlock(entry: Resident, index: number, block: number): void {
    owner[block] = entry;
    indexOf[block] = index;
    const first = entry.firstCopy[index] as number;
    if (first === NONE) {
      entry.firstCopy[index] = block;
      entry.blocks++;
      noteChange(entry);
      return;
    }
    nextCopy[copyBefore(nextCopy, first, NONE)] = block;
  }

  return {
    match: (segments, limit) => matchResident(bySegment, segments, limit),
    visit: (segments, count, visit) => visitResident(bySegment, segments, count, visit),
    evict,
    publish(segments, lease, from, to) {
      let base = 0;
      for (const segment of segments) {
        const end = base + segment.blocks;
        const last = Math.min(to, end);
        let at = Math.max(from, base);
        if (at < last) {
          const entry = entryOf(bySegment, segment);
          for (; at < last; at++) publishBlock(entry, at - base, lease[at] as number);
        }
        base = end;
        if (base >= to) return;
      }
    },
    takeChanges() {
      if (changed.length === 0) return NO_CHANGES;
      const taken = changed.map((entry) => ({ key: entry.key, blocks: entry.blocks }));
      for (const entry of changed) entry.changed = false;
      changed = [];
      return taken;
    },
  };
}

/** The copy, from `first` on, that `next` follows. */
function copyBefore(nextCopy: Int32Array, first: number, next: number): number {
  let at = first;
  while (nextCopy[at] !== next) at = nextCopy[at] as number;
  return at;
}

function entryOf(bySegment: Map<number, Resident>, segment: Segment): Resident {
  const known = bySegment.get(segment.key);
  if (known !== undefined) return known;
  const firstCopy = new Array<number>(segment.blocks).fill(NONE);
  const entry = { key: segment.key, firstCopy, blocks: 0, changed: false };
  bySegment.set(segment.key, entry);
  return entry;
}

function matchResident(
  bySegment: ReadonlyMap<number, Resident>,
  segments: readonly Segment[],
  limit: number,
): number {
  let hits = 0;
  for (const segment of segments) {
    const blocks = bySegment.get(segment.key)?.blocks ?? 0;
    hits += blocks;
    if (hits >= limit) return limit;
    if (blocks < segment.blocks) break;
  }
  return hits;
}

function visitResident(
  bySegment: ReadonlyMap<number, Resident>,
  segments: readonly Segment[],
  count: number,
  visit: (block: number) => void,
): void {
  let left = count;
  for (const segment of segments) {
    const entry = bySegment.get(segment.key);
    const blocks = Math.min(left, segment.blocks);
    for (let i = 0; i < blocks; i++) visit(entry?.firstCopy[i] ?? NONE);
    left -= blocks;
    if (left === 0) return;
  }
}
