import { describe, expect, it } from 'vitest';
import { NO_WORKERS } from '../../../src/core/answer/dialect.js';
import type { StreamEnd } from '../../../src/core/answer/exchange.js';
import { createRecorder, type Recorder } from '../../../src/core/answer/recorder.js';
import type { RequestRecord } from '../../../src/core/answer/request-record.js';
import { META } from '../../support/http-exchange.js';

const encoder = new TextEncoder();
const END: StreamEnd = { kind: 'end' };
const RESET: StreamEnd = { kind: 'stream_error', code: 'ECONNRESET', message: 'reset' };
const TIMEOUT: StreamEnd = { kind: 'timeout', code: 'timeout', message: 'too late' };

const token = (text: string) => `data: {"id":"c1","choices":[{"delta":{"content":"${text}"}}]}\n\n`;
const finish = (reason: string) => `data: {"choices":[{"delta":{},"finish_reason":"${reason}"}]}\n\n`;
const usage = (tokens: number) =>
  `data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":${tokens}}}\n\n`;
const DONE = 'data: [DONE]\n\n';

/** A request due at 1,000, sent 1 ms later, its origin at 900. */
function record(
  feed: (recorder: Recorder) => void,
  end: StreamEnd,
  onGap?: (ms: number) => void,
): RequestRecord {
  const recorder = createRecorder(META, { originMs: 900, dueMs: 1000, ...(onGap ? { onGap } : {}) });
  recorder.sent(1001);
  feed(recorder);
  return recorder.finish(end);
}

/** The record of a good response whose reads arrive at 1010, 1020, … */
function answered(
  reads: readonly string[],
  end: StreamEnd = END,
  onGap?: (ms: number) => void,
): RequestRecord {
  const feed = (recorder: Recorder) => {
    recorder.response(200, { contentType: 'text/event-stream' });
    for (const [i, text] of reads.entries()) recorder.bytes(encoder.encode(text), 1010 + 10 * i);
  };
  return record(feed, end, onGap);
}

describe('the wait from the head of an answer to its first token', () => {
  const waited = (feed: (recorder: Recorder) => void) => {
    const recorder = createRecorder(META, { originMs: 900, dueMs: 1000 });
    recorder.sent(1001);
    feed(recorder);
    return recorder.firstTokenWaitMs();
  };

  it('is known when both are', () => {
    const read = (recorder: Recorder) => recorder.bytes(encoder.encode(token('a')), 1050.5);
    expect(
      waited((recorder) => {
        recorder.response(200, {}, 1010);
        read(recorder);
      }),
    ).toBe(40.5);
    expect(
      waited((recorder) => {
        recorder.response(200);
        read(recorder);
      }),
    ).toBeNull();
    expect(waited((recorder) => recorder.response(200, {}, 1010))).toBeNull();
  });
});

const judged = ({ outcome, error }: RequestRecord) => [outcome, error?.code ?? null];

