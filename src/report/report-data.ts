import type { RequestRecord } from '../core/answer/request-record.js';
import type { ComparedCell, ComparedTrial, ComparedVariant } from '../core/compare/compared-variant.js';
import type { CellComparison, Comparison, VariantCell } from '../core/compare/comparison.js';
import { loadId } from '../core/workload/load.js';
import type { Cell } from '../core/workload/plan.js';
import type { RowLoad } from '../core/workload/plan-rows.js';
import { type SeriesStyle, seriesStyle } from './figures/style.js';

/** Everything a report is made from: the comparison, and behind each of its sides the run and its records. */
export interface ReportData {
  readonly comparison: Comparison;
  /** Aligned with the comparison's sides; the first is the baseline. */
  readonly sides: readonly ReportSide[];
  /** The axes of the grid, in table order, over all sides. */
  readonly prefixes: readonly number[];
  readonly loads: readonly RowLoad[];
}

/** A side, and how it is drawn everywhere. */
export interface ReportSide extends ComparedVariant {
  readonly style: SeriesStyle;
}

/** `comparison` must be of `sides`, in their order. */
export function buildReportData(comparison: Comparison, sides: readonly ComparedVariant[]): ReportData {
  return {
    comparison,
    sides: sides.map((side, index) => ({ ...side, style: seriesStyle(index) })),
    ...gridAxes(comparison.cells.map((cell) => cell.cell)),
  };
}

/** The comparison at one point of the grid; null when no side has it. */
export function cellAt(report: ReportData, prefixes: number, load: RowLoad): CellComparison | null {
  return report.comparison.cells.find(({ cell }) => isAt(cell, prefixes, load)) ?? null;
}

/** Side `side` of the comparison at one point of the grid; null where it never measured the cell. */
export function sideAt(
  report: ReportData,
  prefixes: number,
  load: RowLoad,
  side: number,
): VariantCell | null {
  return cellAt(report, prefixes, load)?.sides[side] ?? null;
}

/** The rows behind it: grid row and trials; null where the side never measured the cell. */
export function rowsAt(side: ComparedVariant, prefixes: number, load: RowLoad): ComparedCell | null {
  for (const row of side.cells.values()) if (isAt(row.cell, prefixes, load)) return row;
  return null;
}

/** The ok requests of a trial in sending order. */
export function inSendingOrder(trial: ComparedTrial): readonly RequestRecord[] {
  return [...trial.facts.ok].sort((a, b) => (a.sent_ms ?? 0) - (b.sent_ms ?? 0) || a.seq - b.seq);
}

/** Distinct numbers of prefixes and distinct loads, in the order of the cells. */
function gridAxes(cells: readonly Cell[]): Pick<ReportData, 'prefixes' | 'loads'> {
  const groups = [...new Set(cells.map((cell) => cell.group))];
  const loads = new Map(
    groups.flatMap((group) =>
      cells
        .filter((cell) => cell.group === group)
        .map((cell) => [loadKey(loadIn(cell)), loadIn(cell)] as const),
    ),
  );
  return { prefixes: [...new Set(cells.map((cell) => cell.prefixes))], loads: [...loads.values()] };
}

function isAt(cell: Cell, prefixes: number, load: RowLoad): boolean {
  return cell.prefixes === prefixes && loadKey(loadIn(cell)) === loadKey(load);
}

/** The load of a cell, and the group that the cell is of. */
export function loadIn({ load, group }: Cell): RowLoad {
  return group === undefined ? load : { ...load, group };
}

function loadKey(load: RowLoad): string {
  return `${load.group ?? ''}/${loadId(load)}`;
}
