import { createRng } from '../../core/base/rng.js';
import type { ModelClock } from '../clock/virtual-clock.js';
import type { PlacedWorker } from '../params/pool.js';
import type { DisaggregatedParams } from '../params/sim-params.js';
import { createOwnDevice } from '../worker/device.js';
import { createKvCache } from '../worker/kv-cache.js';
import { stepWorkMs } from '../worker/timing.js';
import { createWorker, type Worker } from '../worker/worker.js';
import { chooseDecode, type DecodeCandidate, type DecodeDecision } from './decode-choice.js';
import { labelsAt, localityOf, type PathSettings, pathBetween, transferMs } from './topology.js';

/** A choice with what came of it. */
export interface DecodeRecord extends DecodeDecision {
  readonly atMs: number;
  readonly prefillWorker: number;
  /** Time to move the KV, as it was, ms. */
  readonly transferMs: number;
}

export interface DecodePool {
  readonly workers: readonly Worker[];
  /**
   * Chooses a worker for a prompt computed at `prefillWorker` and books it; null when none is reachable. `started` and
   * `ended` keep the books.
   */
  choose(prefillWorker: number, promptTokens: number, outputTokens: number): BookedDecode | null;
}

export interface BookedDecode {
  readonly worker: number;
  readonly record: DecodeRecord;
  /** The request ended there, well or not. */
  ended(): void;
}

/**
 * The decode pool as its router knows it. The expected wait comes from the router's own books: each request it sent is
 * expected to hold a place in the batch for its output tokens at the pace of a full batch.
 */
export function createDecodePool(params: DisaggregatedParams, blocks: number, clock: ModelClock): DecodePool {
  const rng = createRng(`${params.seed}/sim/decode`);
  const places = params.decodeMaxNumSeqs;
  const paceMs = stepWorkMs(params, 0, places, 0.5);
  const settings = { ...params, maxNumSeqs: places };
  const workers = params.decode.map(() =>
    createWorker(clock, createOwnDevice(clock, 1), createKvCache(blocks), settings, () => undefined),
  );
  /** Expected ends of the requests in flight at each worker, ms, ascending. */
  const ends: number[][] = params.decode.map(() => []);

  function expectedWaitMs(worker: number): number {
    const own = ends[worker] as number[];
    if (own.length < places) return 0;
    return Math.max(0, (own[own.length - places] as number) - clock.now());
  }

  function describe(from: PlacedWorker, to: PlacedWorker, worker: number, tokens: number): DecodeCandidate {
    const now = clock.now();
    const locality = localityOf(labelsAt(from, now), labelsAt(to, now));
    const path = pathBetween(from, to);
    return {
      worker,
      reachable: path !== null,
      locality,
      inFlight: to.reportsLoad ? (ends[worker] as number[]).length : null,
      waitMs: to.reportsLoad ? expectedWaitMs(worker) : null,
      transferMs: path === null || locality === 'unknown' ? null : transferMs(params, path, locality, tokens),
    };
  }

  return {
    workers,
    choose(prefillWorker, promptTokens, outputTokens) {
      const from = params.prefill[prefillWorker] as PlacedWorker;
      const candidates = params.decode.map((to, worker) => describe(from, to, worker, promptTokens));
      const decision = chooseDecode(candidates, params, rng);
      if (decision.chosen === null) return null;
      const { worker } = decision.chosen;
      const moveMs = trueTransferMs(params, from, params.decode[worker] as PlacedWorker, promptTokens);
      const startMs = clock.now() + Math.max(moveMs, expectedWaitMs(worker));
      const endMs = startMs + paceMs * outputTokens;
      const own = ends[worker] as number[];
      own.splice(lowerBound(own, endMs), 0, endMs);
      return {
        worker,
        record: { ...decision, atMs: clock.now(), prefillWorker, transferMs: moveMs },
        ended() {
          own.splice(lowerBound(own, endMs), 1);
        },
      };
    },
  };
}

/** Time the move takes, whatever the router knows of it. Without labels, workers count as far from each other. */
function trueTransferMs(
  settings: PathSettings,
  from: PlacedWorker,
  to: PlacedWorker,
  tokens: number,
): number {
  const locality = localityOf(from.place, to.place);
  return transferMs(
    settings,
    pathBetween(from, to) ?? 'tcp',
    locality === 'unknown' ? 'far' : locality,
    tokens,
  );
}

/** First index whose value is not below `value`. */
function lowerBound(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
