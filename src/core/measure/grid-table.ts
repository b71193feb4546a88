import { parseCsvRows } from '../base/csv-rows.js';
import { usageError } from '../base/errors.js';
import { loadOfColumns } from '../workload/load.js';
import { createCell } from '../workload/plan.js';
import { FINDINGS, type Finding, type FindingCode } from './finding-codes.js';
import { MEASURES, type MeasureKey, type MeasureValues } from './measures.js';
import type { GridTable } from './run-input.js';
import type { CellSummary } from './summaries.js';
import { trialEvidence } from './trial-evidence.js';

/**
 * Reads the text of a grid.csv: columns by name, in any order; a missing measure is null in every row and said in
 * `notes`; columns that no kvbench knows are ignored.
 *
 * @throws KvbenchError (exit code 2) when it holds no rows, or nothing tells which cell a row is of.
 */
export function parseGridTable(text: string, source: string): GridTable {
  const [header = [], ...rows] = parseCsvRows(text);
  const columnOf = new Map(header.map((name, column) => [name.trim(), column]));
  const missing = (name: string) => !columnOf.has(name);

  if (missing('variant') || missing('prefixes') || (missing('concurrency') && missing('rate'))) {
    throw usageError(
      'no-grid-csv',
      `${source} is no grid.csv: it has no column ${missing('variant') ? 'variant' : missing('prefixes') ? 'prefixes' : 'concurrency'}`,
      'give a run directory, or the grid.csv that kvbench grid writes',
    );
  }
  if (!missing('repeat')) {
    throw usageError(
      'trials-csv',
      `${source} holds trials, not cells`,
      'give the grid.csv beside it, or the run directory',
    );
  }
  if (rows.length === 0) throw usageError('empty-grid-csv', `${source} has a header but no rows`);

  const absent = [...MEASURES.map((measure) => measure.key), 'repeats_kept', 'requests', 'findings'].filter(
    missing,
  );
  const cells = rows.map((row, index) =>
    readCell((name) => row[columnOf.get(name) ?? -1]?.trim() ?? '', `${source}:${index + 2}`),
  );
  return {
    kind: 'grid',
    source,
    cells,
    notes: absent.length === 0 ? [] : [trialEvidence('columns-missing', { columns: absent })],
  };
}

function readCell(cellOf: (column: string) => string, where: string): CellSummary {
  const number = (column: string): number | null => {
    const text = cellOf(column);
    if (text === '') return null;
    const value = Number(text);
    if (Number.isFinite(value)) return value;
    throw usageError('grid-csv-value', `${where}: ${column} is "${text}", expected a number`);
  };
  const prefixes = number('prefixes');
  const load = loadOfColumns({ concurrency: number('concurrency'), rate: number('rate') });
  if (prefixes === null || load === null) {
    throw usageError('grid-csv-value', `${where}: no prefixes, or neither concurrency nor rate`);
  }
  const group = cellOf('group');
  const cell = createCell(prefixes, load, group === '' ? undefined : group);
  return {
    variant: cellOf('variant'),
    cell,
    repeatsKept: number('repeats_kept') ?? 0,
    repeatsDropped: number('repeats_dropped') ?? 0,
    requests: number('requests') ?? 0,
    ok: number('ok') ?? 0,
    failed: number('failed') ?? 0,
    values: Object.fromEntries(MEASURES.map(({ key }) => [key, number(key)])) as MeasureValues,
    bands: Object.fromEntries(
      MEASURES.filter((measure) => measure.band).map(({ key }): [MeasureKey, object] => [
        key,
        { min: number(`${key}_min`), max: number(`${key}_max`) },
      ]),
    ),
    findings: cellOf('findings')
      .split(';')
      .filter((code): code is FindingCode => Object.hasOwn(FINDINGS, code))
      .map((code): Finding => ({ code, where: cell.id, evidence: trialEvidence('said-by-grid', null) })),
  };
}
