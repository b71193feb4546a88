import type { TrialPlan } from '../core/plan.js';
import type { Phase, RequestRecord } from '../core/record.js';
import type { RequestMeta } from '../core/recorder.js';
import type { TrialRun } from '../core/run-file.js';
import type { Scenario } from '../core/settings.js';
import { createWorkload, type Prompt } from '../core/workload.js';
import { dispatchClosed, dispatchOpen } from './dispatch.js';
import type { ClientMonitor, Clock, StopSignal, Transport } from './ports.js';
import { recordUnsent, type SendContext, sendRequest } from './send-request.js';

export interface TrialDeps {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly stop: StopSignal;
  readonly monitor: ClientMonitor;
  /** Told of every record as its request ends. */
  readonly onRecord: (record: RequestRecord) => void;
}

/** Connections opened before an open load; it opens more when it needs them. */
const OPEN_LOAD_CONNECTIONS = 16;

/**
 * Runs one trial: connections, warm-up, primers, then the measured phase. Every planned request gets exactly one record,
 * those never sent too.
 */
export async function runTrial(
  scenario: Scenario,
  variant: string,
  trial: TrialPlan,
  deps: TrialDeps,
): Promise<Pick<TrialRun, 'interrupted' | 'client'>> {
  const { load } = trial.cell;
  let aborted = 0;
  const width = load.kind === 'closed' ? load.concurrency : OPEN_LOAD_CONNECTIONS;
  const workload = createWorkload(scenario, trial);
  await deps.transport.open(width);

  const primers = scenario.start === 'primed' ? trial.cell.prefixes : 0;
  await runPhase('warmup', scenario.warmup, width, (seq) => [null, workload.warmup(seq)]);
  await runPhase('prime', primers, 1, (seq) => [seq, workload.primer(seq)]);

  deps.monitor.start();
  await runPhase('measure', trial.prefixOf.length, width, (seq) => [
    trial.prefixOf[seq] ?? 0,
    workload.prompt(seq),
  ]);
  const client = deps.monitor.stop(trial.prefixOf.length);
  return { interrupted: aborted > 0, client };

  async function runPhase(
    phase: Phase,
    count: number,
    concurrency: number,
    plan: (seq: number) => readonly [prefix: number | null, prompt: Prompt],
  ): Promise<void> {
    const originMs = deps.clock.now();
    const context: SendContext = { ...deps, timeoutMs: scenario.timeout, originMs };
    const start = (seq: number, dueMs: number, done: () => void) => {
      const [prefix, prompt] = plan(seq);
      const request = { prompt, outputTokens: scenario.outputTokens };
      sendRequest(context, metaOf(phase, seq, prefix), request, dueMs, (record) => {
        emit(record);
        done();
      });
    };
    const loop = { clock: deps.clock, stop: deps.stop, start };
    const started =
      phase === 'measure' && trial.dueMs !== null
        ? await dispatchOpen({ ...loop, dueMs: trial.dueMs, originMs })
        : await dispatchClosed({ ...loop, count, concurrency });
    for (let seq = started; seq < count; seq++) {
      const [prefix] = plan(seq);
      emit(recordUnsent(metaOf(phase, seq, prefix), originMs, 'not sent: the run was stopped'));
    }
  }

  function emit(record: RequestRecord): void {
    if (record.outcome === 'aborted') aborted++;
    deps.onRecord(record);
  }

  function metaOf(phase: Phase, seq: number, prefix: number | null): RequestMeta {
    return {
      trial: trial.id,
      variant,
      prefixes: trial.cell.prefixes,
      concurrency: load.kind === 'closed' ? load.concurrency : null,
      rate: load.kind === 'open' ? load.rate : null,
      repeat: trial.repeat,
      seq,
      prefix,
      phase,
    };
  }
}
