import { median } from '../../core/base/statistics.js';
import type { CellComparison, Comparison, MeasureChange } from '../../core/compare/comparison.js';
import { type MeasureKey, measureOf } from '../../core/measure/measures.js';
import type { Cell, Table } from '../document/document.js';
import { formatValue, valueStyle } from '../format.js';
import type { Messages } from '../messages/en.js';
import { loadIn } from '../report-data.js';
import { markOf } from './change-tables.js';
import { byLoad, cellsByLoad } from './grid-rows.js';

/** With its head and title a table fits a third of a screen. */
const MOST_ROWS = 10;

/**
 * Before → after of each measure with its verdict, a table for each candidate: a row for each cell, or where there are
 * too many one for each load, medians over its cells.
 */
export function buildAnswerTables(
  comparison: Comparison,
  measures: readonly MeasureKey[],
  words: Messages,
): Table[] {
  const baseline = comparison.sides[0]?.label ?? '';
  const cells = byLoad(comparison.cells);
  const whole = cells.length > MOST_ROWS;
  const rows = whole
    ? [...cellsByLoad(cells).values()].map((own) => ({
        name: words.load(loadIn((own[0] as CellComparison).cell)),
        own,
      }))
    : cells.map((cell) => ({ name: cell.cell.id, own: [cell] }));
  return comparison.candidates.map(({ label }, candidate) => ({
    kind: 'table',
    title: words.changes.heading(label, baseline),
    head: [whole ? words.tables.load : words.tables.cell, ...measures.map((key) => headOf(key, words))],
    rows: rows
      .slice(0, MOST_ROWS)
      .map(({ name, own }) => [
        name,
        ...measures.map((key) => answerCell(changesOf(own, candidate, key), own.length, words)),
      ]),
    nameColumns: 1,
    notes: [
      whole ? words.answer.loadNote : words.answer.cellNote,
      ...(rows.length > MOST_ROWS ? [words.answer.moreRows(rows.length - MOST_ROWS)] : []),
    ],
  }));
}

/** Every change of one measure of one candidate in these cells. */
export function changesOf(
  cells: readonly CellComparison[],
  candidate: number,
  key: MeasureKey,
): MeasureChange[] {
  return cells.flatMap(
    (cell) => cell.candidates[candidate]?.changes.filter(({ measure }) => measure === key) ?? [],
  );
}

function headOf(key: MeasureKey, words: Messages): string {
  const { unit } = valueStyle(measureOf(key));
  return unit === '' ? words.measures[key] : `${words.measures[key]}, ${words.unit(unit)}`;
}

function answerCell(changes: readonly MeasureChange[], cells: number, words: Messages): Cell {
  const [first] = changes;
  if (first === undefined) return { text: words.notMeasured, tone: 'missing' };
  const before = median(changes.map((change) => change.baseline));
  const after = median(changes.map((change) => change.candidate));
  if (before === null && after === null) {
    const isWithheld = changes.some(({ noVerdict }) => noVerdict === 'withheld');
    return { text: isWithheld ? words.tables.withheld : words.notReported, tone: 'missing' };
  }
  const shown = (value: number | null) =>
    value === null ? '–' : formatValue(measureOf(first.measure), value);
  const better = changes.filter(({ verdict }) => verdict === 'better').length;
  const worse = changes.filter(({ verdict }) => verdict === 'worse').length;
  const counts = `${better > 0 ? `▲${better}` : ''}${worse > 0 ? `▼${worse}` : ''}`;
  const some = changes.find(({ verdict }) => verdict !== null) ?? first;
  const mark = cells === 1 || counts === '' ? markOf(some) : counts;
  return {
    text: `${shown(before)}→${shown(after)} ${mark}`,
    tone: better > worse ? 'better' : worse > better ? 'worse' : 'same',
  };
}
