import type { StreamEnd } from '../../core/answer/exchange.js';
import { oneLine } from '../../core/answer/server-message.js';

type Broken = Extract<StreamEnd, { kind: 'stream_error' }>;
type NotConnected = Extract<StreamEnd, { kind: 'connect_error' }>;

/** A connection to `origin` that could not be opened, worded for the user. */
export function connectFailure(error: Error, origin: string): NotConnected {
  const cause = firstCause(error);
  const code = codeOf(cause);
  const reason = CONNECT_REASONS[code] ?? oneLine(cause.message);
  const proxy = LOOKUP_FAILURES.includes(code) ? unusedProxy(process.env) : '';
  return { kind: 'connect_error', code, message: `cannot connect to ${origin}: ${reason}${proxy}` };
}

const LOOKUP_FAILURES = ['ENOTFOUND', 'EAI_AGAIN'];

/** A name may be known behind a proxy only. */
export function unusedProxy(env: Readonly<Record<string, string | undefined>>): string {
  const set = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'].find((name) => env[name] || env[name.toLowerCase()]);
  return set === undefined ? '' : ` (${set} is set, and proxies from the environment are not used)`;
}

/**
 * An exchange that broke after the request was written. Before any byte of an answer on a connection that had been used
 * or waiting, the likely cause is the server's keep-alive timeout, and the message says so.
 */
export function exchangeFailure(
  { code, reason: said }: { readonly code: string; readonly reason: string },
  isAnswered: boolean,
  wasReused: boolean,
): Broken {
  const reason =
    BREAK_REASONS[code] ?? (code === 'bad_response' ? `broken response (${said})` : oneLine(said));
  const when = isAnswered ? 'in the middle of the answer' : 'before it answered';
  const hint =
    !isAnswered && wasReused ? ' (on a reused connection: the server may close idle ones early)' : '';
  return { kind: 'stream_error', code, message: `${reason} ${when}${hint}` };
}

const CONNECT_REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused, nothing listens there',
  ENOTFOUND: 'no such host',
  EMFILE: 'the limit of open files is reached (ulimit -n)',
  EAI_AGAIN: 'the name cannot be resolved right now',
  ERR_SSL_WRONG_VERSION_NUMBER: 'no TLS there; is it http:// ?',
};

const BREAK_REASONS: Readonly<Record<string, string>> = {
  ECONNRESET: 'the server reset the connection',
  EPIPE: 'the server closed the connection',
  closed: 'the server closed the connection',
};

/** The error's own code, or its name. */
export function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** Several addresses tried give one error without a message, with theirs inside. */
function firstCause(error: Error): Error {
  const [first] = error instanceof AggregateError ? error.errors : [];
  return first instanceof Error ? first : error;
}
