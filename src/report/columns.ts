import type { Finding } from '../core/measure/finding-codes.js';
import { MEASURES } from '../core/measure/measures.js';
import type { CellSummary, TrialSummary } from '../core/measure/summaries.js';
import { isGrouped } from '../core/scenario/request-groups.js';
import type { Scenario } from '../core/scenario/settings.js';
import { LOAD_COLUMNS, loadColumns } from '../core/workload/load.js';
import type { Cell } from '../core/workload/plan.js';

/** One CSV column: a header and the value of a row; null is an empty cell. */
export interface Column<Row> {
  readonly name: string;
  value(row: Row): string | number | null;
}

/** Columns of trials.csv (DESIGN.md, section 5) of a scenario without groups. */
export const TRIAL_COLUMNS: readonly Column<TrialSummary>[] = [
  ...identity<TrialSummary>(),
  { name: 'repeat', value: (row) => row.repeat },
  ...counts<TrialSummary>(),
  ...MEASURES.map(({ key }): Column<TrialSummary> => ({ name: key, value: (row) => row.values[key] })),
  { name: 'findings', value: (row) => findingCodes(row.findings) },
];

/** Columns of grid.csv without groups: as trials.csv, with what was kept, and the band beside each measure that declares one. */
export const CELL_COLUMNS: readonly Column<CellSummary>[] = [
  ...identity<CellSummary>(),
  { name: 'repeats_kept', value: (row) => row.repeatsKept },
  { name: 'repeats_dropped', value: (row) => row.repeatsDropped },
  ...counts<CellSummary>(),
  ...MEASURES.flatMap(({ key, band }): Column<CellSummary>[] => [
    { name: key, value: (row) => row.values[key] },
    ...(band
      ? [
          { name: `${key}_min`, value: (row: CellSummary) => row.bands[key]?.min ?? null },
          { name: `${key}_max`, value: (row: CellSummary) => row.bands[key]?.max ?? null },
        ]
      : []),
  ]),
  { name: 'findings', value: (row) => findingCodes(row.findings) },
];

/** With groups there is a column `group` after `rate`. */
export function trialColumns(scenario: Pick<Scenario, 'groups'>): readonly Column<TrialSummary>[] {
  return isGrouped(scenario) ? withGroup(TRIAL_COLUMNS) : TRIAL_COLUMNS;
}

/** With groups there is a column `group` after `rate`. */
export function cellColumns(scenario: Pick<Scenario, 'groups'>): readonly Column<CellSummary>[] {
  return isGrouped(scenario) ? withGroup(CELL_COLUMNS) : CELL_COLUMNS;
}

function withGroup<Row extends { readonly cell: Cell }>(columns: readonly Column<Row>[]): Column<Row>[] {
  const group: Column<Row> = { name: 'group', value: (row) => row.cell.group ?? null };
  return columns.flatMap((column) => (column.name === 'rate' ? [column, group] : [column]));
}

function identity<Row extends { readonly variant: string; readonly cell: Cell }>(): Column<Row>[] {
  return [
    { name: 'variant', value: (row) => row.variant },
    { name: 'prefixes', value: (row) => row.cell.prefixes },
    ...LOAD_COLUMNS.map((name): Column<Row> => ({ name, value: (row) => loadColumns(row.cell.load)[name] })),
  ];
}

function counts<
  Row extends { readonly requests: number; readonly ok: number; readonly failed: number },
>(): Column<Row>[] {
  return [
    { name: 'requests', value: (row) => row.requests },
    { name: 'ok', value: (row) => row.ok },
    { name: 'failed', value: (row) => row.failed },
  ];
}

/** Each code once, `;` between. */
function findingCodes(findings: readonly Finding[]): string | null {
  return findings.length === 0 ? null : [...new Set(findings.map((finding) => finding.code))].join(';');
}
