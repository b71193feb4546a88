import type { Evidence } from '../base/evidence.js';
import { trialEvidence } from './trial-evidence.js';

/** Which workers served one trial: for each, of how many prefixes. In the order in which trials ran. */
export interface TrialWorkers {
  readonly trial: string;
  readonly prefixesOf: ReadonlyMap<string, number>;
}

/** A worker that luck alone keeps out of trials this rarely was not there. */
const LUCK = 0.001;

/**
 * What shows that the workers of a run changed: some joined after its first trials, or left before its last; a restart is
 * both. Null where they did not, and where luck may have kept a worker out: a router that keeps prefixes together draws a
 * worker once for each prefix, so each pair of prefix and worker counts as one draw. `isRenewed` says that the target is
 * started anew between repeats on purpose: then a whole set that follows another is no change.
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
  return own / drawsIn(trials);
}

/** How likely a worker with this share of the draws gets none in these trials; 1 for no trials. */
function luckOfAbsence(share: number, trials: readonly TrialWorkers[]): number {
  return (1 - share) ** drawsIn(trials);
}

function drawsIn(trials: readonly TrialWorkers[]): number {
  return trials.reduce(
    (sum, { prefixesOf }) => sum + [...prefixesOf.values()].reduce((own, count) => own + count, 0),
    0,
  );
}

function trialAt(trials: readonly TrialWorkers[], index: number): string {
  return trials[index]?.trial ?? '';
}
