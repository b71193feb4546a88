import type { Reading } from './measures.js';
import { type Cell, planGrid } from './plan.js';
import type { RequestRecord } from './record.js';
import type { RunFile, TargetFacts, VariantRun } from './run-file.js';
import type { Scenario } from './settings.js';
import {
  type CellSummary,
  type SummaryContext,
  summarizeCell,
  summarizeTrial,
  type TrialSummary,
} from './summary.js';

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
  const planOf = new Map(planGrid(run.scenario).trials.map((trial) => [trial.id, trial]));
  const contextOf = new Map(
    run.variants.map((variant) => [variant.name, summaryContext(run.scenario, variant)]),
  );
  const recordsOf = groupByTrial(records);
  const trials = run.trials.flatMap((trial) => {
    const plan = planOf.get(trial.id);
    const context = contextOf.get(trial.variant);
    if (plan === undefined || context === undefined) return [];
    return summarizeTrial(plan, recordsOf.get(trialKey(trial.variant, trial.id)) ?? [], context, trial);
  });
  return arrangeRun(run, trials);
}

/** Orders trials as the tables list them (variant, cell, repeat) and folds them into cells. */
export function arrangeRun(run: RunFile, trials: readonly TrialSummary[]): RunSummary {
  const { cells } = planGrid(run.scenario);
  const blocks = run.variants.flatMap((variant) =>
    cells.map((cell) => ({ cell, variant, own: trialsOf(trials, variant.name, cell) })),
  );
  const begun = blocks.filter(({ own }) => own.length > 0);
  return {
    trials: begun.flatMap(({ own }) => own),
    cells: begun.map(({ cell, variant, own }) =>
      summarizeCell(cell, own, summaryContext(run.scenario, variant)),
    ),
  };
}

/** How the records of one variant are to be read. */
export function summaryContext(scenario: Scenario, variant: VariantRun): SummaryContext {
  return {
    variant: variant.name,
    reading: readingOf(scenario, variant.target),
    outputTokens: scenario.outputTokens,
    repeats: scenario.repeats,
  };
}

function readingOf(scenario: Scenario, target: TargetFacts): Reading {
  return {
    absentCachedIsZero: target.cached_tokens === 'omits-zero',
    prefixTokens: scenario.prefixTokens,
    tailTokens: scenario.tailTokens,
    blockSize: scenario.blockSize,
    start: scenario.start,
  };
}

function trialsOf(trials: readonly TrialSummary[], variant: string, cell: Cell): TrialSummary[] {
  return trials
    .filter((trial) => trial.variant === variant && trial.cell.id === cell.id)
    .sort((a, b) => a.repeat - b.repeat);
}

function trialKey(variant: string, trial: string): string {
  return `${variant}\n${trial}`;
}

function groupByTrial(records: readonly RequestRecord[]): Map<string, RequestRecord[]> {
  const groups = new Map<string, RequestRecord[]>();
  for (const record of records) {
    const key = trialKey(record.variant, record.trial);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [record]);
    else group.push(record);
  }
  return groups;
}
