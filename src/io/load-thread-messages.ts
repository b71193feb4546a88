import type { JsonObject } from '../core/answer/dialect.js';
import type { Scenario } from '../core/scenario/settings.js';
import type { EndedRequest, PhaseEnd, TrialPhase } from '../engine/ports.js';

/** What a sending thread is started with. */
export interface LoadThreadData {
  readonly scenario: Scenario;
  /** The model to ask for. */
  readonly model: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Body fields of every request. */
  readonly fields: JsonObject;
  /** Of the leading thread: all threads use its time. */
  readonly clockOriginMs: number;
  /** Shared by all: see {@link NEXT} and {@link STOPPING}. */
  readonly shared: Int32Array<SharedArrayBuffer>;
}

/** Position of the counter from which every thread claims the next request. */
export const NEXT = 0;
/** Position of the flag: 1 once no more requests may be started. */
export const STOPPING = 1;

/** What the leading thread asks. One `open` or `run` at a time; each is answered by one `done`. */
export type LoadThreadTask =
  | { readonly kind: 'open'; readonly connections: number }
  | { readonly kind: 'run'; readonly phase: TrialPhase; readonly originMs: number }
  /** Requests in flight are ended now. */
  | { readonly kind: 'abort' }
  | { readonly kind: 'close' };

export type LoadThreadReply =
  | { readonly kind: 'ended'; readonly requests: readonly EndedRequest[] }
  /** `end` is null for a task without a result. */
  | { readonly kind: 'done'; readonly end: PhaseEnd | null };
