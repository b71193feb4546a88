import type { Socket } from 'node:net';
import type { Outcome } from '../../src/core/answer/request-record.js';
import type { Rng } from '../../src/core/base/rng.js';

/** What the target did to one request, and so what its record must say. Times are on the clock of `performance.now`. */
export interface LedgerEntry {
  /** `trial/seq`. */
  readonly key: string;
  fault: string;
  /** When all of the request had been read. */
  readonly receivedMs: number;
  outcome: Outcome;
  /** What the record's error code must match; null for none. */
  code: RegExp | null;
  status: number | null;
  chunks: number;
  promptTokens: number | null;
  cachedTokens: number | null;
  outputTokens: number | null;
  finishReason: string | null;
  firstTokenMs: number | null;
  lastTokenMs: number | null;
}

/** Tokens of a good answer. */
export const ANSWER_TOKENS = 8;
const PROMPT_TOKENS = 250;
const COLD_REQUESTS = 200;

/** One request being answered: writes bytes, and notes in the ledger what they say. */
export interface Wire {
  readonly rng: Rng;
  readonly entry: LedgerEntry;
  /** Bytes as they are. */
  raw(bytes: string | Uint8Array): void;
  /** Status line and headers. Bodies are chunked unless `framing` says otherwise. */
  head(status: number, headers?: Readonly<Record<string, string>>, framing?: 'chunked' | 'given'): void;
  /** Part of a body, framed as the head said. */
  body(text: string): void;
  /** As one event of the stream. */
  event(data: string): void;
  /** `count` token events; each in a piece of its own, `gapMs` apart. */
  tokens(count: number, gapMs?: number): Promise<void>;
  /** `count` token events as text, noted as sent. */
  tokenText(count: number): string;
  finishText(reason?: string): string;
  usageText(): string;
  /** The end of a chunked body. */
  last(): void;
  /** Ends the connection: what was written arrives. */
  close(): void;
  /** Ends the connection in `ms`, unless another request has come by then. */
  closeIdle(ms: number): void;
  /** Resets the connection. */
  reset(): void;
  /** Waits; never resolves once the connection is closed. */
  wait(ms: number): Promise<void>;
  /** Resolves when the client closes the connection. */
  closed(): Promise<void>;
}

export const DONE = 'data: [DONE]\n\n';
const event = (chunk: object) => `data: ${JSON.stringify({ id: 'c1', ...chunk })}\n\n`;

/** One connection of the target. */
export interface Line {
  readonly socket: Socket;
  /** Requests that came on it. */
  requests: number;
  /** The target ended or reset it. */
  isEnded: boolean;
  /** It was left within an answer, or in a state of no use. */
  isLeft: boolean;
}

export function createWire(line: Line, rng: Rng, entry: LedgerEntry): Wire {
  const { socket } = line;
  const nth = line.requests;
  /** A trial's first requests cannot hit: they would be taken for a warm cache. */
  const isCold = Number(entry.key.split('/')[1]) < COLD_REQUESTS;
  let isChunked = true;

  function raw(bytes: string | Uint8Array): void {
    if (!socket.destroyed && !socket.writableEnded) socket.write(bytes);
  }
  function body(text: string): void {
    raw(isChunked ? `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n` : text);
  }
  function wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      setTimeout(() => {
        if (!socket.destroyed) resolve();
      }, ms);
    });
  }
  function end(): void {
    line.isEnded = true;
    socket.end();
  }
  function tokenText(count: number): string {
    const nowMs = performance.now();
    if (count > 0) {
      entry.firstTokenMs ??= nowMs;
      entry.lastTokenMs = nowMs;
    }
    entry.chunks += count;
    const token = event({ choices: [{ index: 0, delta: { content: ' word' }, finish_reason: null }] });
    return token.repeat(count);
  }

  return {
    rng,
    entry,
    raw,
    body,
    wait,
    tokenText,
    head(status, headers = {}, framing = 'chunked') {
      entry.status = status;
      isChunked = framing === 'chunked';
      const all = {
        'content-type': 'text/event-stream',
        ...headers,
        ...(isChunked ? { 'transfer-encoding': 'chunked' } : {}),
      };
      const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
      raw(`HTTP/1.1 ${status} Drill\r\n${lines.join('')}\r\n`);
    },
    event: (data) => body(`data: ${data}\n\n`),
    async tokens(count, gapMs = 0) {
      for (let i = 0; i < count; i++) {
        if (gapMs > 0) await wait(gapMs);
        body(tokenText(1));
      }
    },
    finishText(reason = 'length') {
      entry.finishReason = reason;
      return event({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
    },
    usageText() {
      entry.promptTokens = PROMPT_TOKENS;
      entry.outputTokens = ANSWER_TOKENS;
      entry.cachedTokens = rng.next() < 0.9 ? (isCold ? 0 : 16 * rng.int(12)) : null;
      return event({
        choices: [],
        usage: {
          prompt_tokens: entry.promptTokens,
          completion_tokens: entry.outputTokens,
          ...(entry.cachedTokens === null
            ? {}
            : { prompt_tokens_details: { cached_tokens: entry.cachedTokens } }),
        },
      });
    },
    last: () => raw('0\r\n\r\n'),
    close: end,
    closeIdle(ms) {
      setTimeout(() => {
        if (line.requests === nth && !socket.destroyed) end();
      }, ms);
    },
    reset() {
      line.isEnded = true;
      socket.resetAndDestroy();
    },
    closed: () => new Promise((resolve) => socket.once('close', () => resolve())),
  };
}
