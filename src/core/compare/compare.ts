import { createRng } from '../base/rng.js';
import { median, supportsPercentile } from '../base/statistics.js';
import { clientErrorOf, type ValueError } from '../measure/client-error.js';
import { withheldBy, withheldIn } from '../measure/finding-codes.js';
import { addLostTokens } from '../measure/lost-hits.js';
import { COMPARED_KEYS, type ComparedKey, measureOf, rounded } from '../measure/measures.js';
import { sumTrial } from '../measure/trial-sums.js';
import type { WorkerLifetimes } from '../measure/worker-lifetimes.js';
import { summarizeWorkerLoad, type WorkerLoad } from '../measure/worker-load.js';
import { compareLoads } from '../workload/load.js';
import type { Cell } from '../workload/plan.js';
import { isWhole } from '../workload/plan-rows.js';
import { resampleVariances } from './bootstrap.js';
import {
  type ComparedCell,
  type ComparedTrial,
  type ComparedVariant,
  keptTrials,
} from './compared-variant.js';
import type {
  CandidateCell,
  CandidateSummary,
  CellComparison,
  Comparison,
  ComparisonMethod,
  MeasureChange,
  NoVerdict,
  VariantCell,
  Verdict,
} from './comparison.js';
import { findComparisonFindings } from './comparison-findings.js';
import { explain } from './explain.js';
import {
  adjustPValues,
  type ClientShift,
  clientShift,
  type Estimate,
  estimateChanges,
  marginOf,
  type PairedRepeats,
  pValueOf,
  withoutShift,
} from './interval.js';

export interface CompareOptions {
  /** Prefixes (whole prompts) that the cache of one worker holds; null when not stated. */
  readonly workerCapacity: number | null;
}

/** Of the bootstrap. The draws only weigh the cells against each other: 100 give each weight to 8 % with three repeats. */
const SEED = 'kvbench diff';
const DRAWS = 100;
const CONFIDENCE = 0.95;
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

