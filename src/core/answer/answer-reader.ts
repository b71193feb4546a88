import { type ChunkFacts, parseChunk } from './answer-chunk.js';
import { type AnswerFacts, addChunkFacts, addWorkers, EMPTY_ANSWER } from './answer-facts.js';
import { KNOWN_NAMES_ONLY, type WorkerNames } from './dialects.js';
import { parseServerMessage } from './server-message.js';
import {
  createStreamReader,
  type KnownEvents,
  MAX_EVENT_BYTES,
  type StreamHandler,
  type StreamReader,
} from './sse-reader.js';
import { createTextBody, type TextBody } from './text-body.js';
import { createTokenScan } from './token-scan.js';

/** Why an answer is not a good one: a stable snake_case code, and a message of one line. */
export interface Failure {
  readonly code: string;
  readonly message: string;
}

/** Reads the body of a good response. */
export interface AnswerReader {
  /** Takes the bytes of one read, of `chunk` from `start` to `end`, cut anywhere; they are the caller's again when it returns. */
  push(chunk: Uint8Array, start?: number, end?: number): void;
  /** The body ended cleanly. */
  end(): void;
  facts(): AnswerFacts;
  /** The first thing that spoiled the answer; null while nothing did. */
  failure(): Failure | null;
  /** `[DONE]` was read. */
  isDone(): boolean;
  /** No token followed the usage chunk that ends a stream. */
  endsWithUsage(): boolean;
  /** At least one event with data, or a whole JSON document, was read. */
  sawData(): boolean;
  /** The answer came as one JSON document, although a stream was asked for. */
  isWhole(): boolean;
}

const DONE = '[DONE]';
/** Shared: it holds no state between whole texts. */
const DECODER = new TextDecoder();

/**
 * A reader of streamed answers, and of those that a server sends as one JSON document anyway: the first byte that
 * is not white space tells them apart, for content types are often wrong and no event stream begins with a brace.
 * `onToken` is called once for each token-bearing event (a whole document is one), during `push`, or during `end` for
 * what only the end completes. `hide` takes secrets out of the server's messages; `names` says where else workers are named.
 */
export function createAnswerReader(
  onToken: () => void,
  hide: (text: string) => string = (text) => text,
  names: WorkerNames = KNOWN_NAMES_ONLY,
): AnswerReader {
  return new Reader(onToken, hide, names);
}

/** A class for its place in memory, as the reader of the stream is. */
class Reader implements AnswerReader, StreamHandler, KnownEvents {
  private readonly scan = createTokenScan();
  private said = EMPTY_ANSWER;
  private failed: Failure | null = null;
  private isOver = false;
  private hasData = false;
  private isUsageLast = false;
  /** One of the two, from the first byte that tells. */
  private stream: StreamReader | null = null;
  private whole: TextBody | null = null;

  constructor(
    private readonly onToken: () => void,
    private readonly hide: (text: string) => string,
    private readonly names: WorkerNames,
  ) {}

  push(chunk: Uint8Array, start = 0, end = chunk.length): void {
    if (this.isOver || this.failed !== null) return;
    if (this.stream === null && this.whole === null) {
      const first = firstByte(chunk, start, end);
      if (first === null) return;
      if (first === OPEN_BRACE) this.whole = createTextBody(MAX_EVENT_BYTES);
      else this.stream = createStreamReader(this, this);
    }
    if ((this.stream ?? this.whole)?.push(chunk, start, end) === false) {
      this.fail('event_too_large', `more than ${MAX_EVENT_BYTES} bytes in one event`);
    }
  }

  end(): void {
    if (this.isOver || this.failed !== null) return;
    this.stream?.end();
    if (this.whole !== null) this.readWhole(this.whole.text());
  }

  facts(): AnswerFacts {
    return this.said;
  }
  failure(): Failure | null {
    return this.failed;
  }
  isDone(): boolean {
    return this.isOver;
  }
  endsWithUsage(): boolean {
    return this.isUsageLast;
  }
  sawData(): boolean {
    return this.hasData;
  }
  isWhole(): boolean {
    return this.whole !== null;
  }

  endOf(bytes: Uint8Array, start: number, stop: number): number {
    return this.scan.endOf(bytes, start, stop);
  }

  /** An event that the scan knows. Those of a stream that is over are none. */
  found(): void {
    if (!this.scan.hasToken() || this.isOver || this.failed !== null) return;
    this.isUsageLast = false;
    this.onToken();
  }

  data(bytes: Uint8Array, start: number, end: number, isNamed: boolean): void {
    if (this.isOver || this.failed !== null) return;
    if (this.scan.endOf(bytes, start, end) === end) this.found();
    else this.readEvent(bytes, start, end, isNamed);
  }

  error(text: string): void {
    if (!this.isOver) this.failWith('server_error', '', text);
  }

  private readEvent(bytes: Uint8Array, start: number, end: number, isNamed: boolean): void {
    const text = DECODER.decode(bytes.subarray(start, end));
    if (bytes[start] !== OPEN_BRACE) {
      const trimmed = text.trim();
      // Some proxies send their comments as data.
      if (trimmed === '' || trimmed.startsWith(':')) return;
      if (trimmed === DONE) {
        this.hasData = true;
        this.isOver = true;
        return;
      }
    }
    const chunk = parseChunkOrNull(text, this.names);
    // A ping, an id, a status: of no answer unless it has a choice. It may name the worker.
    if (isNamed && !text.includes('"choices"')) {
      if (chunk !== null) this.said = addWorkers(this.said, chunk);
      return;
    }
    if (chunk === null) {
      this.failWith('malformed_event', 'an event that is not JSON: ', text);
      return;
    }
    this.fold(chunk);
    this.scan.learn(bytes, start, end, text, chunk);
  }

  private readWhole(text: string): void {
    const chunk = parseChunkOrNull(text, this.names);
    if (chunk === null) this.failWith('malformed_body', 'a body that is broken JSON: ', text);
    else this.fold(chunk);
  }

  private fold(chunk: ChunkFacts): void {
    this.hasData = true;
    this.said = addChunkFacts(this.said, chunk);
    this.isUsageLast = chunk.isUsageOnly || (this.isUsageLast && !chunk.hasToken);
    if (chunk.hasToken) this.onToken();
    if (chunk.error !== null) this.failWith('server_error', '', chunk.error);
  }

  private failWith(code: string, what: string, said: string): void {
    this.fail(code, `${what}${parseServerMessage(said, this.hide) ?? NO_REASON}`);
  }

  private fail(code: string, message: string): void {
    this.failed ??= { code, message };
  }
}

const NO_REASON = 'the server gave no reason';
const OPEN_BRACE = 0x7b;
const SPACE = 0x20;

/** The first byte that is not white space. */
function firstByte(chunk: Uint8Array, start: number, end: number): number | null {
  for (let i = start; i < end; i++) {
    const byte = chunk[i] as number;
    if (byte > SPACE) return byte;
  }
  return null;
}

/** Null for text that is not JSON, or JSON nested deeper than the stack. */
function parseChunkOrNull(text: string, names: WorkerNames): ChunkFacts | null {
  try {
    return parseChunk(text, names);
  } catch {
    return null;
  }
}
