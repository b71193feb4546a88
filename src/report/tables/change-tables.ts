import type { CandidateCell, Comparison, MeasureChange } from '../../core/compare/comparison.js';
import { type MeasureKey, measuresShown } from '../../core/measure/measures.js';
import type { Cell, Table } from '../document/document.js';
import { formatSigned } from '../format.js';
import type { Messages } from '../messages/en.js';
import { gridHead, gridRows } from './grid-rows.js';

/** Tables of changes with intervals and verdicts for each candidate. Nothing for a single variant. */
export function buildChangeTables(
  comparison: Comparison,
  shown: readonly MeasureKey[],
  words: Messages,
): Table[] {
  const baseline = comparison.sides[0]?.label ?? '';
  return comparison.candidates.flatMap(({ label }, index) =>
    chunks(shown).map((measures, part) => ({
      ...changeTable(comparison, index, measures, part === 0 ? [words.changes.note] : [], words),
      title: part === 0 ? words.changes.heading(label, baseline) : '',
    })),
  );
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
const FIRST = measuresShown('changes');

function changeTable(
  comparison: Comparison,
  candidate: number,
  measures: readonly MeasureKey[],
  notes: readonly string[],
  words: Messages,
): Omit<Table, 'title'> {
  const reasons = new Set<string>();
  return {
    kind: 'table',
    head: [...gridHead(words), ...measures.map((key) => words.measures[key])],
    rows: gridRows(comparison, words, ({ candidates }) =>
      changeCells(candidates[candidate] ?? null, measures, words, reasons),
    ),
    nameColumns: 2,
    notes: [...notes, ...reasons],
  };
}

function changeCells(
  cell: CandidateCell | null,
  measures: readonly MeasureKey[],
  words: Messages,
  reasons: Set<string>,
): Cell[] {
  if (cell === null) {
    return measures.map(() => ({ text: words.notMeasured, tone: 'missing' }));
  }
  return measures.map((key) => {
    const change = cell.changes.find((one) => one.measure === key);
    return change === undefined ? words.changes.noValue : changeCell(change, words, reasons);
  });
}

function changeCell(change: MeasureChange, words: Messages, reasons: Set<string>): Cell {
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
  if (change.noVerdict !== null) reasons.add(`? ${words.changes.noVerdict[change.noVerdict]}`);
  return {
    text: `${markOf(change)} ${value}`,
    tone: change.verdict === null ? 'same' : TONES[change.verdict],
    ...detail,
  };
}

const TONES = { better: 'better', worse: 'worse', 'not distinguishable': 'same' } as const;
const MARKS = { better: '▲', worse: '▼', 'not distinguishable': '≈' } as const;

/** `▲` better, `▼` worse, `≈` not distinguishable, `?` without a verdict. */
export function markOf({ verdict }: MeasureChange): string {
  return verdict === null ? '?' : MARKS[verdict];
}
