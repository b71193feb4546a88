import { join } from 'node:path';
import type { TimeCounts } from '../core/base/time-histogram.js';
import { buildExperimentRecord, createObserver, type Observer } from '../core/measure/experiment-record.js';
import {
  type RunFile,
  SCHEMA,
  type TargetFacts,
  type TrialRun,
  trialKey,
  type VariantRun,
} from '../core/measure/run-file.js';
import { arrangeRun, type RunSummary } from '../core/measure/run-summary.js';
import type { SeriesPoint } from '../core/measure/servers/server-counts.js';
import type { TrialSummary } from '../core/measure/summaries.js';
import { summaryContext } from '../core/measure/trial-rows.js';
import { redactArgv, redactScenario } from '../core/scenario/redact.js';
import type { Scenario } from '../core/scenario/settings.js';
import { variantsOf } from '../core/scenario/variants.js';
import type { GridPlan } from '../core/workload/plan.js';
import type { Clock, RecordSink } from '../engine/ports.js';
import { createItlLog } from '../io/itl-log.js';
import { createSeriesFile } from '../io/metrics/series-file.js';
import { collectProvenance, digestWorkload } from '../io/provenance.js';
import { openRunDirectory } from '../io/run-directory.js';
import type { EarlierRun } from './earlier-run.js';

/** A run directory being written, with what is known so far. */
export interface RunSession {
  /** Adds a variant when its target is first seen. */
  join(variant: string, facts: TargetFacts): Promise<void>;
  readonly records: RecordSink;
  /** Trials that ended since the session began. */
  trialsDone(): number;
  trialEnded(
    trial: TrialRun,
    summaries: readonly TrialSummary[],
    more: { readonly gaps: TimeCounts; readonly series: readonly SeriesPoint[] },
  ): Promise<void>;
  /** Writes the last state; nothing is added after it. */
  finish(
    status: Exclude<RunFile['status'], 'running'>,
  ): Promise<{ readonly run: RunFile; readonly summary: RunSummary }>;
  close(): Promise<void>;
}

/** Opens the run directory `out`. `earlier` is what a resumed run has of whole trials. Throws KvbenchError (exit code 2). */
export async function openSession(
  scenario: Scenario,
  plan: GridPlan,
  earlier: EarlierRun | null,
  {
    out,
    argv,
    clock,
    onWriteFailure,
  }: {
    readonly out: string;
    readonly argv: readonly string[];
    readonly clock: Clock['name'];
    /** Records can no longer be written; {@link RunSession.trialEnded} will throw. */
    readonly onWriteFailure: () => void;
  },
): Promise<RunSession> {
  const record = buildExperimentRecord(scenario.record);
  let run: RunFile = {
    schema: SCHEMA,
    status: 'running',
    scenario: redactScenario(scenario),
    plan: {
      cells: plan.cells.map((cell) => cell.id),
      trials: plan.trials.map(({ id }) => ({ id, requests: scenario.requests })),
    },
    workload: digestWorkload(scenario, plan),
    variants: earlier?.variants ?? [],
    provenance: await collectProvenance(redactArgv(argv), clock),
    trials: earlier?.trials ?? [],
    record,
  };
  const order = variantsOf(scenario).map((spec) => spec.variant);
  const summaries = [...(earlier?.summaries ?? [])];
  const before = run.trials.length;
  const directory = await openRunDirectory(out, run, earlier?.records ?? [], onWriteFailure);
  const kept = new Set(run.trials.map(itlTag));
  const itlLog = createItlLog(join(out, 'itl.hlog'), (tag) => kept.has(tag));
  const seriesFile = createSeriesFile(join(out, 'metrics.jsonl'), new Set(run.trials.map(trialKey)));
  const observers = new Map<string, Observer>();

  /** What the requests of a variant show, folded as they are written. */
  function observerOf(variant: VariantRun): Observer {
    const known = observers.get(variant.name);
    if (known !== undefined) return known;
    const observer = createObserver(summaryContext(scenario, variant).rules);
    for (const one of earlier?.records ?? []) if (one.variant === variant.name) observer.add(one);
    observers.set(variant.name, observer);
    return observer;
  }

  async function save(): Promise<RunSummary> {
    const summary = arrangeRun(run, summaries);
    const { saveResults } = await loadResults();
    await saveResults(directory, run, summary);
    return summary;
  }

  return {
    records: {
      write: (one) => {
        observers.get(one.variant)?.add(one);
        directory.records.write(one);
      },
    },
    trialsDone: () => run.trials.length - before,
    join: async (name, target) => {
      if (observers.has(name)) return;
      observerOf({ name, target });
      const variants = [...run.variants.filter((other) => other.name !== name), { name, target }];
      run = { ...run, variants: variants.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name)) };
      await directory.saveRun(run);
    },
    trialEnded: async (trial, rows, { gaps, series }) => {
      await directory.records.flush();
      const [startMs, endMs] = [Date.parse(trial.started_at), Date.now()];
      await itlLog.add({ tag: itlTag(trial), startMs, endMs, gaps });
      await seriesFile.add(trial, series);
      summaries.push(...rows);
      run = { ...run, trials: [...run.trials, trial] };
      await save();
    },
    finish: async (status) => {
      const flushed = directory.records.flush();
      // A run that failed may have failed at this: run.json must say so all the same.
      await (status === 'failed' ? flushed.catch(() => {}) : flushed);
      const seen = run.variants.map((variant) => [variant.name, observerOf(variant).seen()] as const);
      run = {
        ...run,
        status,
        provenance: { ...run.provenance, ended_at: new Date().toISOString() },
        record: { ...record, seen: Object.fromEntries(seen) },
      };
      return { run, summary: await save() };
    },
    close: () => directory.records.close(),
  };
}

/** What writes and prints tables takes as long to load as a short trial takes to run: the first request does not wait for it. */
export function loadResults(): Promise<typeof import('./save-results.js')> {
  return import('./save-results.js');
}

/** The name of a trial in itl.hlog. */
function itlTag({ variant, id }: Pick<TrialRun, 'variant' | 'id'>): string {
  return `${variant}/${id}`;
}
