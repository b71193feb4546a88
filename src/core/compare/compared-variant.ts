import type { Evidence } from '../base/evidence.js';
import type { CacheRules } from '../measure/cache-counts.js';
import type { ClientCheck } from '../measure/client-check.js';
import type { LostTokens } from '../measure/lost-hits.js';
import type { RunFile, VariantRun } from '../measure/run-file.js';
import type { GridTable, RunData, RunInput } from '../measure/run-input.js';
import { arrangeRun, readRunRows } from '../measure/run-summary.js';
import type { CellSummary, TrialSummary } from '../measure/summaries.js';
import type { TrialFacts } from '../measure/trial-facts.js';
import { summaryContext } from '../measure/trial-rows.js';
import { createWorkerLifetimes, type WorkerLifetimes } from '../measure/worker-lifetimes.js';
import { type Cell, planCells } from '../workload/plan.js';
import { planRows } from '../workload/plan-rows.js';

/** What identifies one variant of one run. */
export interface VariantInfo {
  /** Variant name, with its source in brackets where two sides have the same one. */
  readonly label: string;
  readonly variant: string;
  /** Path as given. */
  readonly source: string;
  /** `grid`: grid.csv alone, so there are no requests to pair. */
  readonly kind: 'run' | 'grid';
  /** Null for a bare grid.csv. */
  readonly model: string | null;
  readonly repeats: number | null;
  readonly requests: number | null;
}

/** One variant of one run, sorted out for comparison. */
export interface ComparedVariant {
  readonly info: VariantInfo;
  /** Null for a bare grid.csv. */
  readonly origin: {
    readonly run: RunFile;
    readonly variant: VariantRun;
    readonly rules: CacheRules;
  } | null;
  /** In table order, by cell id. */
  readonly cells: ReadonlyMap<string, ComparedCell>;
  /** Cells that the run planned, in table order; those of the rows from grid.csv alone. */
  readonly planned: readonly Cell[];
  /** The workers that served an ok request anywhere in the run. */
  readonly fleet: WorkerLifetimes;
  /** What had to be left out to read it. */
  readonly notes: readonly Evidence[];
}

export interface ComparedCell {
  readonly cell: Cell;
  readonly summary: CellSummary;
  /** Dropped ones too; empty from grid.csv alone. */
  readonly trials: readonly ComparedTrial[];
}

export interface ComparedTrial {
  readonly repeat: number;
  readonly summary: TrialSummary;
  readonly facts: TrialFacts;
  /** Null on a virtual clock. */
  readonly client: ClientCheck | null;
  readonly lost: LostTokens;
}

/** Every variant of every input, in the order given; a name that two sides share gets its source in brackets. */
export function buildComparedVariants(inputs: readonly RunInput[]): ComparedVariant[] {
  const sides = inputs.flatMap((input) => (input.kind === 'run' ? sidesOfRun(input) : sidesOfGrid(input)));
  return sides.map((side) => {
    const shared = sides.filter((other) => other.info.variant === side.info.variant).length > 1;
    const label = shared ? `${side.info.variant} (${shortSource(side.info.source)})` : side.info.variant;
    return { ...side, info: { ...side.info, label } };
  });
}

/** Kept trials of a cell. */
export function keptTrials(cell: ComparedCell): readonly ComparedTrial[] {
  return cell.trials.filter((trial) => trial.summary.kept);
}

function sidesOfRun(input: RunData): ComparedVariant[] {
  const { run } = input;
  const planned = planRows(run.scenario, planCells(run.scenario));
  const rows = readRunRows(run, input.records);
  const rowOf = new Map(rows.map((row) => [row.summary, row]));
  const summary = arrangeRun(
    run,
    rows.map((row) => row.summary),
  );
  return run.variants.map((variant) => {
    const { rules } = summaryContext(run.scenario, variant);
    const cells = new Map<string, ComparedCell>();
    for (const row of summary.cells.filter((cell) => cell.variant === variant.name)) {
      const trials = summary.trials
        .filter((trial) => trial.variant === variant.name && trial.cell.id === row.cell.id)
        .flatMap((trial): ComparedTrial[] => {
          const own = rowOf.get(trial);
          if (own === undefined) return [];
          return [
            { repeat: trial.repeat, summary: trial, facts: own.facts, client: own.client, lost: own.lost() },
          ];
        });
      cells.set(row.cell.id, { cell: row.cell, summary: row, trials });
    }
    const trials = [...cells.values()].flatMap((cell) => cell.trials);
    return {
      info: {
        label: variant.name,
        variant: variant.name,
        source: input.source,
        kind: 'run',
        model: variant.target.model,
        repeats: run.scenario.repeats,
        requests: run.scenario.requests,
      },
      origin: { run, variant, rules },
      cells,
      planned,
      fleet: createWorkerLifetimes(trials.map(({ repeat, facts }) => ({ repeat, workers: facts.workers }))),
      notes: input.notes,
    };
  });
}

function sidesOfGrid(input: GridTable): ComparedVariant[] {
  const names = [...new Set(input.cells.map((cell) => cell.variant))];
  return names.map((name) => {
    const rows = input.cells.filter((cell) => cell.variant === name);
    return {
      info: {
        label: name,
        variant: name,
        source: input.source,
        kind: 'grid',
        model: null,
        repeats: null,
        requests: null,
      },
      origin: null,
      cells: new Map(rows.map((row) => [row.cell.id, { cell: row.cell, summary: row, trials: [] }])),
      planned: rows.map((row) => row.cell),
      fleet: createWorkerLifetimes([]),
      notes: input.notes,
    };
  });
}

/** The last folder of a path. */
function shortSource(source: string): string {
  const parts = source.split(/[\\/]/).filter((part) => part !== '' && part !== '.' && part !== 'grid.csv');
  return parts.at(-1) ?? source;
}
