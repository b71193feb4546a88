import type { Rng } from '../../core/base/rng.js';
import type { SimParams } from '../params/sim-params.js';
import type { Segment } from '../worker/kv-cache.js';
import { createHolders } from './holders.js';
import type { OverlapIndex } from './overlap-index.js';
import type { Policy, PolicyContext, RoutedRequest } from './policy.js';

/** Weights of the cost, as in Dynamo's router configuration. */
export type KvWeights = Pick<
  SimParams,
  'overlapScoreCredit' | 'prefillLoadScale' | 'decodeActiveRequestWeight' | 'temperature'
>;

/** A worker's load if it got the request. */
export interface WorkerLoad {
  /** Uncached prompt tokens of the worker's requests that have no first token yet. */
  readonly activePrefillTokens: number;
  /** Distinct full prompt blocks the worker would hold with this request. */
  readonly decodeBlocks: number;
  readonly activeRequests: number;
  /** Leading blocks of the request that the worker has cached. */
  readonly overlapBlocks: number;
}

/**
 * Cost of a worker in blocks, lower is better: outstanding prefill, plus blocks it would hold, plus a charge per active
 * request. NVIDIA Dynamo, Routing Concepts (docs/components/router/router-concepts.md) and the default
 * selector (lib/kv-router/src/scheduling).
 */
export function kvCost(
  weights: KvWeights,
  promptTokens: number,
  blockSize: number,
  load: WorkerLoad,
): number {
  const prefillBlocks = Math.max(
    0,
    (load.activePrefillTokens + promptTokens) / blockSize - weights.overlapScoreCredit * load.overlapBlocks,
  );
  return (
    weights.prefillLoadScale * prefillBlocks +
    load.decodeBlocks +
    weights.decodeActiveRequestWeight * load.activeRequests
  );
}

/**
 * Dynamo's KV router over `index`. It keeps its own account of each worker's load: uncached prompt tokens until the first
 * token arrives, and distinct blocks until the request ends. `sent` is called with every choice.
 */
export function createKvPolicy(
  context: PolicyContext,
  rng: Rng,
  blockSize: number,
  weights: KvWeights,
  index: OverlapIndex,
  sent: (worker: number, segments: readonly Segment[]) => void = () => undefined,
): Policy {
  const { workers, inFlight } = context;
  const activePrefillTokens = new Float64Array(workers);
  const active = createActiveBlocks(workers);
  /** Prefill tokens booked for each request in flight. */
  const bookings = new Map<RoutedRequest, number>();
  const costs = new Float64Array(workers);
  const overlap = new Float64Array(workers);
  const activeOverlap = new Float64Array(workers);
  const touched: number[] = [];
  // One for all workers: an object for each would be most of what a choice among a thousand allocates.
  const load = { activePrefillTokens: 0, decodeBlocks: 0, activeRequests: 0, overlapBlocks: 0 };

  function lookUp(request: RoutedRequest): void {
    for (const worker of touched) {
      overlap[worker] = 0;
      activeOverlap[worker] = 0;
    }
    touched.length = 0;
    index.overlaps(request.segments, (worker, blocks) => {
      overlap[worker] = blocks;
      touched.push(worker);
    });
    active.visitOverlaps(request.segments, (worker, blocks) => {
      activeOverlap[worker] = (activeOverlap[worker] as number) + blocks;
      touched.push(worker);
    });
  }

  /** The prompt is computed, so it no longer counts as active prefill. */
  function payPrefill(request: RoutedRequest, worker: number): void {
    const booked = bookings.get(request);
    if (booked === undefined) return;
    activePrefillTokens[worker] = (activePrefillTokens[worker] as number) - booked;
    bookings.set(request, 0);
  }

  return {
    choose(request) {
      const requestBlocks = fullBlocks(request.segments);
      lookUp(request);
      for (let worker = 0; worker < workers; worker++) {
        load.activePrefillTokens = activePrefillTokens[worker] as number;
        load.decodeBlocks = active.blocksOf(worker) + requestBlocks - (activeOverlap[worker] as number);
        load.activeRequests = inFlight[worker] as number;
        load.overlapBlocks = overlap[worker] as number;
        costs[worker] = kvCost(weights, request.promptTokens, blockSize, load);
      }
      const worker = pickByCost(costs, weights.temperature, rng);
      const overlapBlocks = overlap[worker] as number;
      const prefillTokens = Math.max(0, request.promptTokens - overlapBlocks * blockSize);
      activePrefillTokens[worker] = (activePrefillTokens[worker] as number) + prefillTokens;
      bookings.set(request, prefillTokens);
      active.add(worker, request.segments);
      sent(worker, request.segments);
      return { worker, overlapBlocks };
    },
    firstToken: payPrefill,
    finished(request, worker) {
      if (!bookings.has(request)) return;
      payPrefill(request, worker);
      bookings.delete(request);
      active.remove(worker, request.segments);
    },
  };
}

