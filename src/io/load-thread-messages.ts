import type { Dialect } from '../core/answer/request-body.js';
import type { Scenario } from '../core/scenario/settings.js';
import type { EndedRequest, LoadPhase, PhaseEnd } from '../engine/ports.js';

/** What a thread that sends is started with. */
export interface LoadThreadData {
  readonly scenario: Scenario;
  /** As the target is asked. */
  readonly model: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Dialect;
  /** Of the thread that leads: all threads tell its time. */
  readonly clockOriginMs: number;
  /** Shared by all: see {@link NEXT} and {@link STOPPING}. */
  readonly shared: Int32Array<SharedArrayBuffer>;
  /** This thread's number, from 0, of `threads`. */
  readonly index: number;
  readonly threads: number;
}

/** The position of the counter from which every thread claims the next request of a closed load. */
export const NEXT = 0;
/** The position of the flag: 1 once no request may be started any more. */
export const STOPPING = 1;

/** What the leading thread asks. One `open` or `run` at a time; each is answered by one `done`. */
export type LoadThreadTask =
  | { readonly kind: 'open'; readonly connections: number }
  | { readonly kind: 'run'; readonly phase: LoadPhase; readonly originMs: number }
  /** Requests in flight are ended now. */
  | { readonly kind: 'abort' }
  | { readonly kind: 'close' };

export type LoadThreadReply =
  | { readonly kind: 'ended'; readonly requests: readonly EndedRequest[] }
  /** `end` is null for a task that leaves nothing. */
  | { readonly kind: 'done'; readonly end: PhaseEnd | null };
