import type { CellComparison, Comparison, VariantCell } from '../../core/compare/comparison.js';
import { loadId } from '../../core/workload/load.js';
import type { Cell } from '../document/document.js';
import type { Messages } from '../messages/en.js';
import { loadIn } from '../report-data.js';

/** The load and the prefixes of each cell of the grid, load by load, with what `cells` gives for it. */
export function gridRows(
  comparison: Comparison,
  words: Messages,
  cells: (cell: CellComparison) => readonly Cell[],
): (readonly Cell[])[] {
  return byLoad(comparison.cells).map((cell) => [
    words.load(loadIn(cell.cell)),
    String(cell.cell.prefixes),
    ...cells(cell),
  ]);
}

/** The heading of the columns that {@link gridRows} fills itself. */
export function gridHead(words: Messages): string[] {
  return [words.tables.load, words.tables.prefixes];
}

/** A cell of one variant: `shown` where it was measured and reports what is asked. */
export function variantCell<T>(
  side: VariantCell | null,
  value: (side: VariantCell) => T | null,
  shown: (value: T) => Cell,
  words: Messages,
): Cell {
  if (side === null) return { text: words.notMeasured, tone: 'missing' };
  const known = value(side);
  return known === null ? { text: words.notReported, tone: 'missing' } : shown(known);
}

/** Cells of one load together, groups apart; within a load in table order. */
export function byLoad(cells: readonly CellComparison[]): CellComparison[] {
  return [...cellsByLoad(cells).values()].flat();
}

/** The cells of each load and group, in the order of the report. */
export function cellsByLoad(cells: readonly CellComparison[]): Map<string, CellComparison[]> {
  const groups = [...new Set(cells.map(({ cell }) => cell.group))];
  const byKey = new Map<string, CellComparison[]>();
  for (const cell of groups.flatMap((group) => cells.filter((one) => one.cell.group === group))) {
    const key = `${cell.cell.group ?? ''}/${loadId(cell.cell.load)}`;
    byKey.set(key, [...(byKey.get(key) ?? []), cell]);
  }
  return byKey;
}
