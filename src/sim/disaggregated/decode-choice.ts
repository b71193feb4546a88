import type { Rng } from '../../core/base/rng.js';
import { LEVELS } from '../params/pool.js';
import type { SimParams } from '../params/sim-params.js';
import type { Locality } from './topology.js';

/** One decode worker as the router sees it at the moment of choice. Null means "not known": neither 0 nor unlimited. */
export interface DecodeCandidate {
  readonly worker: number;
  /** Whether KV can get there from the prefill worker. */
  readonly reachable: boolean;
  readonly locality: Locality;
  readonly inFlight: number | null;
  /** Q: expected wait for a place in the batch, ms. */
  readonly waitMs: number | null;
  /** X: expected time to move the KV there, ms. */
  readonly transferMs: number | null;
}

export type DecodeSettings = Pick<
  SimParams,
  'decodePolicy' | 'minAffinity' | 'localityWeight' | 'loadWeight'
>;

/** A choice, and what it was made from. */
export interface DecodeDecision {
  /** Every candidate, unreachable ones too. */
  readonly before: readonly DecodeCandidate[];
  /** Those left after reachability and the filter, whose costs were compared. */
  readonly after: readonly DecodeCandidate[];
  /** Null when none is reachable. */
  readonly chosen: DecodeCandidate | null;
  /** Whether a filter kept all because none matched. */
  readonly failedOpen: boolean;
}

/** Locality scores of the scorer; every other locality, and an unknown one, scores 0. */
const LOCALITY_SCORES: Readonly<Partial<Record<Locality, number>>> = {
  host: 1.0,
  rack: 0.2,
  zone: 0.05,
  region: 0.02,
};

/**
 * Chooses a decode worker. Unreachable candidates are left out before any cost is compared, whatever the policy; ties
 * are broken at random.
 *
 * - `topology-filter` keeps those at least as near as `minAffinity`, all when none is; then the fewest in flight.
 * - `topology-scorer`: highest localityWeight · locality + loadWeight · load score.
 * - `filter+scorer`: the scorer over what the filter keeps.
 * - `least-latency`: lowest Q + X; candidates with an unknown part only when no candidate has both known.
 */
export function chooseDecode(
  candidates: readonly DecodeCandidate[],
  settings: DecodeSettings,
  rng: Rng,
): DecodeDecision {
  const reachable = candidates.filter((candidate) => candidate.reachable);
  const filters = settings.decodePolicy === 'topology-filter' || settings.decodePolicy === 'filter+scorer';
  const near = filters
    ? reachable.filter(({ locality }) => isNear(locality, settings.minAffinity))
    : reachable;
  const failedOpen = near.length === 0 && reachable.length > 0;
  const after = failedOpen ? reachable : near;
  return { before: candidates, after, chosen: pick(after, settings, rng), failedOpen };
}

/** Whether a locality is at least as close as `level`. An unknown one never is. */
export function isNear(locality: Locality, level: (typeof LEVELS)[number]): boolean {
  const levels: readonly Locality[] = LEVELS;
  const index = levels.indexOf(locality);
  return index !== -1 && index <= LEVELS.indexOf(level);
}

function pick(
  candidates: readonly DecodeCandidate[],
  settings: DecodeSettings,
  rng: Rng,
): DecodeCandidate | null {
  switch (settings.decodePolicy) {
    case 'random':
      return lowest(candidates, () => 0, rng);
    case 'topology-filter':
    case 'least-loaded':
      return lowest(candidates, ({ inFlight }) => inFlight, rng);
    case 'least-latency':
      return lowest(candidates, expectedLatencyMs, rng);
    case 'topology-scorer':
    case 'filter+scorer': {
      const scoreOf = createScorer(candidates, settings);
      return lowest(candidates, (candidate) => -scoreOf(candidate), rng);
    }
  }
}

/** Q + X; null when either is unknown. */
export function expectedLatencyMs(candidate: DecodeCandidate): number | null {
  const { waitMs, transferMs } = candidate;
  return waitMs === null || transferMs === null ? null : waitMs + transferMs;
}

/**
 * Load scores run from 1 for the least loaded candidate to 0 for the most loaded, 1 for all when they are equal. An
 * unknown load scores the mean of the known: it counts neither for nor against.
 */
export function createScorer(
  candidates: readonly DecodeCandidate[],
  weights: Pick<DecodeSettings, 'localityWeight' | 'loadWeight'>,
): (candidate: DecodeCandidate) => number {
  const loads = candidates.flatMap(({ inFlight }) => (inFlight === null ? [] : [inFlight]));
  const least = Math.min(...loads);
  const most = Math.max(...loads);
  const scoreOf = (load: number): number => (most === least ? 1 : (most - load) / (most - least));
  const neutral = loads.length === 0 ? 0 : loads.reduce((sum, load) => sum + scoreOf(load), 0) / loads.length;
  return ({ locality, inFlight }) =>
    weights.localityWeight * (LOCALITY_SCORES[locality] ?? 0) +
    weights.loadWeight * (inFlight === null ? neutral : scoreOf(inFlight));
}

/** The candidate of the lowest known cost, any of them when no cost is known; null when there is none. */
function lowest(
  candidates: readonly DecodeCandidate[],
  costOf: (candidate: DecodeCandidate) => number | null,
  rng: Rng,
): DecodeCandidate | null {
  const costs = candidates.map(costOf);
  const known = costs.filter((cost) => cost !== null);
  const best = known.length === 0 ? null : Math.min(...known);
  const tied = candidates.filter((_, i) => costs[i] === best);
  return tied.length === 0 ? null : (tied[tied.length === 1 ? 0 : rng.int(tied.length)] ?? null);
}
