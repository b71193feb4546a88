import type { Phase, RequestRecord } from '../core/answer/request-record.js';
import { createTimeHistogram, type TimeCounts } from '../core/base/time-histogram.js';
import { buildClientCheck, meanInFlight } from '../core/measure/client-check.js';
import { createFirstTokenCount } from '../core/measure/first-token-wait.js';
import type { ItlSummary, TrialRun } from '../core/measure/run-file.js';
import type { SeriesPoint } from '../core/measure/servers/server-counts.js';
import { summarizeHold } from '../core/measure/slot-use.js';
import { createTokenReadCount } from '../core/measure/token-reads.js';
import type { Scenario } from '../core/scenario/settings.js';
import { slotsOf } from '../core/workload/load.js';
import type { TrialPlan } from '../core/workload/plan.js';
import { createTrialRequests } from '../core/workload/requests.js';
import type { EndedRequest, LoadSender, PhaseEnd, ServerWatch, TrialPhase } from './ports.js';
import { requestMeta } from './request-meta.js';
import { recordUnsent } from './send-request.js';

export interface TrialDeps {
  readonly sender: LoadSender;
  /** Absent where no metrics page can be read. */
  readonly servers?: ServerWatch | undefined;
  /** Called with every record as its request ends. */
  readonly onRecord: (record: RequestRecord) => void;
}

/** How a trial went, beside its records. */
export interface TrialEnd
  extends Pick<
    TrialRun,
    'interrupted' | 'client' | 'itl' | 'first_token' | 'token_reads' | 'after_last_token' | 'servers'
  > {
  /** Gaps between the tokens of the ok requests. */
  readonly gaps: TimeCounts;
  /** What the servers showed during the measured phase; empty where they are not watched. */
  readonly series: readonly SeriesPoint[];
}

/** Connections opened before an open load, which opens more when it needs them. */
const OPEN_LOAD_CONNECTIONS = 16;

/**
 * Runs one trial: connections, warm-up, primers, then the measured phase. Every planned request gets exactly one record,
 * even if it is never sent.
 */
export async function runTrial(
  scenario: Scenario,
  variant: string,
  trial: TrialPlan,
  { sender, servers, onRecord }: TrialDeps,
): Promise<TrialEnd> {
  const requests = createTrialRequests(scenario, trial);
  const slots = slotsOf(trial.cell.load);
  const connections = slots ?? OPEN_LOAD_CONNECTIONS;
  const watch = createLoadWatch(trial);
  let aborted = 0;
  await sender.open(connections);

  await runPhase('warmup', connections);
  await runPhase('prime', 1);
  await servers?.begin();
  const { readings, gaps } = await runPhase('measure', slots, watch.ended);
  const counted = await servers?.end();
  return {
    interrupted: aborted > 0,
    client: readings.length === 0 ? null : buildClientCheck(readings, watch.seen()),
    itl: summarizeGaps(gaps),
    ...watch.arrivals(),
    gaps,
    ...(counted === undefined ? {} : { servers: counted.servers }),
    series: counted?.series ?? [],
  };

  async function runPhase(
    name: Phase,
    phaseSlots: number | null,
    onEnd: (ended: EndedRequest) => void = () => {},
  ): Promise<PhaseEnd> {
    const phase: TrialPhase = { trial, phase: name, salt: scenario.salt, slots: phaseSlots };
    const { count, at } = requests[name];
    const wasSent = new Uint8Array(count);
    const end = await sender.run(phase, (ended) => {
      wasSent[ended.record.seq] = 1;
      onEnd(ended);
      emit(ended.record);
    });
    for (let seq = 0; seq < count; seq++) {
      if (wasSent[seq] === 1) continue;
      emit(recordUnsent(requestMeta(phase, variant, at(seq)), 'not sent: the run was stopped'));
    }
    return end;
  }

  function emit(record: RequestRecord): void {
    if (record.outcome === 'aborted') aborted++;
    onRecord(record);
  }
}

function summarizeGaps(counts: TimeCounts): ItlSummary | null {
  const gaps = createTimeHistogram();
  gaps.merge(counts);
  const [p50_ms, p99_ms, max_ms] = [gaps.percentile(0.5), gaps.percentile(0.99), gaps.max()];
  if (p50_ms === null || p99_ms === null || max_ms === null) return null;
  return { gaps: gaps.size(), p50_ms, p99_ms, max_ms };
}

/** Gathers what the client check needs to know of the measured requests. */
function createLoadWatch(trial: TrialPlan) {
  const requests = trial.prefixOf.length;
  const sendLag = createTimeHistogram();
  const sentMs = new Float64Array(requests).fill(Number.NaN);
  const endMs = new Float64Array(requests).fill(Number.NaN);
  const firstTokens = createFirstTokenCount();
  const tokenReads = createTokenReadCount();
  const held = createTimeHistogram();
  let lastDueMs = 0;
  const slots = slotsOf(trial.cell.load);
  return {
    ended({ record, endMs: atMs, firstTokenWaitMs, reads }: EndedRequest): void {
      // A transport that reports no response heads reads no sockets.
      if (record.outcome === 'ok' && firstTokenWaitMs !== null) {
        firstTokens.add(firstTokenWaitMs);
        tokenReads.add(reads);
        held.add(Math.max(0, atMs - (record.sent_ms ?? 0) - (record.e2e_ms ?? 0)));
      }
      lastDueMs = Math.max(lastDueMs, record.due_ms ?? 0);
      if (record.sent_ms === null) return;
      // Opening a connection for the request counts as load, not as client delay.
      const connectMs = record.connect_ms ?? 0;
      sendLag.add((record.send_lag_ms ?? 0) - connectMs);
      sentMs[record.seq] = record.sent_ms - connectMs;
      endMs[record.seq] = atMs;
    },
    arrivals: () => ({
      first_token: firstTokens.counts(),
      token_reads: tokenReads.counts(),
      after_last_token: summarizeHold(held),
    }),
    seen: () => ({
      requests,
      sendLag,
      concurrencyAsked: slots,
      concurrencyMean: slots === null ? null : meanInFlight(sentMs, endMs, slots, lastDueMs),
    }),
  };
}
