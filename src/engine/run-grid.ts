import type { TimeCounts } from '../core/base/time-histogram.js';
import type { TrialRun, VariantRun } from '../core/measure/run-file.js';
import type { SeriesPoint } from '../core/measure/servers/server-counts.js';
import type { TrialSummary } from '../core/measure/summaries.js';
import { createTrialRecords } from '../core/measure/trial-records.js';
import { readTrialRows } from '../core/measure/trial-rows.js';
import type { Scenario } from '../core/scenario/settings.js';
import { slotsOf } from '../core/workload/load.js';
import { type GridTrial, planTrial } from '../core/workload/plan.js';
import { isWhole } from '../core/workload/plan-rows.js';
import type { FailureWatch } from './failure-watch.js';
import { createLocalSender } from './local-sender.js';
import type {
  ClientMonitor,
  Clock,
  LoadSender,
  Progress,
  RecordSink,
  ServerWatch,
  StopSignal,
  Transport,
} from './ports.js';
import { runTrial } from './run-trial.js';

/** One trial of one variant, in the order of running. */
export interface GridStep {
  readonly variant: VariantRun;
  readonly transport: Transport;
  readonly trial: GridTrial;
}

export interface GridDeps {
  readonly clock: Clock;
  readonly stop: StopSignal;
  /** Told of every request; its stop is the run's. Left out, failures stop a run only where a whole trial got no answer. */
  readonly failures?: FailureWatch | undefined;
  readonly monitor: ClientMonitor;
  /** Replaces `local`, which sends from this thread; absent where nothing does. */
  readonly senderOf?: ((local: LoadSender) => LoadSender) | undefined;
  /** Absent where no metrics page can be read. */
  readonly servers?: ServerWatch | undefined;
  readonly sink: RecordSink;
  readonly progress: Progress;
  /** ISO 8601 time of day. */
  readonly wallTime: () => string;
  /** Called after each trial with its rows, once its records are written: saves what is known so far. */
  readonly onTrialEnd: (
    run: TrialRun,
    summaries: readonly TrialSummary[],
    more: { readonly gaps: TimeCounts; readonly series: readonly SeriesPoint[] },
  ) => Promise<void>;
}

/** How a grid ended. */
export type GridEnd = 'complete' | 'interrupted' | 'target-lost';

/**
 * Runs every step in order. Ends early when stopped, when most requests have begun to fail, or when a whole trial got no
 * answer at all and failures are not allowed in that number: an hour against a dead target measures nothing.
 */
export async function runGrid(
  scenario: Scenario,
  steps: readonly GridStep[],
  deps: GridDeps,
): Promise<GridEnd> {
  let failed = 0;
  for (const [index, step] of steps.entries()) {
    if (deps.stop.stopping) return isFailing(deps) ? 'target-lost' : 'interrupted';
    deps.progress.trialStarted(step.variant.name, step.trial, index, steps.length);
    const startedAt = deps.wallTime();
    const trial = planTrial(scenario, step.trial);
    const records = createTrialRecords();
    const local = createLocalSender(scenario, step.variant.name, { ...deps, transport: step.transport });
    const { gaps, series, ...end } = await runTrial(scenario, step.variant.name, trial, {
      sender: deps.senderOf?.(local) ?? local,
      servers: deps.servers,
      onRecord: (record) => {
        records.add(record);
        deps.sink.write(record);
        deps.failures?.add(record, slotsOf(trial.cell.load));
        deps.progress.requestEnded(record);
      },
    });
    const run: TrialRun = { variant: step.variant.name, id: trial.id, started_at: startedAt, ...end };
    const rows = readTrialRows(scenario, step.variant, trial, records.all(), run);
    const summaries = rows.map((row) => row.summary);
    await deps.onTrialEnd(run, summaries, { gaps, series });
    for (const summary of summaries) deps.progress.trialEnded(summary);
    failed += countFailed(summaries);
    if (isFailing(deps)) return 'target-lost';
    if (run.interrupted) return 'interrupted';
    if (summaries.every((summary) => summary.ok === 0) && failed > scenario.maxFailed) return 'target-lost';
  }
  return 'complete';
}

function isFailing({ failures }: GridDeps): boolean {
  return failures !== undefined && failures.seen() !== null;
}

/** Counts each failed request once, however many rows it is in. */
function countFailed(rows: readonly TrialSummary[]): number {
  return rows.reduce((sum, { cell, failed }) => sum + (isWhole(cell) ? 0 : failed), 0);
}
