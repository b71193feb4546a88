import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { Recorder } from '../../../src/core/answer/recorder.js';
import type { Transport } from '../../../src/engine/ports.js';
import { exchangeFailure } from '../../../src/io/http/failure.js';
import { addressOf } from '../../../src/io/http/socket.js';
import type { HttpTransportOptions } from '../../../src/io/http/transport.js';
import { exchange, httpTransport, realClock, recordOf } from '../../support/http-exchange.js';
import {
  eventStream,
  httpChunk,
  LAST_CHUNK,
  ONE_TOKEN,
  responseHead,
  type Script,
  type ScriptedServer,
  startScriptedServer,
} from '../../support/scripted-server.js';
import { TEST_CERTIFICATE, TEST_KEY } from '../../support/test-certificate.js';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  for (const close of closing.splice(0).reverse()) await close();
});

async function serve(script: Script): Promise<ScriptedServer> {
  const server = await startScriptedServer(script);
  closing.push(() => server.close());
  return server;
}

function transportTo(url: string, options: Partial<HttpTransportOptions> = {}): Transport {
  const transport = httpTransport(url, options);
  closing.push(() => transport.close());
  return transport;
}

/** The record of one request that `script` answers. */
async function answeredBy(script: Script) {
  const server = await serve(script);
  return recordOf(server.url);
}

const answer: Script = (socket) => socket.write(eventStream(ONE_TOKEN));
const failed = (outcome: string, code: string) => ({ outcome, error: { code } });
const HEAD = responseHead(200, { 'content-type': 'text/event-stream' });
const TOKEN = `data: ${ONE_TOKEN[0]}\n\n`;

describe('a request', () => {
  it('holds what the API needs and what was given, and nothing a router may route by', async () => {
    const server = await serve(answer);
    await recordOf(`${server.url}/base`, { headers: { Authorization: 'Bearer k', 'X-Mine': 'é' } });
    const { head, body } = server.requests[0] ?? { head: '', body: '' };
    expect(head.split('\r\n')).toEqual([
      'POST /base/v1/chat/completions HTTP/1.1',
      `host: 127.0.0.1:${server.port}`,
      'connection: keep-alive',
      'content-type: application/json',
      'accept: text/event-stream',
      'accept-encoding: identity',
      'Authorization: Bearer k',
      'X-Mine: é',
      `content-length: ${body.length}`,
    ]);
    expect(JSON.parse(body).messages).toEqual([{ role: 'user', content: 'some words' }]);
  });

  it('lets given headers replace its own, in any case', async () => {
    const server = await serve(answer);
    await recordOf(server.url, { headers: { Accept: '*/*', Host: 'llm.internal' }, endpoint: 'completions' });
    const lines = server.requests[0]?.head.split('\r\n') ?? [];
    expect(lines[0]).toBe('POST /v1/completions HTTP/1.1');
    expect(lines.filter((line) => /^(accept|host):/i.test(line))).toEqual([
      'host: llm.internal',
      'Accept: */*',
    ]);
  });

  it.each([
    ['Connection', 'close', 'header "Connection" is set by HTTP itself'],
    ['Bad Name', 'x', 'header "Bad Name": Header name must be a valid HTTP token ["Bad Name"]'],
    ['X', 'a\nb', 'header "X": Invalid character in header content ["X"]'],
  ])('refuses the header %s', (name, value, message) => {
    expect(() => httpTransport('http://h', { headers: { [name]: value } })).toThrow(message);
  });

  it('goes to an IPv6 literal', async () => {
    expect(await recordOf('http://[::1]:1')).toMatchObject({
      ...failed('connect_error', 'ECONNREFUSED'),
      error: { message: 'cannot connect to http://[::1]:1: connection refused, nothing listens there' },
    });
  });
});