describe('a record', () => {
  it('holds exactly the keys of the contract, in its order', () => {
    expect(answered([token('a'), finish('stop'), usage(1), DONE])).toEqual({
      trial: 'p1-c1-r1',
      variant: 'test',
      prefixes: 1,
      concurrency: 1,
      rate: null,
      repeat: 1,
      seq: 0,
      prefix: 0,
      phase: 'measure',
      outcome: 'ok',
      status: 200,
      error: null,
      due_ms: 100,
      sent_ms: 101,
      send_lag_ms: 1,
      connect_ms: null,
      ttft_ms: 9,
      e2e_ms: 9,
      tpot_ms: null,
      prompt_tokens: 9,
      cached_tokens: null,
      output_tokens: 1,
      chunks: 1,
      prefill_worker: null,
      decode_worker: null,
      worker: null,
      finish_reason: 'stop',
      request_id: 'c1',
      server: null,
    });
    expect(Object.keys(answered([DONE])).join(' ')).toBe(
      'trial variant prefixes concurrency rate repeat seq prefix phase outcome status error due_ms sent_ms send_lag_ms connect_ms ' +
        'ttft_ms e2e_ms tpot_ms prompt_tokens cached_tokens output_tokens chunks prefill_worker decode_worker worker finish_reason request_id server',
    );
  });

  it('times tokens by their reads, counts TPOT by usage and gaps by events', () => {
    const gaps: number[] = [];
    const reads = [
      token(''),
      token('a'),
      token('b') + token('c'),
      ': alive\n\n',
      token('d') + usage(9),
      DONE,
    ];
    const { ttft_ms, e2e_ms, tpot_ms, chunks } = answered(reads, END, (ms) => gaps.push(ms));
    expect({ ttft_ms, e2e_ms, tpot_ms, chunks, gaps }).toEqual({
      ttft_ms: 19,
      e2e_ms: 49,
      tpot_ms: 3.75,
      chunks: 4,
      gaps: [10, 0, 20],
    });
  });

  it('rounds times to a microsecond', () => {
    const recorder = createRecorder(META, { originMs: 0.1, dueMs: 0.25 });
    recorder.connected(0.12345678);
    recorder.sent(0.3333333);
    recorder.token(0.9999999);
    const { due_ms, sent_ms, send_lag_ms, connect_ms, ttft_ms } = recorder.finish(END);
    expect([due_ms, sent_ms, send_lag_ms, connect_ms, ttft_ms]).toEqual([0.15, 0.233, 0.083, 0.123, 0.667]);
  });

  it('of a request that was never due or sent has no times', () => {
    const unsent = createRecorder(META, { originMs: 5, dueMs: null }).finish({
      kind: 'aborted',
      message: 'not sent',
    });
    expect(unsent).toMatchObject({
      outcome: 'aborted',
      due_ms: null,
      sent_ms: null,
      send_lag_ms: null,
      ttft_ms: null,
    });
    expect(unsent.error).toEqual({ code: 'aborted', message: 'not sent' });
  });

  it('takes the facts of an in-process answer as they are', () => {
    const server = {
      prefill_wait_ms: 1,
      prefill_ms: 2,
      ttft_ms: 3,
      total_ms: 4,
      kv_transfer_ms: null,
      kv_hit_rate: 0.5,
      queue_depth: 0,
    };
    const told = record((recorder) => {
      recorder.response(200);
      recorder.token(1011);
      recorder.token(1021);
      recorder.answer({
        promptTokens: 7,
        cachedTokens: 0,
        outputTokens: 3,
        prefillWorker: 'p',
        decodeWorker: 'd',
        finishReason: 'length',
        requestId: 'sim-1',
        server,
      });
    }, END);
    expect(told).toMatchObject({
      outcome: 'ok',
      ttft_ms: 10,
      e2e_ms: 20,
      tpot_ms: 5,
      cached_tokens: 0,
      worker: 'p',
      server,
    });
    expect(told).toMatchObject({
      prefill_worker: 'p',
      decode_worker: 'd',
      request_id: 'sim-1',
      finish_reason: 'length',
    });
  });

  it('of an answer in one JSON document has one token, at the read that completes it, and no TPOT', () => {
    const whole = answered([
      '{"id":"c1","choices":[{"message":{"content":"all"},',
      '"finish_reason":"stop"}],"usage":{"completion_tokens":3}}',
    ]);
    expect(whole).toMatchObject({
      outcome: 'ok',
      ttft_ms: 19,
      e2e_ms: 19,
      tpot_ms: null,
      chunks: 1,
      output_tokens: 3,
    });
  });
});

