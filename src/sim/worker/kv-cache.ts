/**
 * A run of full cache blocks whose identity is (key, index): the prefix of a group, or a tail. Equal keys mean equal
 * tokens and an equal past, so a prompt is its list of segments, and each block stands for all that comes before it.
 */
export interface Segment {
  readonly key: number;
  /** Full blocks. */
  readonly blocks: number;
}

/** What changed in a cache: `key` now has this many leading blocks resident. */
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
  /** Takes hold of the `count` leading blocks, which must be resident. */
  hold(segments: readonly Segment[], count: number): Lease;
  /** Whether `hold(segments, hits)` and then `allocate(fresh)` would succeed. */
  fits(segments: readonly Segment[], hits: number, fresh: number): boolean;
  /** Appends `count` fresh blocks to the lease, evicting the least recently used of those nobody holds. The caller checks `freeBlocks` first. */
  allocate(lease: Lease, count: number): void;
  /** Makes the lease's blocks `from` to `to` (exclusive) visible as those blocks of `segments`. */
  publish(segments: readonly Segment[], lease: Lease, from: number, to: number): void;
  /**
   * Lets go of every block of the lease, its last block first: that is the one evicted first. Blocks from `filled` on are
   * not full, so they can never be hit: they are used again before any other.
   */
  release(lease: Lease, filled?: number): void;
  /** Blocks nobody holds: empty or evictable. */
  freeBlocks(): number;
  /** Share of blocks held by running requests, 0-1. */
  usage(): number;
  /** Residency changes since the last call, in order of first change. */
  takeChanges(): readonly ResidencyChange[];
  /** Forgets every block. False, and nothing done, while a request holds one. */
  reset(): boolean;
}

/** The resident blocks of one segment. They are always a leading run, see {@link createKvCache}. */
interface Resident {
  readonly key: number;
  /** First copy of each block, NONE when not resident. */
  readonly firstCopy: number[];
  blocks: number;
  changed: boolean;
}

const NONE = -1;
const NO_CHANGES: readonly ResidencyChange[] = [];

/**
 * An empty cache of `capacityBlocks`, after vLLM V1's block pool (vllm/v1/core/block_pool.py): one queue of the blocks
 * nobody holds, evicted from its front; a freed request's blocks join at its end, last block first, but those that are not
 * full at its front (since 0.24); the same content may
 * be resident in several copies when two requests computed it side by side.
 *
 * What is resident of a chain of blocks is always a leading run of it: whoever lets go of block j lets go of its own
 * copy of every block before it right after, so those copies are evicted later.
 */
export function createKvCache(capacityBlocks: number): KvCache {
  const holders = new Int32Array(capacityBlocks);
  const owner: (Resident | null)[] = new Array<Resident | null>(capacityBlocks).fill(null);
  const indexOf = new Int32Array(capacityBlocks);
  const nextCopy = new Int32Array(capacityBlocks).fill(NONE);
  const queue = createBlockQueue(capacityBlocks);
  const resident = new Map<number, Resident>();
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
      let at = first;
      while (nextCopy[at] !== block) at = nextCopy[at] as number;
      nextCopy[at] = after;
      return;
    }
    entry.firstCopy[index] = after;
    if (after !== NONE) return;
    entry.blocks--;
    if (entry.blocks === 0) resident.delete(entry.key);
    noteChange(entry);
  }

  function publishBlock(segment: Segment, index: number, block: number): void {
    let entry = resident.get(segment.key);
    if (entry === undefined) {
      entry = {
        key: segment.key,
        firstCopy: new Array<number>(segment.blocks).fill(NONE),
        blocks: 0,
        changed: false,
      };
      resident.set(segment.key, entry);
    }
    owner[block] = entry;
    indexOf[block] = index;
    const first = entry.firstCopy[index] as number;
    if (first === NONE) {
      entry.firstCopy[index] = block;
      entry.blocks++;
      noteChange(entry);
      return;
    }
    let last = first;
    while (nextCopy[last] !== NONE) last = nextCopy[last] as number;
    nextCopy[last] = block;
  }

  function match(segments: readonly Segment[], limit: number): number {
    let hits = 0;
    for (const segment of segments) {
      const blocks = resident.get(segment.key)?.blocks ?? 0;
      hits += blocks;
      if (hits >= limit) return limit;
      if (blocks < segment.blocks) break;
    }
    return hits;
  }

  /** Calls `visit` with the first copy of each of the `count` leading blocks. */
  function visitResident(segments: readonly Segment[], count: number, visit: (block: number) => void): void {
    let left = count;
    for (const segment of segments) {
      const entry = resident.get(segment.key);
      const blocks = Math.min(left, segment.blocks);
      for (let i = 0; i < blocks; i++) visit(entry?.firstCopy[i] ?? NONE);
      left -= blocks;
      if (left === 0) return;
    }
  }

  return {
    capacityBlocks,
    match,
    hold(segments, count) {
      const lease: Lease = new Array<number>(count);
      let at = 0;
      visitResident(segments, count, (block) => {
        if (holders[block] === 0) queue.remove(block);
        holders[block] = (holders[block] as number) + 1;
        lease[at++] = block;
      });
      return lease;
    },
    fits(segments, hits, fresh) {
      if (hits + fresh <= queue.size()) return true;
      let idleHits = 0;
      visitResident(segments, hits, (block) => {
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
        evict(block);
        holders[block] = 1;
        lease[at] = block;
      }
    },
    publish(segments, lease, from, to) {
      let base = 0;
      for (const segment of segments) {
        const end = base + segment.blocks;
        for (let i = Math.max(from, base); i < Math.min(to, end); i++) {
          publishBlock(segment, i - base, lease[i] as number);
        }
        base = end;
        if (base >= to) return;
      }
    },
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
    takeChanges() {
      if (changed.length === 0) return NO_CHANGES;
      const taken = changed.map((entry) => ({ key: entry.key, blocks: entry.blocks }));
      for (const entry of changed) entry.changed = false;
      changed = [];
      return taken;
    },
    reset() {
      if (queue.size() < capacityBlocks) return false;
      for (let block = 0; block < capacityBlocks; block++) evict(block);
      return true;
    },
  };
}

/** The blocks nobody holds, a doubly linked list in two arrays, so that taking one from the middle costs nothing. */
function createBlockQueue(capacity: number): {
  push(block: number): void;
  unshift(block: number): void;
  shift(): number;
  remove(block: number): void;
  size(): number;
} {
  const before = new Int32Array(capacity + 1);
  const after = new Int32Array(capacity + 1);
  const end = capacity;
  before[end] = end;
  after[end] = end;
  let size = 0;

  function insert(block: number, left: number, right: number): void {
    after[left] = block;
    before[block] = left;
    after[block] = right;
    before[right] = block;
    size++;
  }

  function push(block: number): void {
    insert(block, before[end] as number, end);
  }

  function remove(block: number): void {
    const left = before[block] as number;
    const right = after[block] as number;
    after[left] = right;
    before[right] = left;
    size--;
  }

  for (let block = 0; block < capacity; block++) push(block);
  return {
    push,
    remove,
    unshift(block) {
      insert(block, end, after[end] as number);
    },
    shift() {
      const first = after[end] as number;
      remove(first);
      return first;
    },
    size: () => size,
  };
}
