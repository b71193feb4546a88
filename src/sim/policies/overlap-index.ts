import type { ResidencyChange, Segment } from '../worker/kv-cache.js';

/** A router's idea of which worker has which leading blocks. */
export interface OverlapIndex {
  /** Calls `visit` for each worker with at least one leading block of the chain, with their number. */
  overlaps(segments: readonly Segment[], visit: (worker: number, blocks: number) => void): void;
}

/** An index fed by the workers' KV events. */
export interface EventIndex extends OverlapIndex {
  apply(worker: number, changes: readonly ResidencyChange[]): void;
}

/** An empty event-fed index: it knows exactly what the last event said. */
export function createEventIndex(): EventIndex {
  const holders = new Map<number, Map<number, number>>();
  return {
    apply(worker, changes) {
      for (const { key, blocks } of changes) {
        const workers = holders.get(key);
        if (blocks > 0) {
          if (workers === undefined) holders.set(key, new Map([[worker, blocks]]));
          else workers.set(worker, blocks);
        } else if (workers !== undefined) {
          workers.delete(worker);
          if (workers.size === 0) holders.delete(key);
        }
      }
    },
    overlaps(segments, visit) {
      walkChain(
        segments,
        (key, worker) => holders.get(key)?.get(worker) ?? 0,
        firstHolders(segments, holders),
        visit,
      );
    },
  };
}

/** An index that records what the router sent, and forgets each entry `ttlMs` after it was last sent. */
export interface SentIndex extends OverlapIndex {
  sent(worker: number, segments: readonly Segment[]): void;
}

interface SentEntry {
  readonly key: number;
  readonly worker: number;
  readonly atMs: number;
}

/**
 * An empty record of routing decisions, after Dynamo's approximate mode: a prefix sent to a worker is taken to be there
 * for `ttlMs`, whatever the worker has evicted since.
 */
export function createSentIndex(now: () => number, ttlMs: number): SentIndex {
  const sentAt = new Map<number, Map<number, { atMs: number; readonly blocks: number }>>();
  const queue: SentEntry[] = [];
  let head = 0;

  function expire(): void {
    const limit = now() - ttlMs;
    for (; head < queue.length; head++) {
      const entry = queue[head] as SentEntry;
      if (entry.atMs >= limit) break;
      const workers = sentAt.get(entry.key);
      // A later send of the same key has its own entry further on.
      if (workers?.get(entry.worker)?.atMs !== entry.atMs) continue;
      workers.delete(entry.worker);
      if (workers.size === 0) sentAt.delete(entry.key);
    }
    if (head > 4096 && head * 2 > queue.length) {
      queue.splice(0, head);
      head = 0;
    }
  }

  return {
    sent(worker, segments) {
      expire();
      const atMs = now();
      for (const { key, blocks } of segments) {
        let workers = sentAt.get(key);
        if (workers === undefined) {
          workers = new Map();
          sentAt.set(key, workers);
        }
        const entry = workers.get(worker);
        if (entry === undefined) workers.set(worker, { atMs, blocks });
        else entry.atMs = atMs;
        queue.push({ key, worker, atMs });
      }
    },
    overlaps(segments, visit) {
      expire();
      const first = segments[0];
      const workers = first === undefined ? undefined : sentAt.get(first.key)?.keys();
      walkChain(
        segments,
        (key, worker) => sentAt.get(key)?.get(worker)?.blocks ?? 0,
        [...(workers ?? [])],
        visit,
      );
    },
  };
}

function firstHolders(
  segments: readonly Segment[],
  holders: ReadonlyMap<number, ReadonlyMap<number, number>>,
): Iterable<number> {
  const first = segments[0];
  return (first === undefined ? undefined : holders.get(first.key)?.keys()) ?? [];
}

/** Leading blocks per worker: a worker goes on to the next segment only with all of this one. */
function walkChain(
  segments: readonly Segment[],
  blocksOf: (key: number, worker: number) => number,
  workers: Iterable<number>,
  visit: (worker: number, blocks: number) => void,
): void {
  for (const worker of workers) {
    let total = 0;
    for (const segment of segments) {
      const blocks = blocksOf(segment.key, worker);
      total += blocks;
      if (blocks < segment.blocks) break;
    }
    if (total > 0) visit(worker, total);
  }
}
