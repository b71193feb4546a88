import type { Phase, RequestRecord } from './record.js';

/** What the plan knows of a request before it is sent. */
export interface RequestMeta {
  readonly trial: string;
  readonly variant: string;
  readonly prefixes: number;
  readonly concurrency: number | null;
  readonly rate: number | null;
  readonly repeat: number;
  readonly seq: number;
  readonly prefix: number | null;
  readonly phase: Phase;
}

/** How the exchange with the server ended, seen from the transport. */
export type StreamEnd =
  /** The body ended cleanly (which does not make the answer a good one). */
  | { readonly kind: 'end' }
  /** The connection could not be opened. */
  | { readonly kind: 'connect_error'; readonly code: string; readonly message: string }
  /** The connection broke after it was opened. */
  | { readonly kind: 'stream_error'; readonly code: string; readonly message: string }
  | { readonly kind: 'timeout'; readonly message: string }
  | { readonly kind: 'aborted'; readonly message: string };

/**
 * Folds what a transport sees of one request into its record. All times are absolute milliseconds of one monotonic
 * clock. A transport over sockets calls {@link Recorder.bytes} with what it read; one without calls
 * {@link Recorder.token} and {@link Recorder.answer}. Nothing throws.
 */
export interface Recorder {
  /** A connection was opened for this request alone; it took `ms`. */
  connected(ms: number): void;
  /** The request's bytes were handed to an open socket. */
  sent(atMs: number): void;
  /** Response headers arrived. `workerHeader` and `requestId` are null when the server sends none. */
  response(
    status: number,
    info?: { readonly requestId?: string | null; readonly contentType?: string | null },
  ): void;
  /** One socket read of the response body, stamped when it arrived. */
  bytes(chunk: Uint8Array, atMs: number): void;
  /** One token-bearing event (in-process transports). */
  token(atMs: number): void;
  /** What the answer said of itself (in-process transports); call at most once, before finish. */
  answer(answer: Answer): void;
  /** Ends the record. Call exactly once, last. */
  finish(end: StreamEnd): RequestRecord;
}

/** The facts of an answer that are not times of arrival. */
export interface Answer {
  readonly promptTokens: number | null;
  readonly cachedTokens: number | null;
  readonly outputTokens: number | null;
  readonly prefillWorker: string | null;
  readonly decodeWorker: string | null;
  readonly finishReason: string | null;
  readonly requestId: string | null;
  readonly server: RequestRecord['server'];
}
