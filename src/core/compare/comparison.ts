import type { Family } from '../measure/families.js';
import type { FindingCode } from '../measure/finding-codes.js';
import type { LostTokens } from '../measure/lost-hits.js';
import type { MeasureKey, MeasureValues } from '../measure/measures.js';
import type { WorkerLoad } from '../measure/worker-load.js';
import type { Cell } from '../workload/plan.js';
import type { VariantInfo } from './compared-variant.js';
import type { ComparisonFinding } from './comparison-findings.js';
import type { Explanation } from './reasons.js';

/**
 * What `kvbench diff` and the report say of two or more variants, as data. Everything is aligned: `cells[i].sides[s]` is
 * side `s`, `cells[i].candidates[c]` and `candidates[c]` are side `c + 1`; side 0 is the baseline.
 */
export interface Comparison {
  readonly sides: readonly VariantInfo[];
  readonly method: ComparisonMethod;
  /** What forbids the comparison or must be known with it, most severe first. */
  readonly findings: readonly ComparisonFinding[];
  /** Every cell that any side has, in table order. */
  readonly cells: readonly CellComparison[];
  readonly candidates: readonly CandidateSummary[];
}

/** How intervals and verdicts were made. */
export interface ComparisonMethod {
  /** Of the bootstrap. */
  readonly seed: string;
  readonly draws: number;
  /** Of each interval by itself. */
  readonly confidence: number;
  /** Share of false calls among the calls (Benjamini-Hochberg over the cells and measures of a candidate). */
  readonly falseDiscoveryRate: number;
  readonly measures: readonly MeasureKey[];
}

export interface CellComparison {
  readonly cell: Cell;
  /** Null where a side never measured the cell. */
  readonly sides: readonly (VariantCell | null)[];
  /** Null where the baseline or the candidate never measured the cell. */
  readonly candidates: readonly (CandidateCell | null)[];
}

/** One variant's side of a cell. */
export interface VariantCell {
  /** As in grid.csv. */
  readonly values: MeasureValues;
  readonly repeatsKept: number;
  /** Why measures of a family have no value; those that are not withheld are left out. */
  readonly withheld: Readonly<Partial<Record<Family, FindingCode>>>;
  /** Lost hits of the kept trials together; null from grid.csv alone. */
  readonly lost: LostTokens | null;
  /**
   * Share of requests that could hit if every worker held as many prefixes as fit, without duplicates:
   * min(1, workers × capacity / prefixes). Null without a stated capacity or without known workers.
   */
  readonly capacityCeiling: number | null;
  /** Null when the target reports no workers, and from grid.csv alone. */
  readonly load: WorkerLoad | null;
}

/** A candidate against the baseline in one cell. */
export interface CandidateCell {
  /** Repeats that both kept: the only ones compared. Empty from grid.csv alone. */
  readonly repeats: readonly number[];
  /** One for each of {@link ComparisonMethod.measures}, in that order. */
  readonly changes: readonly MeasureChange[];
}

export type Verdict = 'better' | 'worse' | 'not distinguishable';

/** Why a change has no interval and no verdict. */
export type NoVerdict =
  /** One of the two has no value. */
  | 'no-value'
  /** One of the two is 0: a time or a throughput of 0 has no percentage. */
  | 'zero-value'
  /** grid.csv alone: no requests. */
  | 'no-requests'
  /** The runs did not plan the same requests in the same order. */
  | 'not-paired'
  /** No repeat was kept by both. */
  | 'no-common-repeat'
  /** Nothing shows how much repeats differ: a single repeat in every cell. */
  | 'one-repeat'
  /** Too few requests for this percentile. */
  | 'percentile-unsupported'
  /** The client may have been late by as much as the time itself. */
  | 'client-limited'
  /** A finding of one of the two runs says that the figure cannot be right. */
  | 'withheld';

/** One measure of a candidate against the baseline in one cell. */
export interface MeasureChange {
  readonly measure: MeasureKey;
  /** Medians over the repeats that both kept, stored units; from grid.csv alone its value. */
  readonly baseline: number | null;
  readonly candidate: number | null;
  /** `pp`: candidate − baseline in percentage points. `%`: candidate / baseline − 1 in percent. */
  readonly unit: ChangeUnit;
  readonly change: number | null;
  /** Unadjusted, 95 %, in `unit`; `clientMargin` is part of it. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  /**
   * How far a late client widens the interval below and above the change, in `unit`. Null
   * without an interval; both 0 for a measure that lateness cannot touch, and on a virtual clock.
   */
  readonly clientMargin: { readonly below: number; readonly above: number } | null;
  /** Two-sided, of this comparison by itself, with the client's lateness taken off the change. */
  readonly p: number | null;
  /** Adjusted for all comparisons of the candidate: the verdict is by this one. */
  readonly adjustedP: number | null;
  readonly verdict: Verdict | null;
  /** Null exactly when there is a verdict. */
  readonly noVerdict: NoVerdict | null;
}

export type ChangeUnit = 'pp' | '%';

/** What the verdicts of a candidate come to. */
export interface CandidateSummary {
  readonly label: string;
  readonly measures: readonly VerdictCount[];
  /** Comparisons that got a verdict: the family that the adjustment is over. */
  readonly comparisons: number;
  /** Why there is no difference, or not more of it. */
  readonly explanations: readonly Explanation[];
}

export interface VerdictCount {
  readonly measure: MeasureKey;
  readonly better: number;
  readonly worse: number;
  readonly notDistinguishable: number;
  readonly noVerdict: number;
}
