import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { parseChunk } from '../../../src/core/answer/answer-chunk.js';
import { type AnswerFacts, addChunkFacts, EMPTY_ANSWER } from '../../../src/core/answer/answer-facts.js';
import { type AnswerReader, createAnswerReader } from '../../../src/core/answer/answer-reader.js';
import { createTokenScan } from '../../../src/core/answer/token-scan.js';
import { createRng, type Rng } from '../../../src/core/base/rng.js';
import { chance, draw, mutate, randomEvents } from '../../support/random-stream.js';

const encoder = new TextEncoder();

/** What test/real/routers/capture.mjs writes. */
interface Capture {
  readonly exchanges: readonly { readonly name: string; readonly text: string }[];
}

interface Fold {
  readonly tokens: number;
  readonly facts: AnswerFacts;
  readonly failure: string | null;
  readonly isDone: boolean;
}

/** The slow way: every event parsed, nothing learned, nothing cut. */
function foldByParsing(events: readonly string[]): Fold {
  let facts = EMPTY_ANSWER;
  let tokens = 0;
  for (const event of events) {
    if (event.trim() === '') continue;
    if (event.trim() === '[DONE]') return { tokens, facts, failure: null, isDone: true };
    try {
      const chunk = parseChunk(event);
      facts = addChunkFacts(facts, chunk);
      if (chunk.hasToken) tokens++;
      if (chunk.error !== null) return { tokens, facts, failure: 'server_error', isDone: false };
    } catch {
      return { tokens, facts, failure: 'malformed_event', isDone: false };
    }
  }
  return { tokens, facts, failure: null, isDone: false };
}

function foldByReading(chunks: Iterable<Uint8Array>): Fold {
  let tokens = 0;
  const reader = createAnswerReader(() => tokens++);
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return { tokens, facts: reader.facts(), failure: reader.failure()?.code ?? null, isDone: reader.isDone() };
}

/** The events as a server-sent stream of some dialect: line ends, comments, field lines, data over several lines. */
function frame(rng: Rng, events: readonly string[]): string {
  const newline = draw(rng, ['\n', '\r\n', '\r']);
  const space = draw(rng, [' ', '']);
  let text = chance(rng, 0.2) ? '\ufeff' : '';
  for (const event of events) {
    if (chance(rng, 0.1)) text += `: keep-alive${newline}${newline}`;
    if (chance(rng, 0.1)) text += `event: message${newline}id: 7${newline}retry: 10${newline}`;
    // A comma between members may be followed by a line end, and the event then takes two lines.
    const lines = chance(rng, 0.1) ? event.replace(/,(?="[a-z_]+":)/, ',\n').split('\n') : [event];
    for (const line of lines) text += `data:${space}${line}${newline}`;
    text += newline;
  }
  return chance(rng, 0.2) ? text.trimEnd() : text;
}

/** Cuts into random reads; each is wiped after its use, as a socket's buffer may be. */
function* reads(rng: Rng, bytes: Uint8Array): Generator<Uint8Array> {
  const longest = draw(rng, [2, 20, 20, 100, 100, 1000, bytes.length]);
  for (let at = 0; at < bytes.length; ) {
    // A Node buffer, whose slices are views.
    const read = Buffer.from(bytes.slice(at, at + 1 + rng.int(longest)));
    at += read.length;
    yield read;
    read.fill(0x7a);
  }
}

function read(text: string): { readonly reader: AnswerReader; readonly tokens: () => number } {
  let tokens = 0;
  const reader = createAnswerReader(() => tokens++);
  reader.push(encoder.encode(text));
  return { reader, tokens: () => tokens };
}