/**
 * Index of the lowest cost, ties broken at random. With a temperature, a softmax over −cost / (range · temperature): only
 * relative differences count, not the size of the costs.
 */
export function pickByCost(costs: Float64Array, temperature: number, rng: Rng): number {
  let best = 0;
  let ties = 1;
  let highest = costs[0] as number;
  for (let i = 1; i < costs.length; i++) {
    const cost = costs[i] as number;
    const lowest = costs[best] as number;
    if (cost > highest) highest = cost;
    if (cost < lowest) {
      best = i;
      ties = 1;
    } else if (cost === lowest) {
      ties++;
      if (temperature === 0 && rng.int(ties) === 0) best = i;
    }
  }
  if (temperature === 0) return best;
  return sampleSoftmax(costs, costs[best] as number, highest, temperature, rng.next());
}

function sampleSoftmax(
  costs: Float64Array,
  lowest: number,
  highest: number,
  temperature: number,
  draw: number,
): number {
  const scale = highest === lowest ? 0 : 1 / ((highest - lowest) * temperature);
  const weights = costs.map((cost) => Math.exp((lowest - cost) * scale));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let left = draw * total;
  for (let i = 0; i < weights.length; i++) {
    left -= weights[i] as number;
    if (left < 0) return i;
  }
  return weights.length - 1;
}

function fullBlocks(segments: readonly Segment[]): number {
  let blocks = 0;
  for (const segment of segments) blocks += segment.blocks;
  return blocks;
}

/** Distinct blocks of active requests, per worker. Segments are shared whole or not at all, so counting them is exact. */
function createActiveBlocks(workers: number): {
  add(worker: number, segments: readonly Segment[]): void;
  remove(worker: number, segments: readonly Segment[]): void;
  blocksOf(worker: number): number;
  visitOverlaps(segments: readonly Segment[], visit: (worker: number, blocks: number) => void): void;
} {
  const blocks = new Float64Array(workers);
  const users = createHolders<number>();
  const usersOf = (segment: Segment, worker: number): number => users.of(segment.key)?.get(worker) ?? 0;
  return {
    add(worker, segments) {
      for (const segment of segments) {
        const count = usersOf(segment, worker);
        users.set(segment.key, worker, count + 1);
        if (count === 0) blocks[worker] = (blocks[worker] as number) + segment.blocks;
      }
    },
    remove(worker, segments) {
      for (const segment of segments) {
        const count = usersOf(segment, worker);
        if (count > 1) {
          users.set(segment.key, worker, count - 1);
          continue;
        }
        users.delete(segment.key, worker);
        blocks[worker] = (blocks[worker] as number) - segment.blocks;
      }
    },
    blocksOf: (worker) => blocks[worker] as number,
    visitOverlaps(segments, visit) {
      for (const segment of segments) {
        const byWorker = users.of(segment.key);
        if (byWorker === undefined) return;
        for (const worker of byWorker.keys()) visit(worker, segment.blocks);
      }
    },
  };
}
