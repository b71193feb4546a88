import type { ResidencyChange, Segment } from '../worker/kv-cache.js';
import { createHolders, type Holders } from './holders.js';

/** What a router believes each worker has cached. */
export interface OverlapIndex {
  /** Calls `visit` for each worker with at least one leading block of the chain, with their number. */
  overlaps(segments: readonly Segment[], visit: (worker: number, blocks: number) => void): void;
}

/** An index fed by the workers' KV events. */
export interface EventIndex extends OverlapIndex {
  apply(worker: number, changes: readonly ResidencyChange[]): void;
}

/** An empty event-fed index: it reflects exactly the last event of each worker. */
export function createEventIndex(): EventIndex {
  const holders = createHolders<number>();
  return {
    apply(worker, changes) {
      for (const { key, blocks } of changes) {
        if (blocks > 0) holders.set(key, worker, blocks);
        else holders.delete(key, worker);
      }
    },
    overlaps: (segments, visit) => walkChain(segments, holders, (blocks) => blocks, visit),
  };
}

/** An index of what the router sent; entries expire `ttlMs` after they were last sent. */
export interface SentIndex extends OverlapIndex {
  sent(worker: number, segments: readonly Segment[]): void;
}

interface SentEntry {
  readonly key: number;
  readonly worker: number;
  readonly atMs: number;
}

/**
 * An empty record of routing decisions, as in Dynamo's approximate mode: a prefix sent to a worker is assumed to stay
 * cached there for `ttlMs`, whatever the worker evicts in the meantime.
 */
export function createSentIndex(now: () => number, ttlMs: number): SentIndex {
  const holders = createHolders<{ atMs: number; readonly blocks: number }>();
  const queue: SentEntry[] = [];
  let head = 0;

  function expire(): void {
    const limit = now() - ttlMs;
    for (; head < queue.length; head++) {
      const entry = queue[head] as SentEntry;
      if (entry.atMs >= limit) break;
      // A later send of the same key has its own entry further on.
      if (holders.of(entry.key)?.get(entry.worker)?.atMs === entry.atMs)
        holders.delete(entry.key, entry.worker);
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
        const known = holders.of(key)?.get(worker);
        if (known === undefined) holders.set(key, worker, { atMs, blocks });
        else known.atMs = atMs;
        queue.push({ key, worker, atMs });
      }
    },
    overlaps(segments, visit) {
      expire();
      walkChain(segments, holders, ({ blocks }) => blocks, visit);
    },
  };
}

/** Leading blocks per worker: the next segment counts only when a worker has all of this one. */
function walkChain<T>(
  segments: readonly Segment[],
  holders: Holders<T>,
  blocksOf: (value: T) => number,
  visit: (worker: number, blocks: number) => void,
): void {
  const first = segments[0];
  if (first === undefined) return;
  for (const worker of holders.of(first.key)?.keys() ?? []) {
    let total = 0;
    for (const segment of segments) {
      const value = holders.of(segment.key)?.get(worker);
      const blocks = value === undefined ? 0 : blocksOf(value);
      total += blocks;
      if (blocks < segment.blocks) break;
    }
    if (total > 0) visit(worker, total);
  }
}
