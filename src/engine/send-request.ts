import type { WorkerNames } from '../core/answer/dialects.js';
import type { StreamEnd } from '../core/answer/exchange.js';
import { createRecorder, type Recorder, type RequestMeta } from '../core/answer/recorder.js';
import type { RequestRecord } from '../core/answer/request-record.js';
import type { TimeHistogram } from '../core/base/time-histogram.js';
import type { AnswerReads } from '../core/measure/token-reads.js';
import type { Clock, OutgoingRequest, StopSignal, Transport } from './ports.js';
import { type TimeLimits, watchLimits } from './time-limits.js';

/** What every request of a phase shares. */
export interface SendContext {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly stop: StopSignal;
  readonly limits: TimeLimits;
  readonly names: WorkerNames;
  /** Start of the phase on the clock: times in its records count from here. */
  readonly originMs: number;
  /** Told of first tokens, and given the gaps between tokens of ok requests; null in a phase that is not measured. */
  readonly measured: { readonly onFirst: () => void; readonly gaps: TimeHistogram } | null;
}

/** What is known of an answer beside its record. */
export interface AnswerRemarks extends Pick<Recorder, 'firstTokenWaitMs' | 'dialect' | 'workerSource'> {
  /** In how many reads its tokens came; nothing is known of them in a phase that is not measured. */
  reads(): AnswerReads;
}

/**
 * Sends one request and calls `done` once, whatever happens: with its record, and what else is known of the answer. A request never throws. The limit of the
 * whole request counts from when it was due.
 */
export function sendRequest(
  context: SendContext,
  meta: RequestMeta,
  request: OutgoingRequest,
  dueMs: number,
  done: (record: RequestRecord, answer: AnswerRemarks) => void,
): void {
  const { originMs, names, measured } = context;
  const gapsMs: number[] = [];
  const recorder = createRecorder(
    meta,
    measured === null
      ? { originMs, dueMs, names }
      : { originMs, dueMs, names, onFirst: measured.onFirst, onGap: (ms) => gapsMs.push(ms) },
  );
  const abort = context.transport.send({ ...request, meta }, recorder, (end) => {
    cancelTimeout();
    removeAbort();
    const record = recorder.finish(end);
    // Kept until now, for a request that fails enters no figure.
    if (record.outcome === 'ok') for (const ms of gapsMs) measured?.gaps.add(ms);
    done(record, { ...recorder, reads: () => readsOf(record.chunks, gapsMs) });
  });
  const cancelTimeout = watchLimits(context, recorder, dueMs, abort);
  const removeAbort = context.stop.onAbort(() => {
    abort({ kind: 'aborted', message: 'aborted by the user' });
  });
}

/** A gap of 0 is between two tokens that one read carried. */
function readsOf(tokens: number, gapsMs: readonly number[]): AnswerReads {
  const second = gapsMs.findIndex((ms) => ms > 0);
  return {
    tokens,
    reads: 1 + gapsMs.filter((ms) => ms > 0).length,
    firstRead: second === -1 ? tokens : 1 + second,
    spanMs: gapsMs.reduce((sum, ms) => sum + ms, 0),
  };
}

/** The record of a request that was planned but never sent. */
export function recordUnsent(meta: RequestMeta, message: string): RequestRecord {
  const end: StreamEnd = { kind: 'aborted', message };
  return createRecorder(meta, { originMs: 0, dueMs: null }).finish(end);
}
