import { roundMs } from '../base/round.js';
import type { Workers } from './answer-chunk.js';
import { type AnswerFacts, NO_WORKERS, workerKeys } from './answer-facts.js';
import { createAnswerReader } from './answer-reader.js';
import type { ResponseInfo, StreamEnd } from './exchange.js';
import { isEncoded, isSuccess, judgeOutcome } from './outcome.js';
import type { Phase, RequestRecord } from './request-record.js';
import { createTextBody, type TextBody } from './text-body.js';

/** What the plan knows of a request before it is sent. */
export interface RequestMeta {
  readonly trial: string;
  readonly variant: string;
  readonly prefixes: number;
  readonly concurrency: number | null;
  readonly rate: number | null;
  readonly group?: string;
  readonly repeat: number;
  readonly seq: number;
  readonly prefix: number | null;
  readonly phase: Phase;
}

/**
 * Folds what a transport sees of one request into its record. All times are absolute milliseconds of one monotonic
 * clock. A transport over sockets calls {@link Recorder.bytes} with what it read; one without calls
 * {@link Recorder.token} and {@link Recorder.answer}. Nothing throws.
 */
export interface Recorder {
  /** A connection was opened for this request, before it was sent; it took `ms`. */
  connected(ms: number): void;
  /** The request's bytes were handed to an open socket. */
  sent(atMs: number): void;
  /** The head of the response arrived, at `atMs` where the transport reads sockets. */
  response(status: number, info?: ResponseInfo, atMs?: number): void;
  /** One socket read of the response body, or part of it, stamped when it arrived: of `chunk` from `start` to `end`. */
  bytes(chunk: Uint8Array, atMs: number, start?: number, end?: number): void;
  /** One token-bearing event (in-process transports). */
  token(atMs: number): void;
  /** What the answer said of itself (in-process transports); call at most once, before finish. */
  answer(answer: Answer): void;
  /** From the head of the response to the first token, ms; null when either is unknown. */
  firstTokenWaitMs(): number | null;
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

/** How a record is timed. */
export interface RecorderOptions {
  /** The trial's start on the transport's clock. */
  readonly originMs: number;
  /** When the request was due, on the same clock (not from the origin); null when it never was. */
  readonly dueMs: number | null;
  /** Called at the first token-bearing event. */
  readonly onFirst?: () => void;
  /** Called with each gap between token-bearing events, in milliseconds; 0 between two that one read carried. */
  readonly onGap?: (ms: number) => void;
}

/** Bytes of a failed response's body that are kept for its message. */
const ERROR_BODY_BYTES = 1 << 16;

/**
 * A recorder for one request; {@link judgeOutcome} decides its outcome. Tokens that came before a failure stay in the record.
 * An answer in one JSON document, although a stream was asked for, is one token event at the read that completes it:
 * its TTFT is its E2E, `chunks` is 1, and `tpot_ms` null.
 */
export function createRecorder(meta: RequestMeta, options: RecorderOptions): Recorder {
  const { originMs, dueMs, onFirst, onGap } = options;
  const answer = createAnswerReader(() => token(readAtMs));
  let told: Answer | null = null;
  let connectMs: number | null = null;
  let sentAtMs: number | null = null;
  let headAtMs: number | null = null;
  let status: number | null = null;
  let info: ResponseInfo = {};
  let errorBody: TextBody | null = null;
  let readAtMs = 0;
  let firstTokenAtMs: number | null = null;
  let lastTokenAtMs = 0;
  let chunks = 0;

  function token(atMs: number): void {
    chunks++;
    if (firstTokenAtMs === null) {
      firstTokenAtMs = atMs;
      onFirst?.();
    } else onGap?.(atMs - lastTokenAtMs);
    lastTokenAtMs = atMs;
  }

  return {
    connected(ms) {
      connectMs = ms;
    },
    sent(atMs) {
      sentAtMs = atMs;
    },
    response(code, said = {}, atMs) {
      status = code;
      headAtMs = atMs ?? null;
      info = said;
      if (!isSuccess(code)) errorBody = createTextBody(ERROR_BODY_BYTES);
    },
    bytes(chunk, atMs, start, end) {
      readAtMs = atMs;
      if (errorBody !== null) errorBody.push(chunk, start, end);
      else if (!isEncoded(info)) answer.push(chunk, start, end);
    },
    token,
    answer(said) {
      told = said;
    },
    firstTokenWaitMs: () => between(headAtMs, firstTokenAtMs),
    finish(end) {
      if (end.kind === 'end') answer.end();
      const facts = told === null ? answer.facts() : factsOf(told);
      const verdict = judgeOutcome({
        end,
        status,
        info,
        errorBody: errorBody?.text() ?? '',
        failure: answer.failure(),
        isDone: answer.isDone() || told !== null,
        sawData: answer.sawData(),
        finishReason: facts.finishReason,
        hasToken: firstTokenAtMs !== null,
      });
      const e2eMs = firstTokenAtMs === null ? null : between(sentAtMs, lastTokenAtMs);
      const ttftMs = between(sentAtMs, firstTokenAtMs);
      return {
        trial: meta.trial,
        variant: meta.variant,
        prefixes: meta.prefixes,
        concurrency: meta.concurrency,
        rate: meta.rate,
        ...(meta.group === undefined ? {} : { group: meta.group }),
        repeat: meta.repeat,
        seq: meta.seq,
        prefix: meta.prefix,
        phase: meta.phase,
        outcome: verdict?.outcome ?? 'ok',
        status,
        error: verdict?.error ?? null,
        due_ms: rounded(between(originMs, dueMs)),
        sent_ms: rounded(between(originMs, sentAtMs)),
        send_lag_ms: rounded(between(dueMs, sentAtMs)),
        connect_ms: rounded(connectMs),
        ttft_ms: rounded(ttftMs),
        e2e_ms: rounded(e2eMs),
        tpot_ms: answer.isWhole() ? null : rounded(tpot(ttftMs, e2eMs, facts.outputTokens)),
        prompt_tokens: facts.promptTokens,
        cached_tokens: facts.cachedTokens,
        output_tokens: facts.outputTokens,
        chunks,
        ...workerKeys(isNamed(facts.workers) ? facts.workers : workersOf(info)),
        finish_reason: facts.finishReason,
        request_id: facts.requestId ?? info.requestId ?? null,
        server: facts.server,
      };
    },
  };
}

function factsOf(told: Answer): AnswerFacts {
  const { prefillWorker, decodeWorker, ...facts } = told;
  return { ...facts, workers: workersOf({ prefillWorker, decodeWorker }) };
}

function workersOf(named: ResponseInfo): Workers {
  return { ...NO_WORKERS, prefillId: named.prefillWorker ?? null, decodeId: named.decodeWorker ?? null };
}

function isNamed(workers: Workers): boolean {
  return workers.prefillId !== null || workers.decodeId !== null;
}

/** Null when either end is. */
function between(fromMs: number | null, toMs: number | null): number | null {
  return fromMs === null || toMs === null ? null : toMs - fromMs;
}

function tpot(ttftMs: number | null, e2eMs: number | null, outputTokens: number | null): number | null {
  if (ttftMs === null || e2eMs === null || outputTokens === null || outputTokens < 2) return null;
  return (e2eMs - ttftMs) / (outputTokens - 1);
}

function rounded(ms: number | null): number | null {
  return ms === null ? null : roundMs(ms);
}
