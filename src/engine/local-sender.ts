import { workerNamesOf } from '../core/answer/dialects.js';
import { createTimeHistogram } from '../core/base/time-histogram.js';
import { readsOf } from '../core/measure/token-reads.js';
import type { Scenario } from '../core/scenario/settings.js';
import { createTrialRequests, type TrialRequests } from '../core/workload/requests.js';
import { dispatch } from './dispatch.js';
import type { ClientMonitor, Clock, LoadSender, StopSignal, Transport, TrialPhase } from './ports.js';
import { requestMeta } from './request-meta.js';
import { type SendContext, sendRequest } from './send-request.js';
import { timeLimitsOf } from './time-limits.js';

export interface LocalSenderDeps {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly stop: StopSignal;
  readonly monitor: ClientMonitor;
}

/** This thread's share of a phase. */
export interface PhaseShare {
  /** Start of the phase on the clock. */
  readonly originMs: number;
  /** Claims the next request of the phase, from 0. */
  readonly take: () => number;
}

/** Sends from this thread. `shareOf` is asked as a phase begins; by default the share is all of it. */
export function createLocalSender(
  scenario: Scenario,
  variant: string,
  deps: LocalSenderDeps,
  shareOf: () => PhaseShare = () => wholePhase(deps.clock),
): LoadSender {
  const { clock, monitor } = deps;
  let known: { readonly key: string; readonly requests: TrialRequests } | null = null;

  function requestsOf({ trial, salt }: TrialPhase): TrialRequests {
    const key = `${trial.id}\n${salt}`;
    if (known?.key !== key) known = { key, requests: createTrialRequests({ ...scenario, salt }, trial) };
    return known.requests;
  }

  return {
    open: (connections) => deps.transport.open(connections),
    async run(phase, onEnd) {
      const isMeasured = phase.phase === 'measure';
      const requests = requestsOf(phase)[phase.phase];
      const gaps = createTimeHistogram();
      const { originMs, take } = shareOf();
      const context: SendContext = {
        ...deps,
        limits: timeLimitsOf(scenario),
        names: workerNamesOf(scenario),
        originMs,
        measured: isMeasured ? { onFirst: monitor.firstToken, gaps } : null,
      };
      if (isMeasured) monitor.start();
      await dispatch({
        ...{ requests, take, slots: phase.slots, originMs, clock, stop: deps.stop },
        start: (request, dueMs, done) => {
          const meta = requestMeta(phase, variant, request);
          sendRequest(context, meta, request, dueMs, (record, answer, gapsMs) => {
            onEnd({
              record,
              endMs: clock.now() - originMs,
              firstTokenWaitMs: answer.firstTokenWaitMs(),
              reads: readsOf(record.chunks, gapsMs),
            });
            done();
          });
        },
      });
      const reading = isMeasured ? monitor.stop() : null;
      return { readings: reading === null ? [] : [reading], gaps: gaps.counts() };
    },
  };
}

function wholePhase(clock: Clock): PhaseShare {
  let next = 0;
  return { originMs: clock.now(), take: () => next++ };
}
