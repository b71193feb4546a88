import { stringify } from 'csv-stringify/sync';
import type { Column } from './columns.js';

/** One header row, then one row each; empty cell for null, numbers plain, line feed at every end. */
export function renderCsv<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  return stringify([
    columns.map((column) => column.name),
    ...rows.map((row) => columns.map((column) => column.value(row))),
  ]);
}
