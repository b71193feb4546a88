import type { WorkerNames } from '../core/answer/dialects.js';
import type { StreamEnd } from '../core/answer/exchange.js';
import { createRecorder, type Recorder, type RequestMeta } from '../core/answer/recorder.js';
import type { RequestRecord } from '../core/answer/request-record.js';
import type { TimeHistogram } from '../core/base/time-histogram.js';
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

/**
 * Sends one request and calls `done` once, whatever happens: with its record, the recorder, which knows more of the answer,
 * and the gaps between its tokens, ms (none in a phase that is not measured). A request never throws. The limit of the whole
 * request counts from when it was due.
 */
export function sendRequest(
  context: SendContext,
  meta: RequestMeta,
  request: OutgoingRequest,
  dueMs: number,
  done: (record: RequestRecord, answer: Recorder, gapsMs: readonly number[]) => void,
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
    done(record, recorder, gapsMs);
  });
  const cancelTimeout = watchLimits(context, recorder, dueMs, abort);
  const removeAbort = context.stop.onAbort(() => {
    abort({ kind: 'aborted', message: 'aborted by the user' });
  });
}

/** The record of a request that was planned but never sent. */
export function recordUnsent(meta: RequestMeta, message: string): RequestRecord {
  const end: StreamEnd = { kind: 'aborted', message };
  return createRecorder(meta, { originMs: 0, dueMs: null }).finish(end);
}
