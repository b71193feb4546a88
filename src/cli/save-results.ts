import { join } from 'node:path';
import { compareVariants } from '../core/compare/compare.js';
import { buildComparedVariants } from '../core/compare/compared-variant.js';
import { isForbidden } from '../core/compare/comparison-findings.js';
import type { RunFile } from '../core/measure/run-file.js';
import type { RunSummary } from '../core/measure/run-summary.js';
import { readRun } from '../io/read-run.js';
import type { RunDirectory } from '../io/run-directory.js';
import { cellColumns, trialColumns } from '../report/columns.js';
import { renderCsv } from '../report/csv.js';
import { buildDiff } from '../report/diff-document.js';
import { renderMarkdown } from '../report/document/markdown.js';
import { renderText } from '../report/document/text.js';
import { EN } from '../report/messages/en.js';
import { buildRunNotices } from '../report/notices.js';
import { renderResultsJson } from '../report/results-json.js';
import { buildRunTables } from '../report/tables/run-tables.js';

interface OutputOptions {
  readonly out: string;
  readonly json: boolean;
}

/** Writes run.json and every table. */
export async function saveResults(directory: RunDirectory, run: RunFile, summary: RunSummary): Promise<void> {
  await directory.saveRun(run);
  await directory.saveTable('trials.csv', renderCsv(trialColumns(run.scenario), summary.trials));
  await directory.saveTable('grid.csv', renderCsv(cellColumns(run.scenario), summary.cells));
  await directory.saveTable('tables.md', renderMarkdown(buildRunTables(run, summary)));
}

/** Prints the tables and findings, or the results as JSON. `notes` come last. */
export function printResults(
  run: RunFile,
  summary: RunSummary,
  notes: string | null,
  options: OutputOptions,
): void {
  if (options.json) {
    process.stdout.write(renderResultsJson(run, summary, options.out));
    return;
  }
  const notices = buildRunNotices(summary, EN);
  process.stdout.write(renderText(buildRunTables(run, summary)));
  if (notices.length > 0) process.stdout.write(`\nFindings\n${renderText([{ kind: 'notices', notices }])}`);
  if (notes !== null) process.stdout.write(`\n${notes}\n`);
  process.stdout.write(`\nRun directory: ${join(options.out, '/')}\n`);
}

/** Variants of one run side by side, as `kvbench diff` prints them; whether anything forbids to compare them. */
export async function printComparison(run: RunFile, options: OutputOptions): Promise<boolean> {
  if (run.variants.length < 2) return false;
  const input = await readRun(options.out);
  const comparison = compareVariants(buildComparedVariants([input]), { workerCapacity: null });
  if (!options.json) {
    const view = { measures: null, all: false, workers: false, gates: [] };
    process.stdout.write(`\n${renderText(buildDiff(comparison, view))}`);
  }
  return isForbidden(comparison.findings);
}
