import { type MeasureKey, measureOf } from '../../core/measure/measures.js';
import type { RowLoad } from '../../core/workload/plan-rows.js';
import type { Cell, Table } from '../document/document.js';
import { formatValue, valueStyle } from '../format.js';
import type { Messages } from '../messages/en.js';
import { type ReportData, rowsAt } from '../report-data.js';
import { gridHead } from './grid-rows.js';
import { familiesShown, markNotes, valueCell, wholeOf } from './value-cell.js';

/** The tables of a report: a row for each cell, a column for each variant. */
export function buildResultTables(report: ReportData, words: Messages): Table[] {
  return familiesShown('report').map((shown) => {
    const whole = wholeOf(shown[0]);
    // A ceiling is the workload's, the same for every variant; workers seen are each variant's own.
    const ceiling = whole !== null && measureOf(whole).unit === 'ratio' ? whole : null;
    return familyTable(
      report,
      whole === null || ceiling !== null ? shown : [shown[0], whole],
      ceiling,
      words,
    );
  });
}

function familyTable(
  report: ReportData,
  keys: readonly [MeasureKey, ...MeasureKey[]],
  ceiling: MeasureKey | null,
  words: Messages,
): Table {
  const marks = new Set<string>();
  const unit = valueStyle(measureOf(keys[0])).unit;
  const names = keys.map((key) => words.measures[key]).join(' / ');
  const style = { between: ' / ', dash: '–' };
  return {
    kind: 'table',
    title: unit === '' ? names : `${names}, ${words.unit(unit)}`,
    head: [
      ...gridHead(words),
      ...(ceiling === null ? [] : [words.ceiling]),
      ...report.sides.map((side) => side.info.label),
    ],
    rows: report.loads.flatMap((load) =>
      report.prefixes.map((prefixes): Cell[] => [
        words.load(load),
        String(prefixes),
        ...(ceiling === null ? [] : [ceilingCell(report, ceiling, prefixes, load, words)]),
        ...report.sides.map((side) =>
          valueCell(rowsAt(side, prefixes, load)?.summary ?? null, keys, style, words, marks),
        ),
      ]),
    ),
    nameColumns: 2,
    notes: [keys.length === 1 ? words.tables.bandNote : words.tables.medianNote, ...markNotes(marks, words)],
  };
}

/** One value where all sides agree, as they do on equal workloads; else one for each, in their order. */
function ceilingCell(
  report: ReportData,
  key: MeasureKey,
  prefixes: number,
  load: RowLoad,
  words: Messages,
): Cell {
  const shown = report.sides.flatMap((side) => {
    const value = rowsAt(side, prefixes, load)?.summary.values[key] ?? null;
    return value === null ? [] : formatValue(measureOf(key), value);
  });
  if (shown.length === 0) {
    const measured = report.sides.some((side) => rowsAt(side, prefixes, load) !== null);
    return { text: measured ? words.notReported : words.notMeasured, tone: 'missing' };
  }
  return [...new Set(shown)].join(' / ');
}
