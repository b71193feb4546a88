import type { Comparison, MeasureChange } from '../core/compare/comparison.js';
import { LOAD_COLUMNS, loadColumns } from '../core/workload/load.js';
import type { Cell } from '../core/workload/plan.js';
import type { Column } from './columns.js';
import { renderCsv } from './csv.js';

interface DiffRow {
  readonly baseline: string;
  readonly candidate: string;
  readonly cell: Cell;
  readonly repeats: number;
  readonly change: MeasureChange;
}

const COLUMNS: readonly Column<DiffRow>[] = [
  { name: 'baseline', value: (row) => row.baseline },
  { name: 'candidate', value: (row) => row.candidate },
  { name: 'prefixes', value: (row) => row.cell.prefixes },
  ...LOAD_COLUMNS.map(
    (name): Column<DiffRow> => ({ name, value: ({ cell }) => loadColumns(cell.load)[name] }),
  ),
  { name: 'repeats', value: (row) => row.repeats },
  { name: 'measure', value: (row) => row.change.measure },
  { name: 'baseline_value', value: (row) => row.change.baseline },
  { name: 'candidate_value', value: (row) => row.change.candidate },
  { name: 'change', value: (row) => row.change.change },
  { name: 'unit', value: (row) => row.change.unit },
  { name: 'low', value: (row) => row.change.interval?.low ?? null },
  { name: 'high', value: (row) => row.change.interval?.high ?? null },
  { name: 'p', value: (row) => significant(row.change.p) },
  { name: 'adjusted_p', value: (row) => significant(row.change.adjustedP) },
  { name: 'verdict', value: (row) => row.change.verdict },
  { name: 'no_verdict', value: (row) => row.change.noVerdict },
];

const GROUP: Column<DiffRow> = { name: 'group', value: ({ cell }) => cell.group ?? null };

/** One row for each cell, candidate and compared measure; a column `group` after `rate` where there are groups. */
export function renderDiffCsv(comparison: Comparison): string {
  const baseline = comparison.sides[0]?.label ?? '';
  const rows = comparison.cells.flatMap(({ cell, candidates }) =>
    candidates.flatMap((own, c) =>
      (own?.changes ?? []).map(
        (change): DiffRow => ({
          baseline,
          candidate: comparison.candidates[c]?.label ?? '',
          cell,
          repeats: own?.repeats.length ?? 0,
          change,
        }),
      ),
    ),
  );
  const grouped = rows.some(({ cell }) => cell.group !== undefined);
  const columns = COLUMNS.flatMap((column) =>
    grouped && column.name === 'rate' ? [column, GROUP] : [column],
  );
  return renderCsv(columns, rows);
}

/** A p-value to three digits. */
function significant(value: number | null): number | null {
  return value === null ? null : Number(value.toPrecision(3));
}
