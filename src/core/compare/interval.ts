import { median } from '../base/statistics.js';
import { studentQuantile, studentTwoSidedP } from '../base/student-t.js';
import type { ValueError } from '../measure/client-error.js';
import type { ChangeScale } from '../measure/measures.js';
import { scaledChange } from './bootstrap.js';

/** One measure of one cell in the repeats that both runs kept. */
export interface PairedRepeats {
  readonly baseline: readonly number[];
  readonly candidate: readonly number[];
  /** Variance of each repeat's change by the chance of its requests ({@link resampleVariances}). */
  readonly resampled: readonly number[];
  /** Requests of a trial. */
  readonly requests: number;
}

/** How far each value of {@link PairedRepeats} may be off because the client was late. */
export interface PairedErrors {
  readonly baseline: readonly ValueError[];
  readonly candidate: readonly ValueError[];
}

/** How far the true change may lie below and above the one measured, on the change's scale; 0 for a client in time. */
export interface ClientShift {
  readonly below: number;
  readonly above: number;
}

/** A change on its scale, with what chance may have added. */
export interface Estimate {
  /** Of the medians: what the tables show. */
  readonly change: number;
  /** Null when nothing shows how much repeats differ. */
  readonly error: { readonly standardError: number; readonly df: number } | null;
}

/** Degrees of freedom that the spread seen in the other cells counts for, at most. */
const BORROWED_DF = 4;
/** Repeats never agree better than this, log ratio: about 0.1 %. */
const LEAST_LOG_SPREAD = 1e-3;

/**
 * Estimates the change of one measure in every cell (docs/statistics.md says how well this holds).
 *
 * The standard error comes from how much the paired change differs between repeats: s² with K − 1 degrees of freedom.
 * Three repeats alone would need t = 4.3; so each cell borrows from the others what they show of its variance
 * ({@link predictVariances}), counted for up to four more degrees of freedom:
 *
 *     variance = (4·predicted + (K − 1)·s²) / (4 + K − 1)         df = 4 + K − 1
 *
 * (the moderated t of Smyth, 2004, with its prior fixed). The error of a median of K is {@link medianError} times the
 * root. With nothing to borrow it is the plain paired t.
 */
export function estimateChanges(cells: readonly PairedRepeats[], scale: ChangeScale): Estimate[] {
  const spreads = cells.map((cell) => spreadOf(cell, scale));
  const predicted = predictVariances(spreads);
  const dfOfAll = spreads.reduce((sum, spread) => sum + spread.df, 0);
  return cells.map((cell, index): Estimate => {
    const { df, between, least } = spreads[index] as Spread;
    const change = scaledChange(scale, median(cell.baseline) ?? 0, median(cell.candidate) ?? 0);
    const borrowed = Math.min(BORROWED_DF, dfOfAll - df);
    if (df + borrowed === 0) return { change, error: null };
    const variance = (borrowed * (predicted[index] ?? 0) + df * between) / (borrowed + df);
    return {
      change,
      error: {
        standardError: medianError(cell.baseline.length) * Math.sqrt(Math.max(variance, least)),
        df: borrowed + df,
      },
    };
  });
}

/**
 * What all cells together say of the variance between repeats in each: it goes with v, the variance by the chance of
 * requests, as φ·v^β. β is the slope of log s² over log v, kept within 0 (the same everywhere) and 1 (requests explain
 * it all up to a factor); φ makes the mean of s² / v^β right. No cell is taken to be noisier than the noisiest.
 */
function predictVariances(spreads: readonly Spread[]): number[] {
  const repeated = spreads.filter((spread) => spread.df > 0);
  const slope = Math.min(
    1,
    Math.max(
      0,
      slopeOf(
        repeated.map(({ within }) => Math.log(within)),
        repeated.map(({ between, least }) => Math.log(Math.max(between, least))),
      ),
    ),
  );
  const df = repeated.reduce((sum, spread) => sum + spread.df, 0);
  const factor =
    repeated.reduce((sum, { df, between, within }) => sum + (df * between) / within ** slope, 0) / df;
  const most = Math.max(...repeated.map(({ between }) => between));
  return spreads.map(({ within }) => Math.min(factor * within ** slope, most));
}

/** Least-squares slope; 1 where x does not differ. */
function slopeOf(x: readonly number[], y: readonly number[]): number {
  const xMean = meanOf(x);
  const yMean = meanOf(y);
  let products = 0;
  let squares = 0;
  x.forEach((value, i) => {
    products += (value - xMean) * ((y[i] ?? 0) - yMean);
    squares += (value - xMean) ** 2;
  });
  return squares > 0 ? products / squares : 1;
}

