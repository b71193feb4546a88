import type { ClientCheck } from '../core/findings.js';
import type { TrialPlan } from '../core/plan.js';
import type { RequestRecord } from '../core/record.js';
import type { Recorder, StreamEnd } from '../core/recorder.js';
import type { TrialSummary } from '../core/summary.js';
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

/** Watches the client itself during a trial. */
export interface ClientMonitor {
  start(): void;
  /** Null on a virtual clock, where the client costs no time. */
  stop(requests: number): ClientCheck | null;
}

/** Told what happens, as it happens. */
export interface Progress {
  /** `index` from 0, of `total` trials. */
  trialStarted(variant: string, trial: TrialPlan, index: number, total: number): void;
  requestEnded(record: RequestRecord): void;
  trialEnded(summary: TrialSummary): void;
}

/** How a run is stopped from outside: first drained, then aborted. */
export interface StopSignal {
  /** No request is started any more. */
  readonly stopping: boolean;
  /** Calls `listener` once when requests in flight are to be aborted; at once if they already are. The answer removes it. */
  onAbort(listener: () => void): () => void;
}

/** What `GET /v1/models` gave. */
export type ModelList =
  | { readonly kind: 'listed'; readonly ids: readonly string[] }
  | { readonly kind: 'unreachable'; readonly message: string }
  /** An answer that is no list: a status, or a body of another form. */
  | { readonly kind: 'no-list'; readonly status: number; readonly message: string };

/** Asks a target about itself. Never throws. */
export interface TargetControl {
  listModels(): Promise<ModelList>;
}
