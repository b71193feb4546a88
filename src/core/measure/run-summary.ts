import type { RequestRecord } from '../answer/request-record.js';
import { type Cell, planCells, planGrid, planTrial } from '../workload/plan.js';
import { isWhole, planRows } from '../workload/plan-rows.js';
import type { Finding } from './finding-codes.js';
import { type RunFile, trialKey } from './run-file.js';
import { type CellSummary, summarizeCell, type TrialSummary } from './summaries.js';
import { readTrialRows, summaryContext, type TrialRow } from './trial-rows.js';
import { findWorkerChange } from './worker-changes.js';

/** Every summary of a run: rows of trials.csv and of grid.csv, in their order. */
export interface RunSummary {
  readonly trials: readonly TrialSummary[];
  readonly cells: readonly CellSummary[];
}

/**
 * The fold from a run's files to its rows; a replay of what {@link arrangeRun} was given trial by trial, byte for byte.
 * A trial has a row once run.json lists it.
 */
export function summarizeRun(run: RunFile, records: readonly RequestRecord[]): RunSummary {
  return arrangeRun(
    run,
    readRunRows(run, records).map((row) => row.summary),
  );
}

/** Every row of every trial that run.json lists, in its order. */
export function readRunRows(run: RunFile, records: readonly RequestRecord[]): readonly TrialRow[] {
  const planOf = new Map(planGrid(run.scenario).trials.map((trial) => [trial.id, trial]));
  const variantOf = new Map(run.variants.map((variant) => [variant.name, variant]));
  const recordsOf = groupByTrial(records);
  return run.trials.flatMap((trial) => {
    const plan = planOf.get(trial.id);
    const variant = variantOf.get(trial.variant);
    if (plan === undefined || variant === undefined) return [];
    const own = recordsOf.get(trialKey(trial)) ?? [];
    return readTrialRows(run.scenario, variant, planTrial(run.scenario, plan), own, trial);
  });
}

/** Every finding of a run, each once: the whole of several groups has no others than they. */
export function findingsOf(summary: RunSummary): readonly Finding[] {
  return summary.cells.flatMap((row) => (isWhole(row.cell) ? [] : row.findings));
}

/** Orders trials as the tables list them (variant, cell, repeat) and folds them into cells. */
export function arrangeRun(run: RunFile, trials: readonly TrialSummary[]): RunSummary {
  const cells = planRows(run.scenario, planCells(run.scenario));
  const blocks = run.variants.flatMap((variant) =>
    cells.map((cell) => ({ cell, variant, own: trialsOf(trials, variant.name, cell) })),
  );
  const begun = blocks.filter(({ own }) => own.length > 0);
  const changed = run.variants.flatMap(({ name }) => workersChanged(run, name, trials));
  return {
    trials: begun.flatMap(({ own }) => own),
    cells: begun.map(({ cell, variant, own }) => {
      const summary = summarizeCell(cell, own, summaryContext(run.scenario, variant));
      const found = changed.filter((one) => own.includes(one.trial)).map(({ finding }) => finding);
      return found.length === 0 ? summary : { ...summary, findings: [...summary.findings, ...found] };
    }),
  };
}

/** The finding that the workers of a variant changed while it ran, with the trial that first shows it; empty for none. */
function workersChanged(
  run: RunFile,
  variant: string,
  trials: readonly TrialSummary[],
): { readonly trial: TrialSummary; readonly finding: Finding }[] {
  const [group] = run.scenario.groups;
  const own = trials.filter((trial) => trial.variant === variant && trial.cell.group === group?.group);
  const isRenewed = run.scenario.variants.some((spec) => spec.variant === variant && spec.setup !== null);
  const evidence = findWorkerChange(
    own.map(({ id, ok, prefixesOfWorker }) => ({ trial: id, requests: ok, prefixesOf: prefixesOfWorker })),
    isRenewed,
  );
  const trial = own.at(-1);
  return evidence === null || trial === undefined
    ? []
    : [{ trial, finding: { code: 'workers-changed', where: trial.cell.id, evidence } }];
}

function trialsOf(trials: readonly TrialSummary[], variant: string, cell: Cell): TrialSummary[] {
  return trials
    .filter((trial) => trial.variant === variant && trial.cell.id === cell.id)
    .sort((a, b) => a.repeat - b.repeat);
}

function groupByTrial(records: readonly RequestRecord[]): Map<string, RequestRecord[]> {
  const groups = new Map<string, RequestRecord[]>();
  for (const record of records) {
    const key = trialKey({ variant: record.variant, id: record.trial });
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [record]);
    else group.push(record);
  }
  return groups;
}
