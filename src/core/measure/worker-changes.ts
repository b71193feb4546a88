import type { Evidence } from '../base/evidence.js';
import { trialEvidence } from './trial-evidence.js';

/** Which workers served one trial: for each, of how many prefixes. In the order in which trials ran. */
export interface TrialWorkers {
  readonly trial: string;
  readonly prefixesOf: ReadonlyMap<string, number>;
  /** Requests that were answered. */
  readonly requests: number;
}

/** A worker that luck alone keeps out of trials this rarely was not there. */
const LUCK = 1e-4;
/** A trial in which this share of all pairs of prefix and worker met is one whose router does not keep prefixes together. */
const SPREAD = 0.8;

/**
 * What shows that the workers of a run changed: some joined after its first trials, or left before its last; a restart is
 * both. Null where they did not, and where luck may have kept a worker out. A router that spreads requests draws a worker for
 * each of them; one that keeps prefixes together draws one for each prefix and worker that met. A trial that one worker
 * served alone says nothing of the others: a router may concentrate its load. `isRenewed` says that the target is started
 * anew between repeats on purpose: then a whole set that follows another is no change.
 */
export function findWorkerChange(trials: readonly TrialWorkers[], isRenewed: boolean): Evidence | null {
  const named = trials.filter(({ prefixesOf }) => prefixesOf.size > 0);
  const ids = [...new Set(named.flatMap(({ prefixesOf }) => [...prefixesOf.keys()]))];
  const seen = ids.map((id) => {
    const first = named.findIndex(({ prefixesOf }) => prefixesOf.has(id));
    const last = named.findLastIndex(({ prefixesOf }) => prefixesOf.has(id));
    const share = shareOf(id, named.slice(first, last + 1));
    return {
      joined: luckOfAbsence(share, named.slice(0, first)) < LUCK ? first : null,
      left: luckOfAbsence(share, named.slice(last + 1)) < LUCK ? last : null,
    };
  });
  const joined = seen.flatMap(({ joined }) => joined ?? []);
  const left = seen.flatMap(({ left }) => left ?? []);
  if (joined.length === 0 && left.length === 0) return null;
  if (isRenewed && seen.every(({ joined, left }) => joined !== null || left !== null)) return null;
  return trialEvidence('workers-changed', {
    joined: joined.length === 0 ? null : { count: joined.length, at: trialAt(named, Math.min(...joined)) },
    left: left.length === 0 ? null : { count: left.length, after: trialAt(named, Math.min(...left)) },
  });
}

function shareOf(id: string, trials: readonly TrialWorkers[]): number {
  const own = trials.reduce((sum, { prefixesOf }) => sum + (prefixesOf.get(id) ?? 0), 0);
  return own / trials.reduce((sum, trial) => sum + pairsIn(trial), 0);
}

/** How likely a worker with this share gets no request in these trials; 1 for no trials. */
function luckOfAbsence(share: number, trials: readonly TrialWorkers[]): number {
  return (1 - share) ** trials.reduce((sum, trial) => sum + drawsIn(trial), 0);
}

function drawsIn(trial: TrialWorkers): number {
  const workers = trial.prefixesOf.size;
  if (workers < 2) return 0;
  const pairs = pairsIn(trial);
  return pairs >= SPREAD * workers * Math.max(...trial.prefixesOf.values()) ? trial.requests : pairs;
}

/** Pairs of a prefix and a worker that served it. */
function pairsIn({ prefixesOf }: TrialWorkers): number {
  return [...prefixesOf.values()].reduce((sum, count) => sum + count, 0);
}

function trialAt(trials: readonly TrialWorkers[], index: number): string {
  return trials[index]?.trial ?? '';
}
