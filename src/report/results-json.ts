import type { RunFile } from '../core/measure/run-file.js';
import type { RunSummary } from '../core/measure/run-summary.js';
import { findingsOf } from '../core/measure/run-summary.js';
import { type Column, cellColumns, trialColumns } from './columns.js';
import { describeEvidence } from './describe-evidence.js';
import { EN } from './messages/en.js';

/** The rows of grid.csv and trials.csv as JSON, same names, null for an empty cell, with every finding. */
export function renderResultsJson(run: RunFile, summary: RunSummary, directory: string): string {
  const result = {
    schema: run.schema,
    status: run.status,
    directory,
    variants: run.variants,
    cells: summary.cells.map((row) => asObject(cellColumns(run.scenario), row)),
    trials: summary.trials.map((row) => asObject(trialColumns(run.scenario), row)),
    findings: findingsOf(summary).map(({ code, where, evidence }) => ({
      code,
      where,
      seen: describeEvidence(evidence, EN.evidence),
    })),
  };
  return `${JSON.stringify(result, null, 2)}\n`;
}

function asObject<Row>(columns: readonly Column<Row>[], row: Row): Record<string, string | number | null> {
  return Object.fromEntries(columns.map((column) => [column.name, column.value(row)]));
}
