import { type ChunkFacts, parseChunk } from './answer-chunk.js';
import { type AnswerFacts, addChunkFacts, addWorkers, EMPTY_ANSWER } from './answer-facts.js';
import { KNOWN_NAMES_ONLY, type WorkerNames } from './dialects.js';
import { parseServerMessage } from './server-message.js';
import { createStreamReader, MAX_EVENT_BYTES, type StreamReader } from './sse-reader.js';
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
  const scan = createTokenScan();
  let facts = EMPTY_ANSWER;
  let failure: Failure | null = null;
  let isDone = false;
  let sawData = false;
  let endsWithUsage = false;
  /** One of the two, from the first byte that tells. */
  let stream: StreamReader | null = null;
  let whole: TextBody | null = null;

  function fail(code: string, message: string): void {
    failure ??= { code, message };
  }

  function failWith(code: string, what: string, said: string): void {
    fail(code, `${what}${parseServerMessage(said, hide) ?? NO_REASON}`);
  }

  function fold(chunk: ChunkFacts): void {
    sawData = true;
    facts = addChunkFacts(facts, chunk);
    endsWithUsage = chunk.isUsageOnly || (endsWithUsage && !chunk.hasToken);
    if (chunk.hasToken) onToken();
    if (chunk.error !== null) failWith('server_error', '', chunk.error);
  }

  const events = {
    data(bytes: Uint8Array, start: number, end: number, isNamed: boolean): void {
      if (isDone || failure !== null) return;
      if (scan.endOf(bytes, start, end) === end) found();
      else readEvent(bytes, start, end, isNamed);
    },
    error(text: string): void {
      if (!isDone) failWith('server_error', '', text);
    },
  };

  /** An event that the scan knows. Those of a stream that is over are none. */
  function found(): void {
    if (!scan.hasToken() || isDone || failure !== null) return;
    endsWithUsage = false;
    onToken();
  }

  function readEvent(bytes: Uint8Array, start: number, end: number, isNamed: boolean): void {
    const text = DECODER.decode(bytes.subarray(start, end));
    if (bytes[start] !== OPEN_BRACE) {
      const trimmed = text.trim();
      // Some proxies send their comments as data.
      if (trimmed === '' || trimmed.startsWith(':')) return;
      if (trimmed === DONE) {
        sawData = true;
        isDone = true;
        return;
      }
    }
    const chunk = parseChunkOrNull(text, names);
    // A ping, an id, a status: of no answer unless it has a choice. It may name the worker.
    if (isNamed && !text.includes('"choices"')) {
      if (chunk !== null) facts = addWorkers(facts, chunk);
      return;
    }
    if (chunk === null) {
      failWith('malformed_event', 'an event that is not JSON: ', text);
      return;
    }
    fold(chunk);
    scan.learn(bytes, start, end, text, chunk);
  }

  function readWhole(text: string): void {
    const chunk = parseChunkOrNull(text, names);
    if (chunk === null) failWith('malformed_body', 'a body that is broken JSON: ', text);
    else fold(chunk);
  }

  return {
    push(chunk, start = 0, end = chunk.length) {
      if (isDone || failure !== null) return;
      if (stream === null && whole === null) {
        const first = firstByte(chunk, start, end);
        if (first === null) return;
        if (first === OPEN_BRACE) whole = createTextBody(MAX_EVENT_BYTES);
        else stream = createStreamReader(events, { endOf: scan.endOf, found });
      }
      if ((stream ?? whole)?.push(chunk, start, end) === false) {
        fail('event_too_large', `more than ${MAX_EVENT_BYTES} bytes in one event`);
      }
    },
    end() {
      if (isDone || failure !== null) return;
      stream?.end();
      if (whole !== null) readWhole(whole.text());
    },
    facts: () => facts,
    failure: () => failure,
    isDone: () => isDone,
    endsWithUsage: () => endsWithUsage,
    sawData: () => sawData,
    isWhole: () => whole !== null,
  };
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
