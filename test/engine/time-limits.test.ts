import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { KNOWN_NAMES_ONLY } from '../../src/core/answer/dialects.js';
import type { RequestRecord } from '../../src/core/answer/request-record.js';
import { sendRequest } from '../../src/engine/send-request.js';
import type { TimeLimits } from '../../src/engine/time-limits.js';
import type { HttpTransportOptions } from '../../src/io/http/transport.js';
import { NEVER } from '../support/fake-transport.js';
import { httpTransport, META, PROMPT, realClock } from '../support/http-exchange.js';
import {
  eventStream,
  httpChunk,
  ONE_TOKEN,
  responseHead,
  type Script,
  startScriptedServer,
} from '../support/scripted-server.js';

const HEAD = responseHead(200, { 'content-type': 'text/event-stream' });
const TOKEN = `data: ${ONE_TOKEN[0]}\n\n`;

/** The record of one request under these limits, and how long it took. */
async function limited(url: string, given: Partial<TimeLimits>, options: Partial<HttpTransportOptions> = {}) {
  const transport = httpTransport(url, options);
  const originMs = realClock.now();
  const limits = { wholeMs: 10_000, firstTokenMs: null, idleMs: null, ...given };
  const context = { clock: realClock, transport, stop: NEVER, limits, names: KNOWN_NAMES_ONLY };
  const record = await new Promise<RequestRecord>((resolve) => {
    sendRequest(
      { ...context, originMs, measured: null },
      META,
      { prompt: PROMPT, outputTokens: 3 },
      originMs,
      resolve,
    );
  });
  const tookMs = realClock.now() - originMs;
  await transport.close();
  return { said: [record.outcome, record.error?.code ?? null], record, tookMs };
}

async function answered(script: Script, limits: Partial<TimeLimits>) {
  const server = await startScriptedServer(script);
  onTestFinished(() => server.close());
  return limited(server.url, limits);
}

/** Writes one byte of `text` every 10 ms. */
function trickle(socket: Socket, text: string): void {
  const [byte, rest] = [text.slice(0, 1), text.slice(1)];
  if (byte === '' || socket.destroyed) return;
  socket.write(byte);
  setTimeout(() => trickle(socket, rest), 10);
}

describe('a limit of its own', () => {
  it('ends a request whose headers never come', async () => {
    const { said, record, tookMs } = await answered(() => {}, { firstTokenMs: 60 });
    expect(said).toEqual(['timeout', 'first_token_timeout']);
    expect(record.error?.message).toBe('no token within 0.06 s of sending');
    expect(tookMs).toBeGreaterThanOrEqual(60);
    expect(tookMs).toBeLessThan(2000);
  });

  it('counts to the first token, however many bytes trickle in', async () => {
    const { said } = await answered((socket) => trickle(socket, HEAD.padEnd(2000, ' ')), {
      firstTokenMs: 80,
    });
    expect(said).toEqual(['timeout', 'first_token_timeout']);
  });

  it('ends an answer that stalls between tokens, though its bytes trickle on', async () => {
    const { said, record, tookMs } = await answered(
      (socket) => {
        socket.write(HEAD);
        socket.write(httpChunk(TOKEN));
        trickle(socket, `3e8\r\n:${' '.repeat(998)}`);
      },
      { idleMs: 80 },
    );
    expect([said, record.chunks]).toEqual([['timeout', 'idle_timeout'], 1]);
    expect(record.error?.message).toBe('no further token within 0.08 s');
    expect(tookMs).toBeGreaterThanOrEqual(80);
  });

  it('leaves an answer alone whose tokens keep coming for longer than the limit', async () => {
    const { said, tookMs } = await answered(
      (socket) => {
        socket.write(HEAD);
        const timer = setInterval(() => socket.write(httpChunk(TOKEN)), 20);
        setTimeout(() => {
          clearInterval(timer);
          const end = eventStream(ONE_TOKEN);
          socket.write(end.subarray(end.indexOf('\r\n\r\n') + 4));
        }, 250);
      },
      { idleMs: 150, firstTokenMs: 150 },
    );
    expect(said).toEqual(['ok', null]);
    expect(tookMs).toBeGreaterThan(200);
  });

  it('of the whole request stands beside the others', async () => {
    const { said } = await answered(() => {}, { wholeMs: 50, firstTokenMs: 5000, idleMs: 5000 });
    expect(said).toEqual(['timeout', 'timeout']);
  });

  it('ends a connection that never opens, as a connect_error', async () => {
    // It accepts and never shakes hands: a half-open peer.
    const server = createServer(() => {}).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { said, record } = await limited(`https://127.0.0.1:${port}`, {}, { connectTimeoutMs: 60 });
    expect(said).toEqual(['connect_error', 'connect_timeout']);
    expect(record.error?.message).toBe(`cannot connect to https://127.0.0.1:${port}: not open within 0.06 s`);
  });
});
