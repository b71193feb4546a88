import { median, supportsPercentile } from '../base/statistics.js';
import { clientErrorOf, type ValueError } from '../measure/client-error.js';
import { withheldBy } from '../measure/finding-codes.js';
import { type ComparedKey, measureOf, rounded } from '../measure/measures.js';
import { sumTrial } from '../measure/trial-sums.js';
import type { CellPair } from './cell-pair.js';
import type { ComparedTrial } from './compared-variant.js';
import type { MeasureChange, NoVerdict } from './comparison.js';
import {
  type ClientShift,
  clientShift,
  type Estimate,
  estimateChanges,
  marginOf,
  type PairedRepeats,
  pValueOf,
  withoutShift,
} from './interval.js';

/** Of every interval of a change. */
export const CONFIDENCE = 0.95;

/** A change before its p-value is adjusted for the other comparisons. */
export type RawChange = Omit<MeasureChange, 'adjustedP' | 'verdict'>;

/** The change of one measure in every cell, `m` its position among the compared ones; null where there is no pair. */
export function compareMeasure(
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

/** Points and percent to four decimals: as the stored values allow. */
function round(value: number): number {
  return Number(value.toFixed(4));
}