describe('an outcome', () => {
  it.each<[string, readonly string[], StreamEnd, string, string | null]>([
    ['finished and done', [token('a'), finish('stop'), DONE], END, 'ok', null],
    ['finished, without [DONE]', [token('a'), finish('stop')], END, 'ok', null],
    ['done, without a finish_reason', [token('a'), DONE], END, 'ok', null],
    ['done, then broken', [token('a'), DONE], RESET, 'ok', null],
    ['done, then held open until the timeout', [token('a'), DONE, token('b')], TIMEOUT, 'ok', null],
    ['done in a last line without its end', [token('a'), 'data: [DONE]'], END, 'ok', null],
    ['finished without a token', [token(''), finish('stop'), usage(0), DONE], END, 'empty', 'no_token'],
    ['done without a token', [DONE], END, 'empty', 'no_token'],
    ['finished, then broken', [token('a'), finish('stop')], RESET, 'stream_error', 'ECONNRESET'],
    ['given up by the engine', [token('a'), finish('abort'), DONE], END, 'stream_error', 'given_up'],
    ['ended early', [token('a')], END, 'stream_error', 'ended_early'],
    ['nothing', [], END, 'stream_error', 'no_answer'],
    ['HTML', ['<html>sign in</html>'], END, 'stream_error', 'no_answer'],
    ['comments only', [': a\n\n'], END, 'stream_error', 'no_answer'],
    [
      'an error',
      [token('a'), 'data: {"error":{"message":"died"}}\n\n', DONE],
      END,
      'stream_error',
      'server_error',
    ],
    ['an error, then broken', ['data: {"error":"died"}\n\n'], RESET, 'stream_error', 'server_error'],
    ['an error in a JSON document', ['{"error":{"message":"no"}}'], END, 'stream_error', 'server_error'],
    ['an error after [DONE]', [token('a'), DONE, 'data: {"error":"late"}\n\n'], END, 'ok', null],
    [
      'too long an event',
      [token('a'), `data: ${'x'.repeat(1_100_000)}`],
      END,
      'stream_error',
      'event_too_large',
    ],
    ['too long a document', [`{"a":"${'x'.repeat(1_100_000)}`], END, 'stream_error', 'event_too_large'],
    ['garbage', ['data: \u0001\ufffd\n\n'], END, 'stream_error', 'malformed_event'],
    ['broken', [token('a'), 'data: {"cho'], RESET, 'stream_error', 'ECONNRESET'],
    ['late', [token('a')], TIMEOUT, 'timeout', 'timeout'],
    ['aborted', [token('a')], { kind: 'aborted', message: 'by the user' }, 'aborted', 'aborted'],
  ])('of a stream that is %s', (_name, reads, end, outcome, code) => {
    expect(judged(answered(reads, end))).toEqual([outcome, code]);
  });

  it('of a failure keeps the tokens that came before', () => {
    const broken = answered([token('a'), token('b')], RESET);
    expect(broken).toMatchObject({ outcome: 'stream_error', ttft_ms: 9, e2e_ms: 19, chunks: 2 });
    expect(broken.error).toEqual({ code: 'ECONNRESET', message: 'reset' });
  });

  it.each<[number, string, string]>([
    [429, '{"error":{"message":"rate limited"}}', 'rate limited'],
    [404, 'data: {"choices":[{"text":"a"}]}\n\n', 'data: {"choices":[{"text":"a"}]}'],
    [500, '', 'HTTP 500 without a message'],
  ])('of HTTP %i is the server’s own message', (status, body, message) => {
    for (const end of [END, RESET, TIMEOUT]) {
      const failed = record((recorder) => {
        recorder.response(status);
        recorder.bytes(encoder.encode(body), 1010);
      }, end);
      expect([failed.outcome, failed.status, failed.chunks, failed.error]).toEqual([
        'http_error',
        status,
        0,
        { code: `http_${status}`, message },
      ]);
    }
  });

  it('of a redirect says where to', () => {
    const moved = record((recorder) => recorder.response(307, { location: 'https://b/v1' }), END);
    expect(moved.error).toEqual({
      code: 'http_307',
      message: 'redirected to https://b/v1, and redirects are not followed: give that address',
    });
  });

  it('of an encoded body is not guessed from its bytes', () => {
    const encoded = record((recorder) => {
      recorder.response(200, { contentEncoding: 'gzip' });
      recorder.bytes(encoder.encode(token('a')), 1010);
    }, END);
    expect([...judged(encoded), encoded.chunks]).toEqual(['stream_error', 'content_encoding', 0]);
  });

  it('of a connection that was not opened is a connect_error', () => {
    const end: StreamEnd = { kind: 'connect_error', code: 'ECONNREFUSED', message: 'refused' };
    expect(judged(createRecorder(META, { originMs: 0, dueMs: 0 }).finish(end))).toEqual([
      'connect_error',
      'ECONNREFUSED',
    ]);
  });
});

