import type { ReadExtras } from './dialect.js';

/** The limits of a request that is on its way. */
export type TimeoutCode = 'timeout' | 'first_token_timeout' | 'idle_timeout';

/** How the exchange with the server ended, seen from the transport. */
export type StreamEnd =
  /** The body ended cleanly (which does not make the answer a good one). */
  | { readonly kind: 'end' }
  /** The connection could not be opened. */
  | { readonly kind: 'connect_error'; readonly code: string; readonly message: string }
  /** The connection broke after it was opened. */
  | { readonly kind: 'stream_error'; readonly code: string; readonly message: string }
  /** A limit that the user set was passed; the code says which. */
  | { readonly kind: 'timeout'; readonly code: TimeoutCode; readonly message: string }
  | { readonly kind: 'aborted'; readonly message: string };

/** What response headers say; each null or left out when they do not. */
export interface ResponseInfo {
  readonly requestId?: string | null;
  readonly contentType?: string | null;
  readonly contentEncoding?: string | null;
  /** Where a redirect points. */
  readonly location?: string | null;
  /** Workers and times in headers; the body takes precedence. */
  readonly extras?: ReadExtras;
  /** Replaces secrets that the request carried, where the server repeats them. */
  readonly hide?: (text: string) => string;
}