/** One cell of both runs. */
interface CellPair {
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

function pairCell(baseline: ComparedCell | undefined, candidate: ComparedCell | undefined): CellPair | null {
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

/** A change before its p-value is looked at together with the others. */
type RawChange = Omit<MeasureChange, 'adjustedP' | 'verdict'>;

function compareMeasure(
  measure: ComparedKey,
  m: number,
  pairs: readonly (CellPair | null)[],
): (RawChange | null)[] {
  const scale = measureOf(measure).scale;
  const values = pairs.map((pair) => (pair === null ? null : pairedValues(measure, m, pair)));
  const usable = values.filter((value) => value !== null && value.noVerdict === null) as PairedValues[];
  const estimates = new Map<PairedValues, Estimate>();
  estimateChanges(usable, scale).forEach((estimate, i) => {
    estimates.set(usable[i] as PairedValues, estimate);
  });
  return values.map((value): RawChange | null => {
    if (value === null) return null;
    const estimate = estimates.get(value);
    const error = estimate?.error ?? null;
    const toUnit = (change: number) => round(scale === 'points' ? 100 * change : 100 * Math.expm1(change));
    const change = estimate?.change ?? 0;
    const { shift } = value;
    const margin = error === null || shift === null ? null : marginOf(error, CONFIDENCE);
    const below = (width: number) => toUnit(change) - toUnit(change - width);
    const above = (width: number) => toUnit(change + width) - toUnit(change);
    return {
      measure,
      baseline: value.shown.baseline,
      candidate: value.shown.candidate,
      unit: scale === 'points' ? 'pp' : '%',
      change: plainChange(scale, value.shown),
      interval:
        margin === null || shift === null
          ? null
          : { low: toUnit(change - margin - shift.below), high: toUnit(change + margin + shift.above) },
      clientMargin:
        margin === null || shift === null
          ? null
          : { below: round(below(shift.below)), above: round(above(shift.above)) },
      p: error === null || shift === null ? null : pValueOf(withoutShift(change, shift), error),
      noVerdict: value.noVerdict ?? (error === null ? 'one-repeat' : null),
    };
  });
}

interface PairedValues extends PairedRepeats {
  /** What late clients may have done to the change; null without a verdict. */
  readonly shift: ClientShift | null;
  readonly shown: { readonly baseline: number | null; readonly candidate: number | null };
  readonly noVerdict: NoVerdict | null;
}

/** The values of one measure in the repeats that both kept; those of the tables where no requests can be paired. */
function pairedValues(measure: ComparedKey, m: number, pair: CellPair): PairedValues {
  const both = pair.trials.flatMap(([a, b], index) => {
    const baseline = a.summary.values[measure];
    const candidate = b.summary.values[measure];
    const resampled = pair.resampled[index]?.[m] ?? Number.NaN;
    if (baseline === null || candidate === null) return [];
    const errors = { baseline: errorOf(a, measure, baseline), candidate: errorOf(b, measure, candidate) };
    return [{ baseline, candidate, resampled, errors }];
  });
  const paired = {
    baseline: both.map((values) => values.baseline),
    candidate: both.map((values) => values.candidate),
    resampled: both.map((values) => values.resampled),
    requests: pair.trials[0]?.[0].facts.planned.length ?? 0,
  };
  const shown =
    both.length > 0
      ? { baseline: rounded(median(paired.baseline)), candidate: rounded(median(paired.candidate)) }
      : {
          baseline: pair.baseline.summary.values[measure],
          candidate: pair.candidate.summary.values[measure],
        };
  const noVerdict = whyNoVerdict(measure, pair, both.length, shown);
  if (noVerdict !== null) return { ...paired, shown, shift: null, noVerdict };
  const errors = {
    baseline: both.map((values) => values.errors.baseline),
    candidate: both.map((values) => values.errors.candidate),
  };
  const shift = clientShift(paired, errors, measureOf(measure).scale);
  return Number.isFinite(shift.below) && Number.isFinite(shift.above)
    ? { ...paired, shown, shift, noVerdict: null }
    : { ...paired, shown, shift: null, noVerdict: 'client-limited' };
}

const EXACT: ValueError = { over: 0, under: 0 };

/** How far a trial's value may be off because the client was late. */
function errorOf({ client, facts }: ComparedTrial, measure: ComparedKey, value: number): ValueError {
  const { lateness } = measureOf(measure);
  if (client === null || lateness === undefined) return EXACT;
  return lateness(clientErrorOf(client), sumTrial(facts), value);
}

function whyNoVerdict(
  measure: ComparedKey,
  pair: CellPair,
  repeats: number,
  shown: PairedValues['shown'],
): NoVerdict | null {
  if (shown.baseline === null || shown.candidate === null) {
    const { family } = measureOf(measure);
    const sides = [pair.baseline, pair.candidate];
    return sides.some(({ summary }) => withheldBy(summary.findings, family) !== null)
      ? 'withheld'
      : 'no-value';
  }
  if (measureOf(measure).scale === 'log-ratio' && (shown.baseline <= 0 || shown.candidate <= 0))
    return 'zero-value';
  if (pair.unpaired !== null) return pair.unpaired;
  if (repeats === 0) return 'no-value';
  const { percentile } = measureOf(measure);
  const fewest = Math.min(...pair.trials.flatMap(([a, b]) => [a.facts.ok.length, b.facts.ok.length]));
  if (percentile !== null && !supportsPercentile(fewest, percentile)) return 'percentile-unsupported';
  return null;
}

/** From the values shown, so that it is the difference of what a reader sees. */
function plainChange(scale: 'points' | 'log-ratio', shown: PairedValues['shown']): number | null {
  const { baseline, candidate } = shown;
  if (baseline === null || candidate === null) return null;
  if (scale === 'points') return round(100 * (candidate - baseline));
  return baseline > 0 ? round(100 * (candidate / baseline - 1)) : null;
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

/** Points and percent to four decimals: as the stored values allow. */
function round(value: number): number {
  return Number(value.toFixed(4));
}
