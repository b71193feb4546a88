import { createRng } from '../base/rng.js';
import type { Cell } from '../workload/plan.js';
import { resampleVariances } from './bootstrap.js';
import { type ComparedCell, type ComparedTrial, keptTrials } from './compared-variant.js';
import type { NoVerdict } from './comparison.js';

/** Seed of the bootstrap. */
export const SEED = 'kvbench diff';
/** The draws only weigh the cells against each other: 100 give each weight to 8 % with three repeats. */
export const DRAWS = 100;

/** One cell of both runs. */
export interface CellPair {
  readonly cell: Cell;
  readonly baseline: ComparedCell;
  readonly candidate: ComparedCell;
  /** The repeats that both kept. */
  readonly trials: readonly (readonly [ComparedTrial, ComparedTrial])[];
  /** Why there are none to pair. */
  readonly unpaired: NoVerdict | null;
  /** For each trial pair: variance of every compared measure by the chance of requests. */
  readonly resampled: readonly Float64Array[];
}

/** Pairs a cell's repeats and resamples their requests; null where one side never measured it. */
export function pairCell(
  baseline: ComparedCell | undefined,
  candidate: ComparedCell | undefined,
): CellPair | null {
  if (baseline === undefined || candidate === undefined) return null;
  const { cell } = baseline;
  const shared = keptTrials(baseline).flatMap((a): [ComparedTrial, ComparedTrial][] => {
    const b = keptTrials(candidate).find((trial) => trial.repeat === a.repeat);
    return b === undefined ? [] : [[a, b]];
  });
  const unpaired = whyUnpaired(baseline, candidate, shared);
  return {
    cell,
    baseline,
    candidate,
    trials: shared,
    unpaired,
    resampled:
      unpaired !== null
        ? []
        : shared.map(([a, b]) =>
            resampleVariances(a.facts, b.facts, DRAWS, createRng(`${SEED}/${a.summary.id}`)),
          ),
  };
}

function whyUnpaired(
  baseline: ComparedCell,
  candidate: ComparedCell,
  shared: readonly (readonly [ComparedTrial, ComparedTrial])[],
): NoVerdict | null {
  if (baseline.trials.length === 0 || candidate.trials.length === 0) return 'no-requests';
  if (shared.length === 0) return 'no-common-repeat';
  return shared.every(([a, b]) => sameRequests(a, b)) ? null : 'not-paired';
}

/** Whether two trials planned the same prefixes in the same order. */
function sameRequests({ facts: a }: ComparedTrial, { facts: b }: ComparedTrial): boolean {
  return (
    a.planned.length === b.planned.length &&
    a.planned.every((record, i) => record.seq === b.planned[i]?.seq && record.prefix === b.planned[i]?.prefix)
  );
}
