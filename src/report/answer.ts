import { median } from '../core/base/statistics.js';
import type { CellComparison, Comparison } from '../core/compare/comparison.js';
import { isForbidden } from '../core/compare/comparison-findings.js';
import { addLostTokens, LOSS_CAUSES, type LossCause, type LostTokens } from '../core/measure/lost-hits.js';
import { type MeasureKey, measureOf, measuresShown } from '../core/measure/measures.js';
import type { Block } from './document/document.js';
import { formatValue, valueStyle } from './format.js';
import type { Messages } from './messages/en.js';
import type { ChangeWords, LossWords } from './messages/word-values.js';
import type { ReportSide } from './report-data.js';
import { buildAnswerTables, changesOf } from './tables/answer-table.js';

/**
 * The answer: before → after with verdicts, then a sentence for each candidate and one on what is still missed. Made from
 * the verdicts alone, so that it never says more than they do. Groups of requests have sentences of their own.
 */
export function buildAnswer(comparison: Comparison, words: Messages): Block[] {
  const sentences = forEachGroup(comparison.cells, (cells) => sentencesOf(comparison, cells, words));
  return [
    ...buildAnswerTables(comparison, measuresShown('answer'), words),
    {
      kind: 'answer',
      sentences: [...(isForbidden(comparison.findings) ? [words.answer.forbidden] : []), ...sentences],
    },
  ];
}

/** What a single variant shows. */
export function buildSingleAnswer(comparison: Comparison, side: ReportSide, words: Messages): Block {
  return {
    kind: 'answer',
    sentences: forEachGroup(comparison.cells, (cells) => describeOne(cells, side, words)),
  };
}

/** The sentences of each group of requests, the first with its name. */
function forEachGroup(
  cells: readonly CellComparison[],
  say: (cells: readonly CellComparison[]) => readonly string[],
): string[] {
  const groups = [...new Set(cells.map(({ cell }) => cell.group))];
  return groups.flatMap((group) => {
    const [first = '', ...rest] = say(cells.filter(({ cell }) => cell.group === group));
    return [group === undefined ? first : `${group}: ${first}`, ...rest];
  });
}

function sentencesOf(comparison: Comparison, cells: readonly CellComparison[], words: Messages): string[] {
  const baseline = comparison.sides[0]?.label ?? '';
  const lost = comparison.sides.flatMap((side, index) => lossOf(cells, side.label, index));
  return [
    ...comparison.candidates.map(({ label }, index) =>
      words.answer.changes(
        label,
        baseline,
        measuresShown('answer').map((key) => changeWords(cells, index, key, words)),
      ),
    ),
    words.answer.lost(lost),
  ];
}

function changeWords(
  cells: readonly CellComparison[],
  candidate: number,
  key: MeasureKey,
  words: Messages,
): ChangeWords {
  const changes = changesOf(cells, candidate, key);
  const called = (verdict: string | null) => changes.filter((change) => change.verdict === verdict);
  const size = (of: typeof changes) =>
    median(of.flatMap(({ change }) => (change === null ? [] : Math.abs(change))));
  const value = (of: readonly (number | null)[]) => {
    const middle = median(of.filter((one) => one !== null));
    return middle === null ? null : formatValue(measureOf(key), middle);
  };
  const { better, unit } = measureOf(key);
  return {
    measure: words.measures[key],
    unit: words.unit(valueStyle({ key, unit }).unit),
    changeUnit: changes[0]?.unit ?? '%',
    higherIsBetter: better === 'higher',
    before: value(changes.map((change) => change.baseline)),
    after: value(changes.map((change) => change.candidate)),
    cells: changes.length,
    better: { cells: called('better').length, by: size(called('better')) },
    worse: { cells: called('worse').length, by: size(called('worse')) },
    noVerdict: called(null).length,
  };
}

function describeOne(cells: readonly CellComparison[], side: ReportSide, words: Messages): string[] {
  const rows = cells.flatMap(({ cell }) => side.cells.get(cell.id)?.summary ?? []);
  const total = (count: (row: (typeof rows)[number]) => number) =>
    rows.reduce((sum, row) => sum + count(row), 0);
  const range = (key: MeasureKey) => {
    const values = rows.flatMap((row) => row.values[key] ?? []);
    return values.length === 0 ? null : ([Math.min(...values), Math.max(...values)] as const);
  };
  return [
    words.answer.single(
      side.info.label,
      total((row) => row.ok),
      total((row) => row.requests),
      rows.length,
    ),
    words.answer.singleRange(
      range('cached_token_ratio'),
      range('cached_token_ceiling'),
      range('ttft_p50_ms'),
    ),
    words.answer.lost(lossOf(cells, side.info.label, 0)),
  ];
}

function lossOf(cells: readonly CellComparison[], label: string, index: number): LossWords[] {
  const lost = addLostTokens(cells.flatMap((cell) => cell.sides[index]?.lost ?? []));
  if (lost.expected === 0) return [];
  const cause = mainCause(lost);
  return [
    {
      label,
      lost: lost.missing / lost.expected,
      cause,
      causeShare: cause === null ? 0 : lost[cause] / lost.expected,
    },
  ];
}

function mainCause(lost: LostTokens): LossCause | null {
  if (lost.missing === 0) return null;
  return LOSS_CAUSES.reduce((most, cause) => (lost[cause] > lost[most] ? cause : most));
}
