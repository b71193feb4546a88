import type { ChangeUnit } from '../../core/compare/comparison.js';
import type { LossCause } from '../../core/measure/lost-hits.js';
import { formatCount, formatMs, formatPercent } from '../format.js';
import type { ChangeWords, LossWords } from './word-values.js';

/** The answer's sentences, in English. */
export const EN_ANSWER = {
  forbidden: 'These runs must not be compared as they are; what forbids it stands below.',
  cellNote: '▲ better, ▼ worse, ≈ not distinguishable, ? no verdict',
  loadNote:
    'Medians over the cells of a load. ▲3: better in 3 of them, ▼1: worse in 1; ≈ none distinguishable, ? no verdict.',
  moreRows: (rows: number) => `and ${rows} more`,
  changes: (candidate: string, _baseline: string, of: readonly ChangeWords[]) =>
    `With ${candidate}, ${of.map(changeText).join('; ')}.`,
  lost: (sides: readonly LossWords[]) =>
    sides.length === 0
      ? 'What was lost cannot be split: no target reported cached tokens.'
      : `Of the cached tokens that a hit on every request would give, ${sides.map(lossText).join('; ')}.`,
  single: (label: string, ok: number, requests: number, cells: number) =>
    `${label} answered ${formatCount(ok)} of ${formatCount(requests)} requests in ${cells} cells; nothing is compared here.`,
  singleRange: (
    ratio: readonly [number, number] | null,
    ceiling: readonly [number, number] | null,
    ttft: readonly [number, number] | null,
  ) =>
    `${ratio === null ? 'Cached tokens were not reported' : `From the cache came ${rangeText(ratio, formatPercent)} of the prompt tokens, by cell`}${ratio === null || ceiling === null ? '' : ` (ceiling ${rangeText(ceiling, formatPercent)})`}; TTFT p50 was ${ttft === null ? 'not measured' : `${rangeText(ttft, formatMs)} ms`}.`,
} as const;

/** `TTFT p50 is 30.0 % lower in 11 of 12 cells`; of a rate its values, too. */
function changeText(change: ChangeWords): string {
  const { measure, cells, better, worse, noVerdict, before, after } = change;
  const name = /^[A-Z][a-z]/.test(measure) ? `${measure[0]?.toLowerCase()}${measure.slice(1)}` : measure;
  if (before === null || after === null) return `the ${name} is missing on one side`;
  const by = ({ by }: ChangeWords['better']) => `${(by ?? 0).toFixed(1)} ${changeUnit(change.changeUnit)}`;
  const [up, down] = change.higherIsBetter ? ['higher', 'lower'] : ['lower', 'higher'];
  const calls = [
    ...(better.cells > 0 ? [`${by(better)} ${up} in ${better.cells}`] : []),
    ...(worse.cells > 0 ? [`${by(worse)} ${down} in ${worse.cells}`] : []),
  ];
  const called =
    calls.length === 0
      ? `not distinguishable in any of ${cells} cells`
      : `${calls.join(' and ')} of ${cells} cells`;
  const open = noVerdict > 0 ? `, without a verdict in ${noVerdict}` : '';
  const verdict = noVerdict === cells ? 'has no verdict' : `is ${called}${open}`;
  if (change.changeUnit === 'pp')
    return `the ${name} ${verdict} (medians over the cells: ${before} → ${after} ${change.unit})`;
  return `${name} ${verdict}`;
}

/** `points` or `%`. */
export function changeUnit(unit: ChangeUnit): string {
  return unit === 'pp' ? 'points' : '%';
}

const CAUSES: Readonly<Record<LossCause, string>> = {
  firstTouch: 'first touches, which nothing avoids',
  eviction: 'evictions: capacity',
  inFlight: 'requests in flight: concurrency',
  placement: 'placement: the router',
  notFirstTouch: 'causes that need worker ids to tell apart',
};

function lossText(side: LossWords): string {
  if (side.cause === null) return `${side.label} lost none`;
  return `${side.label} lost ${formatPercent(side.lost)}, the largest part (${formatPercent(side.causeShare)}) to ${CAUSES[side.cause]}`;
}

function rangeText(range: readonly [number, number], format: (value: number) => string): string {
  const [low, high] = range.map((value) => format(value));
  return low === high ? `${low}` : `${low} to ${high}`;
}
