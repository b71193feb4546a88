import { withheldIn } from '../measure/finding-codes.js';
import { addLostTokens } from '../measure/lost-hits.js';
import { COMPARED_KEYS, measureOf } from '../measure/measures.js';
import type { WorkerLifetimes } from '../measure/worker-lifetimes.js';
import { summarizeWorkerLoad, type WorkerLoad } from '../measure/worker-load.js';
import { compareLoads } from '../workload/load.js';
import type { Cell } from '../workload/plan.js';
import { isWhole } from '../workload/plan-rows.js';
import { DRAWS, pairCell, SEED } from './cell-pair.js';
import { type ComparedTrial, type ComparedVariant, keptTrials } from './compared-variant.js';
import type {
  CandidateCell,
  CandidateSummary,
  CellComparison,
  Comparison,
  ComparisonMethod,
  MeasureChange,
  VariantCell,
  Verdict,
} from './comparison.js';
import { findComparisonFindings } from './comparison-findings.js';
import { explain } from './explain.js';
import { adjustPValues } from './interval.js';
import { CONFIDENCE, compareMeasure, type RawChange } from './measure-changes.js';

export interface CompareOptions {
  /** Prefixes (whole prompts) that the cache of one worker holds; null when not stated. */
  readonly workerCapacity: number | null;
}

const FALSE_DISCOVERY_RATE = 0.05;

/** Compares every side with the first one, the baseline. `sides` are two or more. */
export function compareVariants(sides: readonly ComparedVariant[], options: CompareOptions): Comparison {
  const [baseline, ...others] = sides;
  const cells = cellsOf(sides);
  const method: ComparisonMethod = {
    seed: SEED,
    draws: DRAWS,
    confidence: CONFIDENCE,
    falseDiscoveryRate: FALSE_DISCOVERY_RATE,
    measures: COMPARED_KEYS,
  };
  const candidates = baseline === undefined ? [] : others.map((side) => compareCells(baseline, side, cells));
  const compared: CellComparison[] = cells.map((cell, index) => ({
    cell,
    sides: sides.map((side) => cellSide(side, cell, sides, options)),
    candidates: candidates.map((own) => own[index] ?? null),
  }));
  return {
    sides: sides.map((side) => side.info),
    method,
    findings: findComparisonFindings(sides),
    cells: compared,
    candidates: candidates.map((_, c) => summarizeCandidate(sides, c, compared)),
  };
}

/** Every cell that a side planned or has, in table order. */
function cellsOf(sides: readonly ComparedVariant[]): Cell[] {
  const byId = new Map<string, Cell>();
  for (const side of sides) {
    for (const cell of [...side.planned, ...[...side.cells.values()].map((own) => own.cell)]) {
      if (!byId.has(cell.id)) byId.set(cell.id, cell);
    }
  }
  return [...byId.values()].sort((a, b) => a.prefixes - b.prefixes || compareLoads(a.load, b.load));
}

function cellSide(
  side: ComparedVariant,
  cell: Cell,
  sides: readonly ComparedVariant[],
  { workerCapacity }: CompareOptions,
): VariantCell | null {
  const own = side.cells.get(cell.id);
  if (own === undefined) return null;
  const kept = keptTrials(own);
  // A mode that hides its workers runs on the same cluster as one that does not.
  const workers = side.fleet.size > 0 ? side.fleet.size : Math.max(...sides.map((one) => one.fleet.size));
  return {
    values: own.summary.values,
    repeatsKept: own.summary.repeatsKept,
    withheld: withheldIn(own.summary.findings),
    lost: side.origin === null ? null : addLostTokens(kept.map((trial) => trial.lost)),
    capacityCeiling:
      // A capacity in prefixes says nothing of groups that share it.
      workerCapacity === null || workers === 0 || cell.group !== undefined
        ? null
        : Math.min(1, (workers * workerCapacity) / cell.prefixes),
    load: loadOf(kept, cell, side.fleet),
  };
}

function loadOf(kept: readonly ComparedTrial[], cell: Cell, fleet: WorkerLifetimes): WorkerLoad | null {
  const load = summarizeWorkerLoad(kept, cell.prefixes, fleet);
  // Prefix 3 of one group is not prefix 3 of another: of the whole there is no matrix.
  return load !== null && isWhole(cell) ? { ...load, trials: [] } : load;
}

/** The candidate in every cell, null where one of the two never measured it. */
function compareCells(
  baseline: ComparedVariant,
  candidate: ComparedVariant,
  cells: readonly Cell[],
): (CandidateCell | null)[] {
  const pairs = cells.map((cell) => pairCell(baseline.cells.get(cell.id), candidate.cells.get(cell.id)));
  const perMeasure = COMPARED_KEYS.map((measure, m) => compareMeasure(measure, m, pairs));
  const changes = withVerdicts(perMeasure.flat()).reduce<(MeasureChange | null)[][]>(
    (columns, change, index) => {
      columns[index % pairs.length]?.push(change);
      return columns;
    },
    pairs.map(() => []),
  );
  return pairs.map((pair, index) =>
    pair === null
      ? null
      : {
          repeats: pair.trials.map(([a]) => a.repeat),
          changes: (changes[index] ?? []).filter((change) => change !== null),
        },
  );
}

/** Looks at all comparisons of a candidate together. */
function withVerdicts(changes: readonly (RawChange | null)[]): (MeasureChange | null)[] {
  const judged = changes.flatMap((change) => (change === null || change.noVerdict !== null ? [] : [change]));
  const adjusted = new Map<RawChange, number>();
  adjustPValues(judged.map((change) => change.p ?? 1)).forEach((p, i) => {
    adjusted.set(judged[i] as RawChange, p);
  });
  return changes.map((change): MeasureChange | null => {
    if (change === null) return null;
    const adjustedP = adjusted.get(change) ?? null;
    return {
      ...change,
      adjustedP,
      verdict: adjustedP === null ? null : verdictOf(change, adjustedP),
    };
  });
}

function verdictOf(change: RawChange, adjustedP: number): Verdict {
  if (adjustedP > FALSE_DISCOVERY_RATE || change.change === null) return 'not distinguishable';
  const better = measureOf(change.measure).better;
  return change.change > 0 === (better === 'higher') ? 'better' : 'worse';
}

function summarizeCandidate(
  sides: readonly ComparedVariant[],
  candidate: number,
  cells: readonly CellComparison[],
): CandidateSummary {
  const own = cells.flatMap((cell) => cell.candidates[candidate] ?? []);
  const measures = COMPARED_KEYS.map((measure) => {
    const changes = own.flatMap((cell) => cell.changes.filter((change) => change.measure === measure));
    const count = (verdict: Verdict | null) => changes.filter((change) => change.verdict === verdict).length;
    return {
      measure,
      better: count('better'),
      worse: count('worse'),
      notDistinguishable: count('not distinguishable'),
      noVerdict: count(null),
    };
  });
  return {
    label: sides[candidate + 1]?.info.label ?? '',
    measures,
    comparisons: own.flatMap((cell) => cell.changes).filter((change) => change.verdict !== null).length,
    explanations: explain(sides, candidate, cells),
  };
}
