import type { CandidateCell, MeasureChange } from '../core/compare/comparison.js';
import { LOSS_CAUSES, type LostTokens } from '../core/measure/lost-hits.js';
import { type MeasureKey, measuresShown } from '../core/measure/measures.js';
import type { Block, TableBlock, TableCell } from './document/document.js';
import { formatPercent, formatSigned } from './format.js';
import type { Messages } from './messages/en.js';
import { cellAt, type ReportData, sideAt } from './report-data.js';
import { gridHead, gridRows } from './report-tables.js';

/** A table of changes with intervals and verdicts for each candidate. Nothing for a single variant. */
export function buildChangeTables(report: ReportData, words: Messages): Block[] {
  const [baseline, ...candidates] = report.sides;
  if (baseline === undefined) return [];
  return candidates.flatMap((candidate, index): Block[] => [
    { kind: 'heading', level: 3, text: words.changes.heading(candidate.info.label, baseline.info.label) },
    ...chunks(report.comparison.method.measures).map((measures, part) =>
      changeTable(report, index, measures, part === 0 ? [words.changes.note] : [], words),
    ),
  ]);
}

/** Measures side by side in one table: a page is no wider. */
const MEASURES_ACROSS = 5;

function chunks(measures: readonly MeasureKey[]): MeasureKey[][] {
  const ordered = [
    ...FIRST.filter((key) => measures.includes(key)),
    ...measures.filter((key) => !FIRST.includes(key)),
  ];
  const parts = Math.ceil(ordered.length / MEASURES_ACROSS);
  return Array.from({ length: parts }, (_, i) =>
    ordered.slice(i * MEASURES_ACROSS, (i + 1) * MEASURES_ACROSS),
  );
}

/** What the answer speaks of stands in the first table. */
const FIRST = measuresShown('answer');

function changeTable(
  report: ReportData,
  candidate: number,
  measures: readonly MeasureKey[],
  notes: readonly string[],
  words: Messages,
): TableBlock {
  const reasons = new Set<string>();
  return {
    kind: 'table',
    head: [...gridHead(words), ...measures.map((key) => words.measures[key])],
    rows: gridRows(report, words, (prefixes, load) => {
      const cell = cellAt(report, prefixes, load)?.candidates[candidate] ?? null;
      return changeCells(cell, measures, words, reasons);
    }),
    nameColumns: 2,
    notes: [...notes, ...reasons],
  };
}

function changeCells(
  cell: CandidateCell | null,
  measures: readonly MeasureKey[],
  words: Messages,
  reasons: Set<string>,
): TableCell[] {
  if (cell === null) {
    return measures.map(() => ({ text: words.notMeasured, tone: 'missing' }));
  }
  return measures.map((key) => {
    const change = cell.changes.find((one) => one.measure === key);
    return change === undefined ? words.changes.noValue : changeCell(change, words, reasons);
  });
}

function changeCell(change: MeasureChange, words: Messages, reasons: Set<string>): TableCell {
  if (change.change === null) {
    const missing =
      change.noVerdict === 'no-value'
        ? words.notReported
        : change.noVerdict === 'withheld'
          ? words.changes.noVerdict.withheld
          : words.changes.noValue;
    return { text: missing, tone: 'missing' };
  }
  const { interval } = change;
  const detail =
    interval === null ? {} : { detail: `${formatSigned(interval.low)} … ${formatSigned(interval.high)}` };
  const value = `${formatSigned(change.change)} ${words.changeUnit(change.unit)}`;
  switch (change.verdict) {
    case 'better':
      return { text: `▲ ${value}`, tone: 'better', ...detail };
    case 'worse':
      return { text: `▼ ${value}`, tone: 'worse', ...detail };
    case 'not distinguishable':
      return { text: `≈ ${value}`, tone: 'same', ...detail };
    case null:
      if (change.noVerdict !== null) reasons.add(`? ${words.changes.noVerdict[change.noVerdict]}`);
      return { text: `? ${value}`, tone: 'same', ...detail };
  }
}

/** The split of the lost cached tokens, a row for each cell and variant. Null when no target reported cached tokens. */
export function buildLossTable(report: ReportData, words: Messages): TableBlock | null {
  const all = report.comparison.cells.flatMap((cell) => cell.sides.flatMap((side) => side?.lost ?? []));
  if (!all.some((lost) => lost.expected > 0)) return null;
  const causes = LOSS_CAUSES.filter((cause) => all.some((lost) => lost[cause] > 0));
  const rows = gridRows(report, words, () => []).flatMap(([load, prefixes], row) => {
    const at = report.loads[Math.floor(row / report.prefixes.length)];
    const groups = report.prefixes[row % report.prefixes.length];
    if (at === undefined || groups === undefined) return [];
    return report.sides.map((side, index): TableCell[] => {
      const lost = sideAt(report, groups, at, index)?.lost ?? null;
      return [load ?? '', prefixes ?? '', side.info.label, ...lossCells(lost, causes, words)];
    });
  });
  return {
    kind: 'table',
    head: [
      ...gridHead(words),
      words.tables.variant,
      words.tables.expected,
      words.parts.cached,
      ...causes.map((cause) => words.parts[cause]),
    ],
    rows,
    nameColumns: 3,
    notes: [words.tables.lossNote],
  };
}

function lossCells(
  lost: LostTokens | null,
  causes: readonly (typeof LOSS_CAUSES)[number][],
  words: Messages,
): TableCell[] {
  if (lost === null || lost.expected === 0) {
    const text = lost === null ? words.notMeasured : words.notReported;
    return Array.from({ length: causes.length + 2 }, () => ({ text, tone: 'missing' as const }));
  }
  return [
    lost.expected.toLocaleString('en-US'),
    formatPercent((lost.cached - lost.excess) / lost.expected),
    ...causes.map((cause) => formatPercent(lost[cause] / lost.expected)),
  ];
}

/** How evenly the workers were used. Null when no target names workers. */
export function buildWorkerTable(report: ReportData, words: Messages): TableBlock | null {
  if (!report.comparison.cells.some((cell) => cell.sides.some((side) => side?.load != null))) return null;
  return {
    kind: 'table',
    head: [...gridHead(words), ...report.sides.map((side) => side.info.label)],
    rows: gridRows(report, words, (prefixes, load) =>
      report.sides.map((_, index): TableCell => {
        const side = sideAt(report, prefixes, load, index);
        if (side === null) return { text: words.notMeasured, tone: 'missing' };
        if (side.load === null) return { text: words.notReported, tone: 'missing' };
        const busiest = side.load.workers[0]?.share ?? 0;
        return `${side.load.cv.toFixed(2)} (${side.load.cvByChance.toFixed(2)}), ${formatPercent(busiest, 0)}`;
      }),
    ),
    nameColumns: 2,
    notes: [words.tables.workersNote],
  };
}
