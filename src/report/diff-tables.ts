import type { CandidateCell, Comparison, MeasureChange, VariantCell } from '../core/compare/comparison.js';
import { LOSS_CAUSES, LOSS_MEANING, type LossCause } from '../core/measure/lost-hits.js';
import { MEASURES, type Measure, type MeasureKey } from '../core/measure/measures.js';
import {
  formatPercent,
  formatSigned,
  formatValue,
  NOT_MEASURED,
  NOT_REPORTED,
  valueStyle,
  withheldText,
} from './format.js';

/** A table of a diff as data: plain text and Markdown are made of it. */
export interface DiffTable {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Columns from the left that hold names. */
  readonly nameColumns: number;
  readonly notes: readonly string[];
}

const MARKS = { better: '+', worse: '-', 'not distinguishable': '~' } as const;
/** A value without a verdict. */
const UNJUDGED = '?';

/** How the marks of side-by-side tables read. */
export const MARKS_LEGEND = '+ better, - worse, ~ not distinguishable from the baseline, ? no verdict';

/** Values of every side beside each other, each candidate's with its verdict as a mark; one table for each measure. */
export function buildSideBySide(comparison: Comparison, measures: readonly MeasureKey[]): DiffTable[] {
  return measures.map((key) => ({
    title: titleOf(key),
    head: ['cell', ...comparison.sides.map((side) => side.label)],
    rows: comparison.cells.map(({ cell, sides, candidates }) => [
      cell.id,
      ...sides.map((side, index) => {
        const change = changeOf(candidates[index - 1] ?? null, key);
        const mark = index === 0 || side === null ? '' : ` ${markOf(change)}`;
        return `${valueCell(key, side, change, index)}${mark}`;
      }),
    ]),
    nameColumns: 1,
    notes: [],
  }));
}

/** One candidate against the baseline with intervals and verdicts; one table for each measure. */
export function buildChanges(
  comparison: Comparison,
  candidate: number,
  measures: readonly MeasureKey[],
): DiffTable[] {
  const [baseline, other] = [comparison.sides[0], comparison.sides[candidate + 1]];
  return measures.map((key) => {
    const reasons = new Set<string>();
    const rows = comparison.cells.map(({ cell, sides, candidates }) => {
      const change = changeOf(candidates[candidate] ?? null, key);
      if (change !== null && change.noVerdict !== null) reasons.add(NO_VERDICT[change.noVerdict]);
      return [
        cell.id,
        valueCell(key, sides[0] ?? null, change, 0),
        valueCell(key, sides[candidate + 1] ?? null, change, 1),
        change === null || change.change === null ? '' : `${formatSigned(change.change)} ${change.unit}`,
        change === null ? '' : intervalText(change),
        change === null ? '' : (change.verdict ?? UNJUDGED),
      ];
    });
    return {
      title: titleOf(key),
      head: ['cell', baseline?.label ?? '', other?.label ?? '', 'change', '95 % interval', 'verdict'],
      rows,
      nameColumns: 1,
      notes: [...reasons].map((reason) => `${UNJUDGED} ${reason}`),
    };
  });
}

/** Where the missing cached tokens went, in percent of a whole-block hit on every request. Null when nobody knows. */
export function buildLostHits({ cells, sides }: Comparison): DiffTable | null {
  const all = cells.flatMap((cell) => cell.sides.flatMap((side) => side?.lost ?? []));
  if (!all.some((lost) => lost.expected > 0)) return null;
  const causes = LOSS_CAUSES.filter(
    (cause) => cause !== 'notFirstTouch' || all.some((lost) => lost[cause] > 0),
  );
  return {
    title: 'Where the hits went, % of a hit of the whole prefix on every request',
    head: ['cell', 'variant', 'hit', ...causes.map((cause) => LOSS_MEANING[cause].label.toLowerCase())],
    rows: cells.flatMap((cell) =>
      cell.sides.flatMap((side, index) =>
        side === null ? [] : [[cell.cell.id, sides[index]?.label ?? '', ...lossCells(side, causes)]],
      ),
    ),
    nameColumns: 2,
    notes: causes.map((cause) => {
      const { label, meaning, owner } = LOSS_MEANING[cause];
      return `${label.toLowerCase()}: ${meaning} (${owner})`;
    }),
  };
}

/** Ceilings beside the actual hit rate, as the published table has them. Null without a stated worker capacity. */
export function buildCapacityCeiling({ cells, sides }: Comparison): DiffTable | null {
  if (!cells.some((cell) => cell.sides.some((side) => side?.capacityCeiling != null))) return null;
  const rate = (value: number | null | undefined) =>
    value == null ? NOT_REPORTED : (100 * value).toFixed(1);
  return {
    title: 'Request hit rate beside what the caches could hold, %',
    head: ['cell', ...sides.flatMap((side) => [`${side.label} ceiling`, 'actual'])],
    rows: cells.map((cell) => [
      cell.cell.id,
      ...cell.sides.flatMap((side) =>
        side === null
          ? [NOT_MEASURED, NOT_MEASURED]
          : [rate(side.capacityCeiling), rate(side.values.request_hit_rate)],
      ),
    ]),
    nameColumns: 1,
    notes: ['ceiling: min(1, workers × prefixes one worker holds / prefixes)'],
  };
}