describe('the worker', () => {
  const worker = (ids: string, info = {}) => {
    const { prefill_worker, decode_worker, worker } = record((recorder) => {
      recorder.response(200, info);
      recorder.bytes(encoder.encode(`data: {"nvext":{"worker_id":{${ids}}}}\n\n`), 1010);
    }, END);
    return [prefill_worker, decode_worker, worker];
  };

  it('is the prefill worker, else the decode worker, with a rank other than 0', () => {
    expect(
      worker('"prefill_worker_id":1,"prefill_dp_rank":2,"decode_worker_id":3,"decode_dp_rank":4'),
    ).toEqual(['1', '3', '1:2']);
    expect(worker('"prefill_worker_id":null,"decode_worker_id":3,"decode_dp_rank":4')).toEqual([
      null,
      '3',
      '3:4',
    ]);
    expect(
      worker('"prefill_worker_id":1,"prefill_dp_rank":0,"decode_worker_id":3,"decode_dp_rank":4'),
    ).toEqual(['1', '3', '1']);
    expect(worker('"decode_worker_id":"pod-a"')).toEqual([null, 'pod-a', 'pod-a']);
  });

  const named = (prefillId: string | null, decodeId: string | null) => ({
    extras: {
      workers: { ...NO_WORKERS, prefillId, decodeId },
      server: null,
      workerSource: 'header target-pod',
      dialect: 'aibrix',
    },
  });

  it('is the one of the headers only where the body names none', () => {
    expect(worker('', named(null, 'pod-b'))).toEqual([null, 'pod-b', 'pod-b']);
    expect(worker('"decode_worker_id":3', named('pod-a', 'pod-b'))).toEqual([null, '3', '3']);
  });
});

describe('what a server says of itself', () => {
  it('has its times rounded to 1 µs', () => {
    const timing = '{"ttft_ms":108.91000000000001,"total_time_ms":228.10999999999984,"kv_hit_rate":0.123456}';
    const { server } = answered([`data: {"choices":[],"nvext":{"timing":${timing}}}\n\n`]);
    expect([server?.ttft_ms, server?.total_ms, server?.kv_hit_rate]).toEqual([108.91, 228.11, 0.123456]);
  });

  it('is written without the secrets that the request sent', () => {
    const hide = (text: string) => text.replaceAll('sk-1', '***');
    const failed = record((recorder) => {
      recorder.response(401, { hide, requestId: 'of sk-1' });
      recorder.bytes(encoder.encode(`{"error":"${'x'.repeat(296)}sk-1 is wrong"}`), 1010);
    }, END);
    expect(failed.error?.message).toBe(`${'x'.repeat(296)}***…`);
    expect(failed.request_id).toBe('of ***');
    const odd = record((recorder) => {
      recorder.response(200, { hide });
      const said =
        '{"id":"sk-1","choices":[{"text":"a","finish_reason":"sk-1"}],"nvext":{"worker_id":{"decode_worker_id":"sk-1"}}}';
      recorder.bytes(encoder.encode(`data: ${said}\n\n`), 1010);
    }, END);
    expect([odd.request_id, odd.finish_reason, odd.decode_worker, odd.worker]).toEqual([
      '***',
      '***',
      '***',
      '***',
    ]);
    const garbled = record((recorder) => {
      recorder.response(200, { hide });
      recorder.bytes(encoder.encode('data: sk-1\n\n'), 1010);
    }, END);
    expect(garbled.error?.message).toBe('an event that is not JSON: ***');
  });

  it('ends an answer with a last usage chunk, but not with one that a token follows', () => {
    expect(judged(answered([token('a'), usage(1)]))).toEqual(['ok', null]);
    expect(judged(answered([usage(0), token('a')]))).toEqual(['stream_error', 'ended_early']);
    expect(judged(answered([token('a'), usage(1)], RESET))).toEqual(['stream_error', 'ECONNRESET']);
    const running = 'data: {"choices":[{"text":"a"}],"usage":{"prompt_tokens":9,"completion_tokens":1}}\n\n';
    expect(judged(answered([running]))).toEqual(['stream_error', 'ended_early']);
  });
});