describe('the scan against parsing', () => {
  it('says of no event, valid or nearly so, what parsing does not say', () => {
    const rng = createRng('scan');
    const wrong: unknown[] = [];
    let scanned = 0;
    for (let round = 0; round < 500; round++) {
      const scan = createTokenScan();
      for (const event of randomEvents(rng).flatMap((text) => [text, mutate(rng, text)])) {
        const bytes = encoder.encode(`<${event}>`);
        const end = scan.endOf(bytes, 1, bytes.length - 1);
        const facts = factsOrNull(event);
        if (end !== bytes.length - 1) {
          if (facts !== null) scan.learn(bytes, 1, bytes.length - 1, event, facts);
          continue;
        }
        scanned++;
        // The id and workers stand as first said: a repeat changes nothing.
        const implied = { ...facts, ...NOTHING_ELSE, hasToken: scan.hasToken() };
        if (JSON.stringify(facts) !== JSON.stringify(implied)) wrong.push({ event, facts });
      }
    }
    expect(wrong).toEqual([]);
    expect(scanned).toBeGreaterThan(1_000);
  });

  it('folds thousands of streams, cut anywhere, as parsing every event does', () => {
    const rng = createRng('streams');
    const wrong: unknown[] = [];
    for (let round = 0; round < 2_000; round++) {
      const events = randomEvents(rng);
      const insert = (event: string) => events.splice(rng.int(events.length), 0, event);
      if (chance(rng, 0.1)) insert(mutate(rng, draw(rng, events)).replace(/[\r\n]/g, ' '));
      if (chance(rng, 0.1)) insert('{"error":{"message":"died"},"choices":[]}');
      if (chance(rng, 0.7)) events.push('[DONE]', '{"choices":[{"delta":{"content":"late"}}]}');
      const text = frame(rng, events);
      const folds = [foldByReading(reads(rng, encoder.encode(text))), foldByParsing(events)];
      if (JSON.stringify(folds[0]) !== JSON.stringify(folds[1])) wrong.push({ text, folds });
    }
    expect(wrong).toEqual([]);
  });
});

const NOTHING_ELSE = { finishReason: null, usage: null, isUsageOnly: false, server: null, error: null };

function factsOrNull(text: string) {
  try {
    return parseChunk(text);
  } catch {
    return null;
  }
}

describe('what is parsed', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const parsesOf = (events: readonly string[]): number => {
    const parse = vi.spyOn(JSON, 'parse');
    read(events.map((event) => `data: ${event}\n\n`).join(''));
    const calls = parse.mock.calls.length;
    parse.mockRestore();
    return calls;
  };
  const token = (text: string, extra = '') =>
    `{"id":"c1"${extra},"choices":[{"index":0,"delta":{"content":${JSON.stringify(text)}},"finish_reason":null}]}`;

  it('is one token event of a stream, however many follow, and once more where its text has escapes', () => {
    const words = Array.from({ length: 1000 }, (_, i) => (i % 7 === 0 ? `"${i}"\n` : ` word${i}`));
    expect(parsesOf(words.map((word) => token(word)))).toBe(2);
    expect(parsesOf(words.slice(1).map((word) => token(word)))).toBe(1);
  });

  it('is two token events of a real Dynamo, with a role and without, and the end, though each names workers', () => {
    const folder = join(import.meta.dirname, '../../real/dynamo/captures');
    const parses = readdirSync(folder)
      .filter((file) => file.endsWith('.sse'))
      .map((file) => {
        const events = readFileSync(join(folder, file), 'utf8').match(/(?<=^data: ).*$/gm) ?? [];
        return [file, parsesOf(events), events.length];
      });
    expect(parses).toEqual([
      ['error-in-200.sse', 2, 2],
      ['kv-cached.sse', 4, 7],
      ['kv-cold.sse', 4, 7],
      ['kv-completions.sse', 3, 6],
      ['kv-worker-killed.sse', 5, 24],
      ['round-robin.sse', 4, 7],
    ]);
  });

  it('is a token event or two, and the end, of every router over vLLM and the simulator', () => {
    const folder = join(import.meta.dirname, '../../real/routers/captures');
    const parses = readdirSync(folder).map((file) => {
      const { exchanges } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Capture;
      const { text } = exchanges.find(({ name }) => name === 'miss') ?? { text: '' };
      const events = text.match(/(?<=^data: ).*$/gm) ?? [];
      return `${file.endsWith('-sim.json') ? 'simulator' : 'vLLM'}: ${parsesOf(events)} of ${events.length}`;
    });
    // Over vLLM: the role, a token with an escape (parsed twice), the last token, the usage. LiteLLM ends with an event of its own.
    expect(parses).toHaveLength(18);
    expect(new Set(parses)).toEqual(new Set(['simulator: 4 of 8', 'vLLM: 5 of 7', 'vLLM: 5 of 8']));
  });

  it('is learned anew when the rest of the event changes, as a time of creation does', () => {
    const times = Array.from({ length: 40 }, (_, i) => `,"created":${Math.floor(i / 10)}`);
    expect(parsesOf(times.map((created) => token('a', created)))).toBe(4);
  });

  it('is every event, but only once, where no two are alike', () => {
    const padded = Array.from({ length: 100 }, (_, i) => `,"obfuscation":"${i}"`);
    expect(parsesOf(padded.map((pad) => token('a', pad)))).toBe(100);
  });
});

