import type { RequestRecord } from '../core/record.js';
import type { Recorder, StreamEnd } from '../core/recorder.js';
import type { Prompt } from '../core/workload.js';

/** A monotonic clock in milliseconds with timers on the same scale: real, or virtual for the simulated cluster. */
export interface Clock {
  /** Stored with the results, so that a reader knows what kind of time they hold. */
  readonly name: 'monotonic' | 'virtual';
  now(): number;
  /** Calls `fire` once at `atMs` or as soon after as can be; the answer cancels it. */
  at(atMs: number, fire: () => void): () => void;
}

/** One request as a transport gets it. */
export interface OutgoingRequest {
  readonly prompt: Prompt;
  /** Output tokens asked for. */
  readonly outputTokens: number;
}

/** Sends requests and feeds recorders. Never throws; what goes wrong is a {@link StreamEnd}. */
export interface Transport {
  /** Opens connections before a trial, so that connecting is not measured. Resolves when they are open or have failed. */
  open(connections: number): Promise<void>;
  /**
   * Sends one request and feeds `recorder` as the answer arrives; calls `done` exactly once, never synchronously.
   * The answer aborts the request: `done` then gets the end it was aborted with.
   */
  send(
    request: OutgoingRequest,
    recorder: Recorder,
    done: (end: StreamEnd) => void,
  ): (end: StreamEnd) => void;
  close(): Promise<void>;
}

/** Where records go, in the order in which requests end. */
export interface RecordSink {
  write(record: RequestRecord): void;
}
