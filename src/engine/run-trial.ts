import type { RequestRecord } from '../core/answer/request-record.js';
import { createTimeHistogram, type TimeCounts } from '../core/base/time-histogram.js';
import { buildClientCheck, meanInFlight } from '../core/measure/client-check.js';
import { createFirstTokenCount } from '../core/measure/first-token-wait.js';
import type { ItlSummary, TrialRun } from '../core/measure/run-file.js';
import { lengthsOf } from '../core/scenario/request-groups.js';
import type { Scenario } from '../core/scenario/settings.js';
import { slotsOf } from '../core/workload/load.js';
import type { TrialPlan } from '../core/workload/plan.js';
import { requestGroup, requestMeta } from './phase-requests.js';
import type { EndedRequest, LoadCrew, LoadPhase, PhaseEnd } from './ports.js';
import { recordUnsent } from './send-request.js';

export interface TrialDeps {
  readonly crew: LoadCrew;
  /** Told of every record as its request ends. */
  readonly onRecord: (record: RequestRecord) => void;
}

/** How a trial went, beside its records. */
export interface TrialEnd extends Pick<TrialRun, 'interrupted' | 'client' | 'itl' | 'first_token'> {
  /** Gaps between the tokens of the ok requests. */
  readonly gaps: TimeCounts;
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
): Promise<TrialEnd> {
  const { load } = trial.cell;
  let aborted = 0;
  const concurrency = slotsOf(load) ?? OPEN_LOAD_CONNECTIONS;
  const watch = createLoadWatch(trial);
  await deps.crew.open(concurrency);

  const primed = trial.cell.prefixes * lengthsOf(scenario).length;
  const primers = scenario.start === 'primed' ? primed : 0;
  await runPhase({ trial, phase: 'warmup', count: scenario.warmup, concurrency });
  await runPhase({ trial, phase: 'prime', count: primers, concurrency: 1 });
  const { readings, gaps } = await runPhase(
    { trial, phase: 'measure', count: trial.prefixOf.length, concurrency },
    watch.ended,
  );
  const client = readings.length === 0 ? null : buildClientCheck(readings, watch.seen());
  return {
    interrupted: aborted > 0,
    client,
    itl: summarizeGaps(gaps),
    first_token: watch.firstTokenWait(),
    gaps,
  };

  async function runPhase(
    phase: LoadPhase,
    onEnd: (ended: EndedRequest) => void = () => {},
  ): Promise<PhaseEnd> {
    const wasSent = new Uint8Array(phase.count);
    const end = await deps.crew.run(phase, (ended) => {
      wasSent[ended.record.seq] = 1;
      onEnd(ended);
      emit(ended.record);
    });
    for (let seq = 0; seq < phase.count; seq++) {
      if (wasSent[seq] === 0) {
        const group = requestGroup(phase, scenario.groups, seq);
        emit(recordUnsent(requestMeta(phase, variant, group, seq), 'not sent: the run was stopped'));
      }
    }
    return end;
  }

  function emit(record: RequestRecord): void {
    if (record.outcome === 'aborted') aborted++;
    deps.onRecord(record);
  }
}

function summarizeGaps(counts: TimeCounts): ItlSummary | null {
  const gaps = createTimeHistogram();
  gaps.merge(counts);
  const [p50_ms, p99_ms, max_ms] = [gaps.percentile(0.5), gaps.percentile(0.99), gaps.max()];
  if (p50_ms === null || p99_ms === null || max_ms === null) return null;
  return { gaps: gaps.size(), p50_ms, p99_ms, max_ms };
}

/** Gathers what the client's check wants to know of the measured requests. */
function createLoadWatch(trial: TrialPlan) {
  const requests = trial.prefixOf.length;
  const sendLag = createTimeHistogram();
  const sentMs = new Float64Array(requests).fill(Number.NaN);
  const endMs = new Float64Array(requests).fill(Number.NaN);
  const firstTokens = createFirstTokenCount();
  let lastDueMs = 0;
  const slots = slotsOf(trial.cell.load);
  return {
    ended({ record, endMs: atMs, firstTokenWaitMs }: EndedRequest): void {
      if (record.outcome === 'ok' && firstTokenWaitMs !== null) firstTokens.add(firstTokenWaitMs);
      lastDueMs = Math.max(lastDueMs, record.due_ms ?? 0);
      if (record.sent_ms === null) return;
      // A connection that is being opened for the request is load too, and no fault of the client.
      const connectMs = record.connect_ms ?? 0;
      sendLag.add((record.send_lag_ms ?? 0) - connectMs);
      sentMs[record.seq] = record.sent_ms - connectMs;
      endMs[record.seq] = atMs;
    },
    /** Null when no transport told of heads. */
    firstTokenWait: firstTokens.counts,
    seen: () => ({
      requests,
      sendLag,
      concurrencyAsked: slots,
      concurrencyMean: slots === null ? null : meanInFlight(sentMs, endMs, slots, lastDueMs),
    }),
  };
}
