import { roundMs } from '../base/round.js';
import { type AnswerFacts, workerKeys } from './answer-facts.js';
import { type AnswerReader, createAnswerReader } from './answer-reader.js';
import { NO_WORKERS, type Workers } from './dialect.js';
import type { WorkerNames } from './dialects.js';
import type { ResponseInfo, StreamEnd } from './exchange.js';
import { isEncoded, isSuccess, judgeOutcome } from './outcome.js';
import type { RequestRecord, ServerTimes } from './request-record.js';
import { createTextBody, type TextBody } from './text-body.js';

/** What the plan knows of a request before it is sent. */
export type RequestMeta = Pick<
  RequestRecord,
  'trial' | 'variant' | 'prefixes' | 'concurrency' | 'rate' | 'group' | 'repeat' | 'seq' | 'prefix' | 'phase'
>;

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
  /** When the request was sent, and when its last token so far came; each null when it did not yet. */
  sentAtMs(): number | null;
  lastTokenAtMs(): number | null;
  /** From the head of the response to the first token, ms; null when either is unknown. */
  firstTokenWaitMs(): number | null;
  /** Name of the dialect in which the answer named its worker or times; null when it named none. */
  dialect(): string | null;
  /** What named the worker: `body FIELD` or `header NAME`; null when nothing did. */
  workerSource(): string | null;
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
  /** Where the body names its worker, beside what the dialects know. */
  readonly names?: WorkerNames;
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
  return new OneRecorder(meta, options);
}

/** A class for its place in memory, as the reader of the stream is. */
class OneRecorder implements Recorder {
  private readonly reader: AnswerReader;
  private told: Answer | null = null;
  private connectMs: number | null = null;
  private sentMs: number | null = null;
  private headAtMs: number | null = null;
  private status: number | null = null;
  private info: ResponseInfo = {};
  private isEncoded = false;
  private errorBody: TextBody | null = null;
  private readAtMs = 0;
  private firstTokenAtMs: number | null = null;
  private lastTokenMs = 0;
  private chunks = 0;

  constructor(
    private readonly meta: RequestMeta,
    private readonly options: RecorderOptions,
  ) {
    this.reader = createAnswerReader(
      () => this.token(this.readAtMs),
      (text) => this.info.hide?.(text) ?? text,
      options.names,
    );
  }

  connected(ms: number): void {
    this.connectMs = ms;
  }

  sent(atMs: number): void {
    this.sentMs = atMs;
  }

  response(code: number, said: ResponseInfo = {}, atMs?: number): void {
    this.status = code;
    this.headAtMs = atMs ?? null;
    this.info = said;
    this.isEncoded = isEncoded(said);
    if (!isSuccess(code)) this.errorBody = createTextBody(ERROR_BODY_BYTES);
  }

  bytes(chunk: Uint8Array, atMs: number, start?: number, end?: number): void {
    this.readAtMs = atMs;
    if (this.errorBody !== null) this.errorBody.push(chunk, start, end);
    else if (!this.isEncoded) this.reader.push(chunk, start, end);
  }

  token(atMs: number): void {
    this.chunks++;
    if (this.firstTokenAtMs === null) {
      this.firstTokenAtMs = atMs;
      this.options.onFirst?.();
    } else this.options.onGap?.(atMs - this.lastTokenMs);
    this.lastTokenMs = atMs;
  }

  answer(said: Answer): void {
    this.told = said;
  }

  sentAtMs(): number | null {
    return this.sentMs;
  }

  lastTokenAtMs(): number | null {
    return this.firstTokenAtMs === null ? null : this.lastTokenMs;
  }

  firstTokenWaitMs(): number | null {
    return between(this.headAtMs, this.firstTokenAtMs);
  }

  dialect(): string | null {
    return this.reader.facts().dialect ?? this.info.extras?.dialect ?? null;
  }

  workerSource(): string | null {
    return this.reader.facts().workerSource ?? this.info.extras?.workerSource ?? null;
  }

  finish(end: StreamEnd): RequestRecord {
    const { meta, reader, info, sentMs } = this;
    const { originMs, dueMs } = this.options;
    if (end.kind === 'end') reader.end();
    const facts = this.told === null ? reader.facts() : factsOf(this.told);
    const verdict = judgeOutcome({
      end,
      status: this.status,
      info,
      errorBody: this.errorBody?.text() ?? '',
      failure: reader.failure(),
      isDone: reader.isDone() || this.told !== null,
      endsWithUsage: reader.endsWithUsage(),
      sawData: reader.sawData(),
      finishReason: facts.finishReason,
      hasToken: this.firstTokenAtMs !== null,
    });
    const e2eMs = this.firstTokenAtMs === null ? null : between(sentMs, this.lastTokenMs);
    const ttftMs = between(sentMs, this.firstTokenAtMs);
    const record: RequestRecord = {
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
      status: this.status,
      error: verdict?.error ?? null,
      due_ms: rounded(between(originMs, dueMs)),
      sent_ms: rounded(between(originMs, sentMs)),
      send_lag_ms: rounded(between(dueMs, sentMs)),
      connect_ms: rounded(this.connectMs),
      ttft_ms: rounded(ttftMs),
      e2e_ms: rounded(e2eMs),
      tpot_ms: reader.isWhole() ? null : rounded(tpot(ttftMs, e2eMs, facts.outputTokens)),
      prompt_tokens: facts.promptTokens,
      cached_tokens: facts.cachedTokens,
      output_tokens: facts.outputTokens,
      chunks: this.chunks,
      ...workerKeys(isNamed(facts.workers) ? facts.workers : (info.extras?.workers ?? NO_WORKERS)),
      finish_reason: facts.finishReason,
      request_id: facts.requestId ?? info.requestId ?? null,
      server: roundTimes(facts.server ?? info.extras?.server ?? null),
    };
    return info.hide === undefined ? record : hideIn(record, info.hide);
  }
}

function factsOf({ prefillWorker, decodeWorker, ...facts }: Answer): AnswerFacts {
  return {
    ...facts,
    workers: { ...NO_WORKERS, prefillId: prefillWorker, decodeId: decodeWorker },
    dialect: null,
    workerSource: null,
  };
}

function isNamed(workers: Workers): boolean {
  return workers.prefillId !== null || workers.decodeId !== null;
}

/** The record without what `hide` takes out of everything that the server said. */
function hideIn(record: RequestRecord, hide: (text: string) => string): RequestRecord {
  const { error } = record;
  const hidden = (text: string | null) => (text === null ? null : hide(text));
  return {
    ...record,
    error: error === null ? null : { ...error, message: hide(error.message) },
    prefill_worker: hidden(record.prefill_worker),
    decode_worker: hidden(record.decode_worker),
    worker: hidden(record.worker),
    finish_reason: hidden(record.finish_reason),
    request_id: hidden(record.request_id),
  };
}

function roundTimes(server: ServerTimes | null): ServerTimes | null {
  if (server === null) return null;
  const { kv_hit_rate, queue_depth, overhead_ms, ...times } = server;
  return {
    prefill_wait_ms: rounded(times.prefill_wait_ms),
    prefill_ms: rounded(times.prefill_ms),
    ttft_ms: rounded(times.ttft_ms),
    total_ms: rounded(times.total_ms),
    kv_transfer_ms: rounded(times.kv_transfer_ms),
    kv_hit_rate,
    queue_depth,
    ...(overhead_ms === undefined ? {} : { overhead_ms: roundMs(overhead_ms) }),
  };
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
