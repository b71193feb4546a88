import type { StreamEnd } from '../core/recorder.js';

type Broken = Extract<StreamEnd, { kind: 'stream_error' }>;
type NotConnected = Extract<StreamEnd, { kind: 'connect_error' }>;

/** A connection to `origin` that could not be opened, in words for the user. */
export function connectFailure(error: Error, origin: string): NotConnected {
  const cause = firstCause(error);
  const code = codeOf(cause);
  const reason = CONNECT_REASONS[code] ?? cause.message;
  return { kind: 'connect_error', code, message: `cannot connect to ${origin}: ${reason}` };
}

/**
 * An exchange that broke after the request was written. Before any byte of an answer on a connection that had been used
 * or waiting, the likely cause is the server's keep-alive timeout, and the message says so.
 */
export function exchangeFailure(error: Error, isAnswered: boolean, wasReused: boolean): Broken {
  const code = codeOf(error);
  const reason = code === 'ECONNRESET' ? 'the server reset the connection' : reasonOf(code, error);
  const when = isAnswered ? 'in the middle of the answer' : 'before it answered';
  const hint =
    !isAnswered && wasReused
      ? ' (a connection that was open before: its keep-alive timeout may be short)'
      : '';
  return { kind: 'stream_error', code, message: `${reason} ${when}${hint}` };
}

const CONNECT_REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused, nothing listens there',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name could not be looked up now',
  UND_ERR_CONNECT_TIMEOUT: 'no answer in 10 s',
  ERR_SSL_WRONG_VERSION_NUMBER: 'no TLS there; is it http:// ?',
};

function reasonOf(code: string, error: Error): string {
  return code === 'closed' ? 'the server closed the connection' : `broken response (${error.message})`;
}

/** The error's own code, but one word for what undici spreads over several: `closed`, or `bad_response`. */
function codeOf(error: Error): string {
  if (error.name === 'HTTPParserError') return 'bad_response';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  if (code !== 'UND_ERR_SOCKET') return code;
  return /closed/.test(error.message) ? 'closed' : 'bad_response';
}

/** Several addresses tried give one error without a message, with theirs inside. */
function firstCause(error: Error): Error {
  const [first] = error instanceof AggregateError ? error.errors : [];
  return first instanceof Error ? first : error;
}
