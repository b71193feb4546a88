import type { Failure } from './answer-reader.js';
import type { ResponseInfo, StreamEnd } from './exchange.js';
import type { Outcome } from './request-record.js';
import { parseServerMessage } from './server-message.js';

/** An outcome other than `ok`, and why. */
export interface FailedOutcome {
  readonly outcome: Exclude<Outcome, 'ok'>;
  readonly error: Failure;
}

/** All of one exchange that decides its outcome. */
export interface Exchange {
  readonly end: StreamEnd;
  /** Null when no response began. */
  readonly status: number | null;
  readonly info: ResponseInfo;
  /** The body of a response outside 200-299. */
  readonly errorBody: string;
  /** What spoiled the answer while it was read. */
  readonly failure: Failure | null;
  /** The answer said itself that it is complete, with `[DONE]`. */
  readonly isDone: boolean;
  /** No token followed the usage chunk that ends a stream. */
  readonly endsWithUsage: boolean;
  /** Any event, or a whole JSON document, was read. */
  readonly sawData: boolean;
  readonly finishReason: string | null;
  readonly hasToken: boolean;
}

/** Finish reasons by which engines say that they gave the request up: such an answer is no answer. */
const GIVEN_UP = ['abort', 'error', 'cancelled'];

/**
 * Why an exchange is not `ok`, or null when it is. The server's own word (a status, an error inside a good response)
 * takes precedence over how the exchange then ended.
 *
 * An answer is complete with a `finish_reason` or a last usage chunk and a clean end, or with `[DONE]`: servers leave one
 * or the other out, and each says that nothing is missing. What follows `[DONE]`, a broken connection included, changes nothing.
 */
export function judgeOutcome(exchange: Exchange): FailedOutcome | null {
  const { end, status, info, isDone, finishReason } = exchange;
  if (end.kind === 'connect_error') return { outcome: end.kind, error: failureOf(end) };
  if (status !== null && !isSuccess(status)) {
    return { outcome: 'http_error', error: httpFailure(status, info, exchange.errorBody) };
  }
  const failure = exchange.failure ?? encodingFailure(info);
  if (failure !== null) return { outcome: 'stream_error', error: failure };
  if (!isDone && end.kind !== 'end') return { outcome: end.kind, error: failureOf(end) };
  if (finishReason !== null && GIVEN_UP.includes(finishReason)) {
    return { outcome: 'stream_error', error: givenUp(finishReason) };
  }
  if (!isDone && finishReason === null && !exchange.endsWithUsage) {
    return { outcome: 'stream_error', error: exchange.sawData ? ENDED_EARLY : noAnswer(status, info) };
  }
  return exchange.hasToken ? null : { outcome: 'empty', error: NO_TOKEN };
}

/** 200-299. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** Whether the body is in a content encoding, which the request asks servers not to use. */
export function isEncoded(info: ResponseInfo): boolean {
  return Boolean(info.contentEncoding) && info.contentEncoding !== 'identity';
}

const NO_TOKEN: Failure = { code: 'no_token', message: 'the answer finished without a single token' };
const ENDED_EARLY: Failure = {
  code: 'ended_early',
  message: 'the body ended without a finish_reason, usage or [DONE]',
};

function failureOf(end: Exclude<StreamEnd, { kind: 'end' }>): Failure {
  return { code: 'code' in end ? end.code : end.kind, message: end.message };
}

function httpFailure(status: number, info: ResponseInfo, body: string): Failure {
  const code = `http_${status}`;
  if (status >= 300 && status <= 399 && info.location) {
    return {
      code,
      message: `redirected to ${info.location}, and redirects are not followed: give that address`,
    };
  }
  return {
    code,
    message:
      (isEncoded(info) ? null : parseServerMessage(body, info.hide)) ?? `HTTP ${status} without a message`,
  };
}

function givenUp(finishReason: string): Failure {
  return { code: 'given_up', message: `the server ended the answer with finish_reason "${finishReason}"` };
}

function noAnswer(status: number | null, info: ResponseInfo): Failure {
  const message =
    status === null
      ? 'the exchange ended without a response'
      : `no server-sent event in the body (HTTP ${status}, content-type ${info.contentType ?? 'none'})`;
  return { code: 'no_answer', message };
}

function encodingFailure(info: ResponseInfo): Failure | null {
  if (!isEncoded(info)) return null;
  const message = `the body is encoded (${info.contentEncoding}) although the request asked for identity`;
  return { code: 'content_encoding', message };
}
