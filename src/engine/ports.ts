import type { StreamEnd } from '../core/answer/exchange.js';
import type { Recorder, RequestMeta } from '../core/answer/recorder.js';
import type { Phase, RequestRecord } from '../core/answer/request-record.js';
import type { TimeCounts } from '../core/base/time-histogram.js';
import type { ClientReading } from '../core/measure/client-check.js';
import type { SeriesPoint, TrialServers } from '../core/measure/servers/server-counts.js';
import type { TrialSummary } from '../core/measure/summaries.js';
import type { AnswerReads } from '../core/measure/token-reads.js';
import type { GridTrial, TrialPlan } from '../core/workload/plan.js';
import type { Prompt } from '../core/workload/prompts.js';

/** A monotonic clock in milliseconds with timers on the same scale: real, or virtual for the simulated cluster. */
export interface Clock {
  /** Stored with the results, so that a reader knows what kind of time they hold. */
  readonly name: 'monotonic' | 'virtual';
  now(): number;
  /** Calls `fire` once at `atMs` or as soon after as can be; the answer cancels it. */
  at(atMs: number, fire: () => void): () => void;
  /** Calls `fire` once what has arrived by now was read. Absent where nothing arrives while the caller is busy. */
  readonly soon?: (fire: () => void) => void;
}

/** One request as a transport gets it. */
export interface OutgoingRequest {
  readonly prompt: Prompt;
  /** Output tokens asked for. */
  readonly outputTokens: number;
  /** Whose it is, for headers that say so; left out, they say nothing. */
  readonly meta?: Pick<RequestMeta, 'prefix' | 'seq' | 'group'>;
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

/** Watches the client itself while requests are measured. */
export interface ClientMonitor {
  start(): void;
  /** The read that is being handled carried a first token. */
  firstToken(): void;
  /** Null on a virtual clock, where the client costs no time. */
  stop(): ClientReading | null;
}

/** One phase of a trial, as plain data that threads can be sent. */
export interface TrialPhase {
  readonly trial: TrialPlan;
  readonly phase: Phase;
  /** Of its prompts; empty for none. */
  readonly salt: string;
  /** Most requests in flight; null for no limit: every request has its time. */
  readonly slots: number | null;
}

/** A request that has ended. */
export interface EndedRequest {
  readonly record: RequestRecord;
  /** When its slot was free again, ms from the phase's start. */
  readonly endMs: number;
  /** From the head of its answer to its first token, ms; null when either is unknown. */
  readonly firstTokenWaitMs: number | null;
  /** In how many reads its tokens came. */
  readonly reads: AnswerReads;
}

/** The outcome of a phase beside its records. */
export interface PhaseEnd {
  /** One per thread; empty on a virtual clock, and for a phase that is not measured. */
  readonly readings: readonly ClientReading[];
  /** Gaps between the tokens of ok requests. */
  readonly gaps: TimeCounts;
}

/** Sends the requests of trials: from this thread, or from several. */
export interface LoadSender {
  /** Opens connections before a trial. */
  open(connections: number): Promise<void>;
  /** Sends in plan order until all are sent or the run is stopped; `onEnd` gets each that was sent, once. */
  run(phase: TrialPhase, onEnd: (ended: EndedRequest) => void): Promise<PhaseEnd>;
}

/** Threads that send, and can be ended. */
export interface SendingThreads extends LoadSender {
  close(): Promise<void>;
}

/** Is told of events as they happen. */
export interface Progress {
  /** `index` from 0, of `total` trials. */
  trialStarted(variant: string, trial: GridTrial, index: number, total: number): void;
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

/** Watches the servers behind a target by what they count themselves. Never throws. */
export interface ServerWatch {
  /** Looks before the measured phase, when nothing is in flight, and once a second from then on. */
  begin(): Promise<void>;
  /** Looks once more, when what was in flight has ended. */
  end(): Promise<{ readonly servers: TrialServers; readonly series: readonly SeriesPoint[] }>;
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
  /** Names of models that other pages of it give (workers, server information), the likeliest first. */
  nameModels(): Promise<readonly string[]>;
}