describe('an answer', () => {
  it('is spoiled by an error event whose message is only a comment', () => {
    const { reader } = read('event: error\n: engine is gone\n\ndata: [DONE]\n\n');
    expect(reader.failure()).toEqual({ code: 'server_error', message: 'engine is gone' });
  });

  it.each([
    ['{"error":{"message":"engine died","code":500}}', 'engine died'],
    ['{"error":"engine died"}', 'engine died'],
    ['{"object":"error","message":"too long","code":400}', 'too long'],
    ['{"error":{"code":500}}', '{"code":500}'],
    [`{"error":{"message":"${'x'.repeat(400)}"}}`, `${'x'.repeat(299)}…`],
    ['{"error":{"message":"two\\nlines"}}', 'two lines'],
    ['{"error":{}}', '{}'],
    ['{"code":500,"message":"worker lost","type":"internal_error"}', 'worker lost'],
    ['{"message":"worker lost"}', 'worker lost'],
    ['{"detail":"worker lost"}', 'worker lost'],
    ['{"code":503}', '{"code":503}'],
  ])('is spoiled by %s', (event, message) => {
    expect(read(`data: ${event}\n\n`).reader.failure()).toEqual({ code: 'server_error', message });
  });

  it('is spoiled by an event that is not JSON', () => {
    expect(read('data: {"choices":\n\n').reader.failure()).toEqual({
      code: 'malformed_event',
      message: 'an event that is not JSON: {"choices":',
    });
  });

  it('is spoiled by nesting deeper than the stack, and nothing throws', () => {
    const deep = `{"error":${'{"error":'.repeat(50_000)}1${'}'.repeat(50_001)}`;
    expect(read(`data: ${deep}\n\n`).reader.failure()).not.toEqual(null);
  });

  it('is not spoiled by events without an object', () => {
    const { reader, tokens } = read('data:\n\ndata: null\n\ndata: "content"\n\ndata: [1]\n\ndata: 7\n\n');
    expect([reader.failure(), tokens()]).toEqual([null, 0]);
  });

  it('is not spoiled by named events that are no part of it, nor by comments sent as data', () => {
    const { reader, tokens } = read(
      'event: ping\ndata: {"type":"ping","message":"still here"}\n\nevent: request_id\ndata: a-b-c\n\ndata: : waiting\n\nevent: token\ndata: {"choices":[{"text":"a"}]}\n\nevent: done\ndata: [DONE]\n\n',
    );
    expect([reader.failure(), tokens(), reader.isDone()]).toEqual([null, 1, true]);
  });

  it('is spoiled by any event with error in its name', () => {
    const { reader } = read('event: server_error\ndata: {"message":"worker lost"}\n\n');
    expect(reader.failure()).toEqual({ code: 'server_error', message: 'worker lost' });
  });

  it.each(['null', 'None', ''])('does not finish with the reason %j as text', (reason) => {
    const { reader } = read(`data: {"choices":[{"text":"a","finish_reason":"${reason}"}]}\n\n`);
    expect(reader.facts().finishReason).toBeNull();
  });

  it('hides a secret before a message is cut', () => {
    const reader = createAnswerReader(
      () => {},
      (text) => text.replaceAll('sk-123456', '***'),
    );
    reader.push(encoder.encode(`data: {"error":"${'x'.repeat(295)}sk-123456"}\n\n`));
    expect(reader.failure()?.message).toBe(`${'x'.repeat(295)}***`);
  });

  it('ends at [DONE]: nothing after it counts', () => {
    const { reader, tokens } = read(
      'data: [DONE]\n\ndata: {"error":"late"}\n\ndata: {"choices":[{"text":"a"}]}\n\n',
    );
    expect([reader.isDone(), reader.failure(), tokens()]).toEqual([true, null, 0]);
  });

  it('in one JSON document is one token event, at the end', () => {
    const { reader, tokens } = read(
      '\n {"id":"c9","choices":[{"message":{"content":"all of it"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":3}}',
    );
    expect([reader.isWhole(), tokens()]).toEqual([true, 0]);
    reader.end();
    expect(tokens()).toBe(1);
    expect(reader.facts()).toEqual({
      ...EMPTY_ANSWER,
      requestId: 'c9',
      finishReason: 'stop',
      promptTokens: 5,
      outputTokens: 3,
    });
  });

  it('in one broken JSON document is spoiled', () => {
    const { reader } = read('{"choices":[{"mess');
    reader.end();
    expect(reader.failure()?.code).toBe('malformed_body');
  });
});

