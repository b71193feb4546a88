import { createTimeHistogram } from '../core/base/time-histogram.js';
import type { Scenario } from '../core/scenario/settings.js';
import { createWorkload, type Workload } from '../core/workload/prompts.js';
import { createWholePlan, dispatchClosed, dispatchOpen, type PlanShare } from './dispatch.js';
import { requestGroup, requestMeta, requestPrompt } from './phase-requests.js';
import type { ClientMonitor, Clock, LoadCrew, StopSignal, Transport } from './ports.js';
import { type SendContext, sendRequest } from './send-request.js';

export interface LocalCrewDeps {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly stop: StopSignal;
  readonly monitor: ClientMonitor;
}

/** What of a phase falls to this thread, and when the phase began on the clock. */
export interface PhaseShare {
  readonly originMs: number;
  readonly plan: PlanShare;
}

/** Sends from this thread. `shareOf` is asked as a phase begins; by default all of it falls to this thread. */
export function createLocalCrew(
  scenario: Scenario,
  variant: string,
  deps: LocalCrewDeps,
  shareOf: () => PhaseShare = () => ({ originMs: deps.clock.now(), plan: createWholePlan() }),
): LoadCrew {
  let workload: { readonly trial: string; readonly prompts: Workload } | null = null;
  return {
    open: (connections) => deps.transport.open(connections),
    async run(phase, onEnd) {
      const { trial, count, concurrency } = phase;
      const isMeasured = phase.phase === 'measure';
      if (workload?.trial !== trial.id)
        workload = { trial: trial.id, prompts: createWorkload(scenario, trial) };
      const { prompts } = workload;
      const gaps = createTimeHistogram();
      const { originMs, plan } = shareOf();
      const context: SendContext = {
        ...deps,
        timeoutMs: scenario.timeout,
        originMs,
        measured: isMeasured ? { onFirst: deps.monitor.firstToken, gaps } : null,
      };
      const start = (seq: number, dueMs: number, done: () => void) => {
        const group = requestGroup(phase, scenario.groups, seq);
        const { outputTokens } = group ?? scenario;
        const request = { prompt: requestPrompt(phase, prompts, seq), outputTokens };
        sendRequest(
          context,
          requestMeta(phase, variant, group, seq),
          request,
          dueMs,
          (record, firstTokenWaitMs) => {
            onEnd({ record, endMs: deps.clock.now() - originMs, firstTokenWaitMs });
            done();
          },
        );
      };
      const loop = { clock: deps.clock, stop: deps.stop, start, plan };

      if (isMeasured) deps.monitor.start();
      if (isMeasured && trial.dueMs !== null) await dispatchOpen({ ...loop, dueMs: trial.dueMs, originMs });
      else await dispatchClosed({ ...loop, count, concurrency });
      const reading = isMeasured ? deps.monitor.stop() : null;
      return { readings: reading === null ? [] : [reading], gaps: gaps.counts() };
    },
  };
}
