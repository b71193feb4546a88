import type { RequestRecord } from '../core/record.js';
import { createRecorder, type RequestMeta, type StreamEnd } from '../core/recorder.js';
import type { Clock, OutgoingRequest, StopSignal, Transport } from './ports.js';

/** What every request of a phase shares. */
export interface SendContext {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly stop: StopSignal;
  readonly timeoutMs: number;
  /** Start of the phase on the clock: times in its records count from here. */
  readonly originMs: number;
}

/**
 * Sends one request and calls `done` with its record, once, whatever happens. A request never throws. The timeout counts
 * from the moment the request was due.
 */
export function sendRequest(
  context: SendContext,
  meta: RequestMeta,
  request: OutgoingRequest,
  dueMs: number,
  done: (record: RequestRecord) => void,
): void {
  const recorder = createRecorder(meta, { originMs: context.originMs, dueMs });
  const abort = context.transport.send(request, recorder, (end) => {
    cancelTimeout();
    removeAbort();
    done(recorder.finish(end));
  });
  const cancelTimeout = context.clock.at(dueMs + context.timeoutMs, () => {
    abort({ kind: 'timeout', message: `no complete answer within ${context.timeoutMs / 1000} s` });
  });
  const removeAbort = context.stop.onAbort(() => {
    abort({ kind: 'aborted', message: 'aborted by the user' });
  });
}

/** The record of a request that was planned but never sent. */
export function recordUnsent(meta: RequestMeta, originMs: number, message: string): RequestRecord {
  const end: StreamEnd = { kind: 'aborted', message };
  return createRecorder(meta, { originMs, dueMs: null }).finish(end);
}
