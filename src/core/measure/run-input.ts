import type { RequestRecord } from '../answer/request-record.js';
import type { Evidence } from '../base/evidence.js';
import type { RunFile } from './run-file.js';
import type { CellSummary } from './summaries.js';

/** What `diff` and `report` read: a run with its requests, or a grid.csv by itself. */
export type RunInput = RunData | GridTable;

export interface RunData {
  readonly kind: 'run';
  /** Path as given. */
  readonly source: string;
  readonly run: RunFile;
  readonly records: readonly RequestRecord[];
  /** What had to be left out to read it. */
  readonly notes: readonly Evidence[];
}

/** Rows of grid.csv without the run they came from. */
export interface GridTable {
  readonly kind: 'grid';
  readonly source: string;
  readonly cells: readonly CellSummary[];
  readonly notes: readonly Evidence[];
}