/**
 * What late clients may have done to a change: the true values lie within the bounds of each repeat, so the true medians lie
 * between the medians of the bounds. Infinite where a bound is as large as the time itself.
 */
export function clientShift(cell: PairedRepeats, errors: PairedErrors, scale: ChangeScale): ClientShift {
  const atLeast = (values: readonly number[], own: readonly ValueError[]) =>
    median(values.map((value, r) => Math.max(0, value - (own[r]?.over ?? 0)))) ?? 0;
  const atMost = (values: readonly number[], own: readonly ValueError[]) =>
    median(values.map((value, r) => value + (own[r]?.under ?? 0))) ?? 0;
  const change = scaledChange(scale, median(cell.baseline) ?? 0, median(cell.candidate) ?? 0);
  const least = scaledChange(
    scale,
    atMost(cell.baseline, errors.baseline),
    atLeast(cell.candidate, errors.candidate),
  );
  const most = scaledChange(
    scale,
    atLeast(cell.baseline, errors.baseline),
    atMost(cell.candidate, errors.candidate),
  );
  return { below: change - least, above: most - change };
}

/** What is left of a change when the client's lateness is taken off it, as far as it goes towards none. */
export function withoutShift(change: number, { below, above }: ClientShift): number {
  return change > 0 ? Math.max(0, change - below) : Math.min(0, change + above);
}

/** Half the width of the interval. */
export function marginOf(error: { readonly standardError: number; readonly df: number }, confidence: number) {
  return studentQuantile(confidence, error.df) * error.standardError;
}

/** Two-sided p-value of no change. */
export function pValueOf(
  change: number,
  error: { readonly standardError: number; readonly df: number },
): number {
  return change === 0 ? 1 : studentTwoSidedP(change / error.standardError, error.df);
}

/**
 * p-values adjusted for being looked at together (Benjamini and Hochberg, 1995): calling those at most q different, no
 * more than a share q of the calls is expected to be wrong; where nothing differs, a family of any size makes a false
 * call with probability q at most.
 */
export function adjustPValues(values: readonly number[]): number[] {
  const order = values.map((_, index) => index).sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0));
  const adjusted = new Array<number>(values.length).fill(1);
  let least = 1;
  order.forEach((index, fromLargest) => {
    const rank = values.length - fromLargest;
    least = Math.min(least, ((values[index] ?? 1) * values.length) / rank);
    adjusted[index] = least;
  });
  return adjusted;
}

/** Standard deviations of the median of n standard normal values (an even n: of the mean of the middle two), n from 1. */
const MEDIAN_ERRORS = [
  1,
  Math.SQRT1_2,
  0.6698,
  0.5461,
  0.5356,
  0.4634,
  0.4587,
  0.4101,
  0.4076,
  0.3719,
  0.3704,
  0.3428,
];

/** The standard error of a median of n values of standard deviation 1. */
export function medianError(n: number): number {
  // Within 1 % of the exact value for odd n above 12, and above it for even n.
  return MEDIAN_ERRORS[n - 1] ?? Math.sqrt(Math.PI / 2 / (n + Math.PI / 2 - 1));
}

interface Spread {
  /** K − 1. */
  readonly df: number;
  /** s²: variance of the paired change between repeats; 0 of a single one. */
  readonly between: number;
  /** v: mean variance by the chance of requests. */
  readonly within: number;
  /** Neither is ever taken to be less. */
  readonly least: number;
}

function spreadOf(cell: PairedRepeats, scale: ChangeScale): Spread {
  const changes = cell.baseline.map((value, r) => scaledChange(scale, value, cell.candidate[r] ?? value));
  const df = changes.length - 1;
  const mean = meanOf(changes);
  const squares = changes.reduce((sum, change) => sum + (change - mean) ** 2, 0);
  const known = cell.resampled.filter((variance) => Number.isFinite(variance));
  const least = leastVariance(cell, scale);
  return {
    df,
    between: df > 0 ? squares / df : 0,
    within: Math.max(known.length > 0 ? meanOf(known) : 0, least),
    least,
  };
}

/** No bootstrap can show what none of the requests did: a rate is never surer than by one request in the trial. */
function leastVariance(cell: PairedRepeats, scale: ChangeScale): number {
  return scale === 'points' ? (1 / cell.requests) ** 2 : LEAST_LOG_SPREAD ** 2;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