describe('facts over a stream', () => {
  it('keep ids beyond 2^53 exact, as numbers or as text, and ranks beside them', () => {
    const ids =
      '"prefill_worker_id":18446744073709551615,"prefill_dp_rank":3,"decode_worker_id":"18446744073709551614","decode_dp_rank":9007199254740993';
    const { reader } = read(
      `data: {"note":"12345678901234567890 \\"12345678901234567891","x":-12345678901234567890.5e1,"nvext":{"worker_id":{${ids}}}}\n\n`,
    );
    expect(reader.facts().workers).toEqual({
      prefillId: '18446744073709551615',
      prefillRank: '3',
      decodeId: '18446744073709551614',
      decodeRank: '9007199254740993',
    });
  });

  it('keep the first workers and the last counts', () => {
    const event = (worker: number, tokens: number) =>
      `data: {"nvext":{"worker_id":{"decode_worker_id":${worker}}},"usage":{"prompt_tokens":10,"completion_tokens":${tokens},"prompt_tokens_details":{"cached_tokens":8}}}\n\n`;
    const { reader } = read(
      `${event(1, 1)}${event(2, 2)}data: {"usage":{"prompt_tokens":10,"completion_tokens":3}}\n\n`,
    );
    const { workers, outputTokens, cachedTokens } = reader.facts();
    expect([workers.decodeId, outputTokens, cachedTokens]).toEqual(['1', 3, 8]);
  });

  it.each([
    ['"prompt_cache_hit_tokens":7', 7],
    ['"cache_read_input_tokens":7', 7],
    ['"cached_tokens":7', 7],
    ['"input_tokens_details":{"cached_tokens":7}', 7],
    ['"cached_tokens":9,"prompt_tokens_details":{"cached_tokens":7}', 7],
    ['"cached_tokens":9,"prompt_tokens_details":{"cached_tokens":0}', 0],
    ['"prompt_tokens_details":null', null],
  ])('hold the cached tokens of %s', (counts, cachedTokens) => {
    expect(read(`data: {"usage":{${counts}}}\n\n`).reader.facts().cachedTokens).toBe(cachedTokens);
  });

  it('hold the counts of the Responses API', () => {
    const { promptTokens, outputTokens } = read(
      'data: {"usage":{"input_tokens":5,"output_tokens":2}}\n\n',
    ).reader.facts();
    expect([promptTokens, outputTokens]).toEqual([5, 2]);
  });

  it('hold the times Dynamo reports', () => {
    const timing =
      '{"prefill_wait_time_ms":1.5,"prefill_time_ms":2,"ttft_ms":3,"total_time_ms":4,"kv_hit_rate":0.5,"router_queue_depth":0,"kv_transfer_estimated_latency_ms":6}';
    expect(read(`data: {"choices":[],"nvext":{"timing":${timing}}}\n\n`).reader.facts().server).toEqual({
      prefill_wait_ms: 1.5,
      prefill_ms: 2,
      ttft_ms: 3,
      total_ms: 4,
      kv_transfer_ms: 6,
      kv_hit_rate: 0.5,
      queue_depth: 0,
    });
  });
});