describe('the pool', () => {
  it('opens exactly its connections before the first request, and reuses them', async () => {
    const server = await serve(answer);
    const transport = transportTo(server.url);
    await transport.open(5);
    await server.waitForConnections(5);
    expect([server.accepted(), server.requests.length]).toEqual([5, 0]);
    const records = await Promise.all(Array.from({ length: 5 }, () => exchange(transport).record));
    expect(records.map(({ outcome, connect_ms }) => [outcome, connect_ms])).toEqual(
      Array(5).fill(['ok', null]),
    );
    expect(server.accepted()).toBe(5);
  });

  it('carries 1,000 requests, 8 in flight, over 8 connections', async () => {
    const server = await serve(answer);
    const transport = transportTo(server.url);
    await transport.open(8);
    let left = 1000;
    const outcomes = new Set<string>();
    const work = async () => {
      while (left-- > 0) {
        const record = await exchange(transport).record;
        outcomes.add(`${record.outcome} ${record.connect_ms}`);
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    expect([...outcomes]).toEqual(['ok null']);
    expect([server.requests.length, server.accepted()]).toEqual([1000, 8]);
  });

  it('never holds a request back: with more in flight than connections it opens more', async () => {
    const waiting: (() => void)[] = [];
    const server = await serve((socket) => waiting.push(() => socket.write(eventStream(ONE_TOKEN))));
    const transport = transportTo(server.url);
    await transport.open(1);
    const exchanges = Array.from({ length: 3 }, () => exchange(transport).record);
    await server.waitForConnections(3);
    await untilTrue(() => waiting.length === 3);
    for (const release of waiting) release();
    const records = await Promise.all(exchanges);
    expect(records.map(({ outcome, connect_ms }) => [outcome, connect_ms === null])).toEqual([
      ['ok', true],
      ['ok', false],
      ['ok', false],
    ]);
  });

  it('opens new connections for each trial and closes those before', async () => {
    const server = await serve(answer);
    const transport = transportTo(server.url);
    await transport.open(4);
    await server.waitForConnections(4);
    await transport.open(2);
    await server.waitForConnections(6);
    await untilTrue(() => server.open() === 2);
    expect([server.accepted(), server.open()]).toEqual([6, 2]);
  });

  it('uses the connection that was idle longest', async () => {
    const server = await serve((socket) =>
      socket.write(eventStream(ONE_TOKEN, { 'x-worker-id': `${socket.remotePort}` })),
    );
    const transport = transportTo(server.url);
    await transport.open(3);
    const workers: (string | null)[] = [];
    for (let i = 0; i < 6; i++) workers.push((await exchange(transport).record).worker);
    expect(new Set(workers).size).toBe(3);
    expect(workers.slice(3)).toEqual(workers.slice(0, 3));
  });

  it.each([
    ['before its first use', 0],
    ['between two requests', 1],
  ])(
    'reopens a connection that the server closed %s, and tells connecting apart',
    async (_name, requests) => {
      const server = await serve(answer);
      const transport = transportTo(server.url);
      await transport.open(1);
      await server.waitForConnections(1);
      for (let i = 0; i < requests; i++) await exchange(transport).record;
      await server.endConnections();
      const record = await exchange(transport).record;
      expect([record.outcome, server.accepted(), server.requests.length]).toEqual(['ok', 2, requests + 1]);
      expect(record.connect_ms).toBeGreaterThan(0);
      expect(record.send_lag_ms).toBeGreaterThanOrEqual(record.connect_ms ?? Number.NaN);
    },
  );

  it('reopens after a response that said it would close', async () => {
    const server = await serve((socket) => {
      socket.end(`${responseHead(200, { connection: 'close' })}data: ${ONE_TOKEN.join('\n\ndata: ')}\n\n`);
    });
    const transport = transportTo(server.url);
    await transport.open(1);
    const records = [await exchange(transport).record, await exchange(transport).record];
    expect(records.map(({ outcome, connect_ms }) => [outcome, connect_ms === null])).toEqual([
      ['ok', true],
      ['ok', false],
    ]);
  });

  it('keeps a connection as long as the server says, from the end of an answer however long that was', async () => {
    let lateMs = 0;
    const clock = { ...realClock, now: () => realClock.now() + lateMs };
    let endAnswer = () => {};
    const server = await serve((socket) => {
      const bytes = eventStream(ONE_TOKEN, { 'keep-alive': 'timeout=5' });
      socket.write(bytes.subarray(0, -LAST_CHUNK.length));
      endAnswer = () => socket.write(LAST_CHUNK);
    });
    const transport = transportTo(server.url, { clock });
    const answerOfAMinute = (recorder: Recorder): Recorder => ({
      ...recorder,
      response(...said) {
        recorder.response(...said);
        lateMs += 60_000;
        endAnswer();
      },
    });
    await exchange(transport, answerOfAMinute).record;
    expect((await exchange(transport, answerOfAMinute).record).connect_ms).toBeNull();
    lateMs += 5_000;
    expect((await exchange(transport, answerOfAMinute).record).connect_ms).not.toBeNull();
  });

  it('does not send on a connection that is still sending what was answered early', async () => {
    let accepted = 0;
    const server = createServer((socket) => {
      accepted++;
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.pause();
        socket.write(responseHead(413, { 'content-length': '0' }));
      });
      closing.push(async () => void socket.destroy());
    }).listen(0, '127.0.0.1');
    closing.push(async () => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const body = [new Uint8Array(1 << 25)];
    const transport = transportTo(`http://127.0.0.1:${port}`, { encode: () => body });
    for (const count of [1, 2]) {
      expect(await exchange(transport).record).toMatchObject(failed('http_error', 'http_413'));
      expect(accepted).toBe(count);
    }
  });

  it('opens one connection for each request when asked to, and says so to the server', async () => {
    const server = await serve((socket) => socket.end(eventStream(ONE_TOKEN)));
    const transport = transportTo(server.url, { connections: 'per-request' });
    await transport.open(4);
    const records = [await exchange(transport).record, await exchange(transport).record];
    expect([
      server.accepted(),
      server.requests.map(({ head }) => /connection: (.*)/.exec(head)?.[1]),
    ]).toEqual([2, ['close', 'close']]);
    for (const { outcome, connect_ms, send_lag_ms } of records) {
      expect(outcome).toBe('ok');
      expect(connect_ms).toBeGreaterThan(0);
      expect(send_lag_ms).toBeGreaterThanOrEqual(connect_ms ?? Number.NaN);
    }
  });

  it('does not send again what a closing connection lost', async () => {
    const server = await serve((socket) => {
      if (server.requests.length === 1) answer(socket, { head: '', body: '', atMs: 0 });
      else socket.resetAndDestroy();
    });
    const transport = transportTo(server.url);
    await transport.open(1);
    await exchange(transport).record;
    const record = await exchange(transport).record;
    expect(record).toMatchObject({ outcome: 'stream_error', status: null, ttft_ms: null });
    expect(record.error).toEqual({
      code: 'ECONNRESET',
      message:
        'the server reset the connection before it answered (on a reused connection: the server may close idle ones early)',
    });
    expect(server.requests.length).toBe(2);
  });
});

describe('times', () => {
  it('of all that one read carries are one, however long the client then takes', async () => {
    const server = await serve((socket) => {
      const events = [ONE_TOKEN[0], ONE_TOKEN[0].replace('"a"', '"b"'), ...ONE_TOKEN.slice(1)];
      socket.write(
        Buffer.concat([
          Buffer.from(HEAD),
          ...events.map((event) => httpChunk(`data: ${event}\n\n`)),
          Buffer.from(LAST_CHUNK),
        ]),
      );
    });
    const stamps: number[] = [];
    let busySinceMs = 0;
    const record = await exchange(transportTo(server.url), (recorder) => ({
      ...recorder,
      bytes(chunk, atMs, start, end) {
        stamps.push(atMs);
        if (busySinceMs === 0) busySinceMs = realClock.now();
        while (realClock.now() < busySinceMs + 30);
        recorder.bytes(chunk, atMs, start, end);
      },
    })).record;
    expect(stamps.length).toBe(4);
    expect(new Set(stamps).size).toBe(1);
    expect(stamps[0]).toBeLessThanOrEqual(busySinceMs);
    expect([record.outcome, record.chunks, record.e2e_ms]).toEqual(['ok', 2, record.ttft_ms]);
  });

  it('tell how long after the head of the answer the first token was read', async () => {
    let stampMs = 0;
    let sendToken = () => {};
    const server = await serve((socket) => {
      sendToken = () => socket.end(`${TOKEN}data: [DONE]\n\n`);
      socket.write(responseHead(200, { 'content-type': 'text/event-stream', connection: 'close' }));
    });
    const watch = {
      readable: () => {
        stampMs += 40;
        return stampMs;
      },
      readingBegun: () => 0,
      readingEnded: () => {},
    };
    const seen: Recorder[] = [];
    await exchange(transportTo(server.url, { watch }), (recorder) => {
      seen.push(recorder);
      return {
        ...recorder,
        response(...said) {
          recorder.response(...said);
          sendToken();
        },
      };
    }).record;
    expect(seen[0]?.firstTokenWaitMs()).toBe(40);
  });

  it('count from the writing of the request to an open socket', async () => {
    const server = await serve(answer);
    const transport = transportTo(server.url);
    const startMs = realClock.now();
    const record = await exchange(transport).record;
    const receivedMs = server.requests[0]?.atMs ?? Number.NaN;
    expect(record.connect_ms).toBeGreaterThan(0);
    expect(startMs + (record.connect_ms ?? 0)).toBeLessThanOrEqual(startMs + (record.sent_ms ?? 0));
    expect(startMs + (record.sent_ms ?? 0)).toBeLessThanOrEqual(receivedMs + 0.001);
  });
});

describe('a response', () => {
  it('may come one byte at a time', async () => {
    const bytes = eventStream(ONE_TOKEN);
    const record = await answeredBy((socket) => {
      const drip = (at: number) => {
        if (at < bytes.length) socket.write(bytes.subarray(at, at + 1), () => setImmediate(drip, at + 1));
      };
      drip(0);
    });
    expect(record).toMatchObject({ outcome: 'ok', chunks: 1, finish_reason: 'stop' });
  });

  it('keeps its head and its error apart from what other connections read meanwhile', async () => {
    const pieces = [
      'HTTP/1.1 503 No\r\nx-request-id: id-',
      'NAME\r\ncontent-length: 33\r\n\r\n{"error":{"mess',
      'age":"NAME-',
      'full"}}',
    ];
    const waiting: (() => void)[] = [];
    let asked = 0;
    // Each piece goes out on both connections before the next one does on either.
    const server = await serve((socket) => {
      const name = asked++ === 0 ? 'aaaa' : 'bbbb';
      let at = 0;
      const writeNext = () => {
        if (at === pieces.length) return;
        socket.write(pieces[at++]?.replace('NAME', name) ?? '', () => {
          waiting.push(writeNext);
          if (waiting.length === 2) for (const next of waiting.splice(0)) setTimeout(next, 10);
        });
      };
      writeNext();
    });
    const transport = transportTo(server.url);
    const records = await Promise.all([exchange(transport).record, exchange(transport).record]);
    expect(records.map(({ request_id, error }) => [request_id, error?.message]).sort()).toEqual([
      ['id-aaaa', 'aaaa-full'],
      ['id-bbbb', 'bbbb-full'],
    ]);
  });

  it('may end with trailers, or with the connection, or by HTTP/1.0', async () => {
    const body = `data: ${ONE_TOKEN.join('\n\ndata: ')}\n\n`;
    const scripts: Script[] = [
      (socket) =>
        socket.write(
          Buffer.concat([Buffer.from(HEAD), httpChunk(body), Buffer.from('0\r\nx-checksum: 1\r\n\r\n')]),
        ),
      (socket) => socket.end(`${responseHead(200, { connection: 'close' })}${body}`),
      (socket) => socket.end(`HTTP/1.0 200 OK\r\n\r\n${body}`),
      (socket) => socket.write(`${responseHead(200, { 'content-length': `${body.length}` })}${body}`),
    ];
    for (const script of scripts) {
      expect(await answeredBy(script)).toMatchObject({ outcome: 'ok', chunks: 1 });
    }
  });

  it('may come after early hints, which are no response', async () => {
    const record = await answeredBy((socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');
      socket.write(eventStream(ONE_TOKEN));
    });
    expect([record.outcome, record.status]).toEqual(['ok', 200]);
  });

  it('may have any content type, and names worker and id in headers when the body does not', async () => {
    const record = await answeredBy((socket) => {
      const events = ONE_TOKEN.map((event) => event.replace('"id":"c1",', ''));
      socket.write(
        eventStream(events, {
          'content-type': 'text/plain',
          'x-request-id': 'r1',
          'target-pod': '10.0.0.7:8000',
        }),
      );
    });
    expect(record).toMatchObject({
      outcome: 'ok',
      request_id: 'r1',
      worker: '10.0.0.7:8000',
      decode_worker: '10.0.0.7:8000',
    });
  });

  it('may be one JSON document', async () => {
    const body =
      '{"id":"c1","choices":[{"message":{"content":"all"},"finish_reason":"stop"}],"usage":{"completion_tokens":5}}';
    const record = await answeredBy((socket) => {
      socket.write(
        `${responseHead(200, { 'content-type': 'application/json', 'content-length': `${body.length}` })}${body}`,
      );
    });
    expect(record).toMatchObject({ outcome: 'ok', chunks: 1, output_tokens: 5, tpot_ms: null });
    expect(record.e2e_ms).toBe(record.ttft_ms);
  });

  it.each<[string, Script, object]>([
    [
      'a line without end',
      (socket) =>
        socket.write(
          Buffer.concat([
            Buffer.from(HEAD),
            httpChunk(`data: ${'x'.repeat(1_200_000)}`),
            Buffer.from(LAST_CHUNK),
          ]),
        ),
      failed('stream_error', 'event_too_large'),
    ],
    [
      'a good line of a megabyte',
      (socket) =>
        socket.write(eventStream([ONE_TOKEN[0].replace('"a"', `"${'x'.repeat(1_000_000)}"`), ONE_TOKEN[2]])),
      { outcome: 'ok', chunks: 1 },
    ],
    [
      'garbage for an event',
      (socket) => socket.write(eventStream([ONE_TOKEN[0], '\u0000\ufffd{{'])),
      failed('stream_error', 'malformed_event'),
    ],
    [
      'garbage for a response',
      (socket) => socket.write('\u0000\u0001 no http\r\n\r\n'),
      failed('stream_error', 'bad_response'),
    ],
    [
      'a reset before headers',
      (socket) => socket.resetAndDestroy(),
      { ...failed('stream_error', 'ECONNRESET'), status: null },
    ],
    [
      'an end before headers',
      (socket) => socket.end(),
      { ...failed('stream_error', 'closed'), status: null },
    ],
    [
      'an end in the middle of a chunked body',
      (socket) => socket.end(Buffer.concat([Buffer.from(HEAD), httpChunk(TOKEN)])),
      { ...failed('stream_error', 'closed'), status: 200, chunks: 1 },
    ],
    [
      'fewer bytes than content-length',
      (socket) => socket.end(`${responseHead(200, { 'content-length': '9999' })}${TOKEN}`),
      { ...failed('stream_error', 'closed'), chunks: 1 },
    ],
    ['204', (socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'), failed('stream_error', 'no_answer')],
    [
      '100 Continue that nobody asked for',
      (socket) => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${eventStream(ONE_TOKEN)}`),
      failed('stream_error', 'bad_response'),
    ],
    [
      'a redirect',
      (socket) => socket.write(`${responseHead(302, { location: 'https://b/', 'content-length': '0' })}`),
      { ...failed('http_error', 'http_302'), status: 302 },
    ],
    [
      'a gzipped body',
      (socket) =>
        socket.write(
          Buffer.concat([
            Buffer.from(responseHead(200, { 'content-encoding': 'gzip' })),
            httpChunk(gzipSync(TOKEN)),
            Buffer.from(LAST_CHUNK),
          ]),
        ),
      failed('stream_error', 'content_encoding'),
    ],
    [
      'HTML',
      (socket) =>
        socket.write(`${responseHead(200, { 'content-type': 'text/html', 'content-length': '6' })}<html>`),
      {
        ...failed('stream_error', 'no_answer'),
        error: { message: 'no server-sent event in the body (HTTP 200, content-type text/html)' },
      },
    ],
    [
      'an error before any event',
      (socket) => socket.write(`${responseHead(503, { 'content-length': '20' })}no healthy upstream.`),
      { ...failed('http_error', 'http_503'), error: { message: 'no healthy upstream.' } },
    ],
  ])('that is %s', async (_name, script, expected) => {
    expect(await answeredBy(script)).toMatchObject(expected);
  });
});

describe('an abort', () => {
  it.each<[string, Script]>([
    ['before headers', () => {}],
    ['between headers and the first token', (socket) => socket.write(HEAD)],
    ['between tokens', (socket) => socket.write(Buffer.concat([Buffer.from(HEAD), httpChunk(TOKEN)]))],
  ])('ends a request %s with what it was given, and its connection', async (_name, script) => {
    const server = await serve(script);
    const transport = transportTo(server.url);
    const { record, abort } = exchange(transport);
    await untilTrue(() => server.requests.length === 1);
    abort({ kind: 'timeout', code: 'timeout', message: 'no complete answer within 1 s' });
    abort({ kind: 'aborted', message: 'again' });
    expect(await record).toMatchObject({
      outcome: 'timeout',
      error: { message: 'no complete answer within 1 s' },
    });
    await untilTrue(() => server.open() === 0);
  });

  it('ends a request that is still connecting', async () => {
    const server = await serve(answer);
    const { record, abort } = exchange(transportTo(server.url));
    abort({ kind: 'aborted', message: 'by the user' });
    expect(await record).toMatchObject({ outcome: 'aborted', sent_ms: null, connect_ms: null });
    expect(server.requests.length).toBe(0);
  });

  it.each([
    ['a request in flight', true],
    ['one that is still connecting', false],
  ])('is what closing the transport is to %s', async (_name, isSent) => {
    const server = await serve(() => {});
    const transport = transportTo(server.url);
    const { record } = exchange(transport);
    if (isSent) await untilTrue(() => server.requests.length === 1);
    await transport.close();
    expect(await record).toMatchObject({ outcome: 'aborted' });
    await untilTrue(() => server.open() === 0);
  });

  it('leaves other requests and the pool as they are', async () => {
    const server = await serve((socket) => {
      if (server.requests.length > 1) socket.write(eventStream(ONE_TOKEN));
    });
    const transport = transportTo(server.url);
    await transport.open(2);
    const stuck = exchange(transport);
    await untilTrue(() => server.requests.length === 1);
    stuck.abort({ kind: 'aborted', message: 'by the user' });
    const records = [await exchange(transport).record, await exchange(transport).record];
    expect(records.map(({ outcome, connect_ms }) => [outcome, connect_ms])).toEqual([
      ['ok', null],
      ['ok', null],
    ]);
  });
});

describe('a target that cannot be reached', () => {
  it('gives a connect_error with its code, on every request', async () => {
    const server = await startScriptedServer(answer);
    await server.close();
    const transport = transportTo(server.url);
    await transport.open(3);
    const record = await exchange(transport).record;
    expect(record).toMatchObject({ outcome: 'connect_error', status: null, sent_ms: null, connect_ms: null });
    expect(record.error).toEqual({
      code: 'ECONNREFUSED',
      message: `cannot connect to ${server.url}: connection refused, nothing listens there`,
    });
  });

  it('is a name that does not exist', async () => {
    const record = await recordOf('http://no-such-host.invalid');
    expect(record.outcome).toBe('connect_error');
    expect(['ENOTFOUND', 'EAI_AGAIN']).toContain(record.error?.code);
  });

  it('is https:// where there is no TLS', async () => {
    const plain = createHttpServer().listen(0, '127.0.0.1');
    closing.push(() => new Promise((resolve) => plain.close(() => resolve())));
    await once(plain, 'listening');
    const { port } = plain.address() as AddressInfo;
    const record = await recordOf(`https://127.0.0.1:${port}`);
    expect(record.outcome).toBe('connect_error');
    expect(record.error?.message).toBe(
      `cannot connect to https://127.0.0.1:${port}: no TLS there; is it http:// ?`,
    );
  });

  it.each<[string, (socket: Socket) => void]>([
    ['ends', (socket) => socket.end()],
    ['resets', (socket) => socket.resetAndDestroy()],
  ])('is a server that %s the connection instead of shaking hands', async (_name, act) => {
    const server = await startScriptedServer(answer, {
      create: () => createServer((socket) => socket.on('error', () => {}).once('data', () => act(socket))),
    });
    closing.push(() => server.close());
    expect(await recordOf(`https://127.0.0.1:${server.port}`)).toMatchObject({
      ...failed('connect_error', 'ECONNRESET'),
      sent_ms: null,
    });
  });

  it('is TLS of other terms, told in one line', async () => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    const server = await startTlsServer({ ALPNProtocols: ['h2'] });
    const { outcome, error } = await recordOf(`https://localhost:${server.port}`);
    expect([outcome, error?.code]).toEqual(['connect_error', 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL']);
    expect(error?.message).not.toContain('\n');
    const alert = { code: 'ERR_SSL_ALERT', reason: 'an alert\n' };
    expect(exchangeFailure(alert, false, false).message).toBe('an alert before it answered');
  });

  it('is TLS that cannot be trusted', async () => {
    const server = await startTlsServer();
    expect(await recordOf(`https://localhost:${server.port}`)).toMatchObject(
      failed('connect_error', 'DEPTH_ZERO_SELF_SIGNED_CERT'),
    );
  });
});

describe('TLS', () => {
  it.each([
    [null, 'llm.example'],
    ['llm.internal:443', 'llm.internal'],
    ['10.0.0.1', 'llm.example'],
    ['[::1]:443', 'llm.example'],
  ])('with a host header %s asks for %s', (host, name) => {
    expect(addressOf('https://llm.example', host).serverName).toBe(name);
    expect(addressOf('https://10.0.0.2', '[::1]:443').serverName).toBeNull();
  });

  it('carries requests over connections opened before, like plain HTTP', async () => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    const server = await startTlsServer();
    const transport = transportTo(`https://localhost:${server.port}`, { headers: { Host: 'llm.internal' } });
    await transport.open(2);
    await server.waitForConnections(2);
    const records = await Promise.all([exchange(transport).record, exchange(transport).record]);
    expect(records.map(({ outcome, connect_ms }) => [outcome, connect_ms])).toEqual([
      ['ok', null],
      ['ok', null],
    ]);
    expect(server.accepted()).toBe(2);
  });
});

async function startTlsServer(options: TlsOptions = {}): Promise<ScriptedServer> {
  const server = await startScriptedServer(answer, {
    create: (onSocket) =>
      createTlsServer({ key: TEST_KEY, cert: TEST_CERTIFICATE, ...options }, onSocket).on(
        'tlsClientError',
        () => {},
      ),
  });
  closing.push(() => server.close());
  return server;
}

/** Polls: for what the other end of a socket will see, with no event of its own. */
async function untilTrue(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