/** How evenly the workers were used. Null when no side names workers. */
export function buildLoad({ cells, sides }: Comparison): DiffTable | null {
  if (!cells.some((cell) => cell.sides.some((side) => side?.load != null))) return null;
  return {
    title: 'Load of the workers: shares of the requests, busiest first',
    head: ['cell', 'variant', 'per prefix', 'cv', 'by chance', 'shares, %'],
    rows: cells.flatMap((cell) =>
      cell.sides.flatMap((side, index) =>
        side === null ? [] : [[cell.cell.id, sides[index]?.label ?? '', ...loadCells(side)]],
      ),
    ),
    nameColumns: 2,
    notes: [
      'per prefix: distinct workers that served one, on average',
      'cv: standard deviation / mean of requests per worker in a trial (median over trials); by chance: what requests dealt at random would give',
    ],
  };
}

/** Requests of each worker and prefix in the first kept trial of every cell and side. */
export function buildWorkerPrefixCounts({ cells, sides }: Comparison): DiffTable[] {
  return cells.flatMap(({ cell, sides: own }) =>
    own.flatMap((side, index) => {
      const matrix = side?.load?.trials[0];
      if (matrix === undefined) return [];
      return {
        title: `Requests by worker and prefix: ${sides[index]?.label}, ${cell.id}-r${matrix.repeat}`,
        head: ['worker', ...(matrix.counts[0] ?? []).map((_, prefix) => String(prefix))],
        rows: matrix.counts.map((row, w) => [matrix.workers[w] ?? '', ...row.map(String)]),
        nameColumns: 1,
        notes: [],
      };
    }),
  );
}

const NO_VERDICT: Readonly<Record<NonNullable<MeasureChange['noVerdict']>, string>> = {
  'no-value': 'one of the two did not report it',
  'zero-value': 'one of the two is 0',
  'no-requests': 'grid.csv holds no requests to pair: no interval',
  'not-paired': 'the runs did not send the same requests: no interval',
  'no-common-repeat': 'no repeat was kept by both',
  'one-repeat': 'a single repeat does not show how much repeats differ',
  'percentile-unsupported': 'too few requests in a trial for this percentile',
  'client-limited': 'the client may have been late by as much as the time itself',
  withheld: 'withheld: a finding says that the figure cannot be right',
};

function titleOf(key: MeasureKey): string {
  const measure = measureOf(key);
  const { unit } = valueStyle(measure);
  return unit === '' ? measure.label : `${measure.label}, ${unit}`;
}

/** The value compared, which is of the repeats that both kept; the table's own where nothing was compared. */
function valueCell(
  key: MeasureKey,
  side: VariantCell | null,
  change: MeasureChange | null,
  index: number,
): string {
  if (side === null) return NOT_MEASURED;
  const compared = index === 0 ? change?.baseline : change?.candidate;
  const value = compared ?? side.values[key];
  if (value !== null) return formatValue(measureOf(key), value);
  const code = side.withheld[measureOf(key).family];
  return code === undefined ? NOT_REPORTED : withheldText(code);
}

function intervalText({ interval }: MeasureChange): string {
  return interval === null ? '' : `${formatSigned(interval.low)} to ${formatSigned(interval.high)}`;
}

function markOf(change: MeasureChange | null): string {
  return change === null || change.verdict === null ? UNJUDGED : MARKS[change.verdict];
}

function changeOf(cell: CandidateCell | null, key: MeasureKey): MeasureChange | null {
  return cell?.changes.find((change) => change.measure === key) ?? null;
}

function lossCells({ lost }: VariantCell, causes: readonly LossCause[]): string[] {
  if (lost === null || lost.expected === 0) return [NOT_REPORTED, ...causes.map(() => '')];
  const share = (tokens: number) => ((100 * tokens) / lost.expected).toFixed(1);
  return [share(lost.cached - lost.excess), ...causes.map((cause) => share(lost[cause]))];
}

function loadCells({ load, values }: VariantCell): string[] {
  if (load === null) return [NOT_REPORTED, '', '', ''];
  const shares = load.workers.slice(0, SHARES_SHOWN).map(({ share }) => (100 * share).toFixed(0));
  const more = load.workers.length > SHARES_SHOWN ? ' …' : '';
  return [
    values.workers_per_prefix?.toFixed(2) ?? '',
    load.cv.toFixed(2),
    load.cvByChance.toFixed(2),
    `${shares.join(' ')}${more}`,
  ];
}

const SHARES_SHOWN = 8;

function measureOf(key: MeasureKey): Measure {
  return MEASURES.find((measure) => measure.key === key) as Measure;
}

/** `12 of 108`: how a candidate's verdicts come out, in a line for each measure. */
export function buildVerdictCounts(comparison: Comparison, candidate: number): DiffTable {
  const summary = comparison.candidates[candidate];
  return {
    title: `${summary?.label} against ${comparison.sides[0]?.label}: cells by verdict`,
    head: ['measure', 'better', 'worse', 'not distinguishable', 'no verdict'],
    rows: (summary?.measures ?? []).map((count) => [
      measureOf(count.measure).label,
      ...[count.better, count.worse, count.notDistinguishable, count.noVerdict].map(String),
    ]),
    nameColumns: 1,
    notes: [],
  };
}

/** How intervals and verdicts came about, in two sentences. */
export function describeMethod({ method, candidates }: Comparison): string {
  const most = Math.max(0, ...candidates.map((candidate) => candidate.comparisons));
  if (most === 0) return 'No intervals and no verdicts: nothing could be paired.';
  return (
    `Intervals hold ${formatPercent(method.confidence, 0)} each by itself: paired request by request (${method.draws} draws, seed "${method.seed}") and over repeats. ` +
    `Verdicts look at all ${most} comparisons together (Benjamini-Hochberg): at most ${formatPercent(method.falseDiscoveryRate, 0)} of those called different are expected not to be. docs/statistics.md has the method and how it was checked.`
  );
}
