import type { CellComparison, CellSide, Comparison, SideInfo } from '../core/comparison.js';
import type { Reading } from '../core/measures.js';
import type { Cell, Load } from '../core/plan.js';
import type { RequestRecord } from '../core/record.js';
import type { RunFile, VariantRun } from '../core/run-file.js';
import type { CellSummary, TrialSummary } from '../core/summary.js';
import type { SeriesStyle } from './figure-style.js';

/** Everything a report is made from: the comparison, and behind each of its sides the run and its records. */
export interface ReportData {
  readonly comparison: Comparison;
  /** Aligned with the comparison's sides; the first is the baseline. */
  readonly sides: readonly ReportSide[];
  /** The axes of the grid, in table order, over all sides. */
  readonly prefixes: readonly number[];
  readonly loads: readonly Load[];
  /** Prefixes one worker holds, when the user states it. */
  readonly workerCapacity: number | null;
}

export interface ReportSide {
  readonly info: SideInfo;
  readonly style: SeriesStyle;
  readonly run: RunFile;
  readonly variant: VariantRun;
  readonly reading: Reading;
  readonly trials: readonly TrialSummary[];
  readonly cells: readonly CellSummary[];
  /** Records of one trial, of every phase; none when there are none. */
  records(trialId: string): readonly RequestRecord[];
}

/** The comparison at one point of the grid; null when no side has it. */
export function cellAt(report: ReportData, prefixes: number, load: Load): CellComparison | null {
  return (
    report.comparison.cells.find(
      ({ cell }) => cell.prefixes === prefixes && loadKey(cell.load) === loadKey(load),
    ) ?? null
  );
}

/** Side `side` of a cell; null where it never measured it. */
export function sideAt(report: ReportData, prefixes: number, load: Load, side: number): CellSide | null {
  return cellAt(report, prefixes, load)?.sides[side] ?? null;
}

/** The grid row of a side; null where it never measured the cell. */
export function summaryAt(side: ReportSide, prefixes: number, load: Load): CellSummary | null {
  return (
    side.cells.find(
      ({ cell }) => cell.prefixes === prefixes && loadKey(cell.load) === loadKey(load),
    ) ?? null
  );
}

/** Trials of a side that count in a cell, repeat by repeat. */
export function keptTrials(side: ReportSide, cellId: string): readonly TrialSummary[] {
  return side.trials.filter((trial) => trial.cell.id === cellId && trial.kept);
}

/** Measured, ok records of one trial, as sent. */
export function okRecords(side: ReportSide, trialId: string): readonly RequestRecord[] {
  return side
    .records(trialId)
    .filter((record) => record.phase === 'measure' && record.outcome === 'ok')
    .sort((a, b) => (a.sent_ms ?? 0) - (b.sent_ms ?? 0) || a.seq - b.seq);
}

export function loadKey(load: Load): string {
  return load.kind === 'closed' ? `c${load.concurrency}` : `q${load.rate}`;
}

/** Distinct numbers of prefixes and loads of the cells, in their order. */
export function gridAxes(cells: readonly Cell[]): {
  readonly prefixes: readonly number[];
  readonly loads: readonly Load[];
} {
  const loads = new Map(cells.map((cell) => [loadKey(cell.load), cell.load]));
  return { prefixes: [...new Set(cells.map((cell) => cell.prefixes))], loads: [...loads.values()] };
}
