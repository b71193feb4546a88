import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestRecord } from '../../src/core/answer/request-record.js';
import { recordOf } from '../support/http-exchange.js';
import {
  httpChunk,
  LAST_CHUNK,
  responseHead,
  type ScriptedServer,
  startScriptedServer,
} from '../support/scripted-server.js';
import streams from './streams.json' with { type: 'json' };

/** What a busy machine may add to a time: less than any gap between events that these streams tell apart. */
const NOISE_MS = 200;

interface Replay {
  readonly record: RequestRecord;
  /** When each chunk was really written, from the reading of the request. */
  readonly writtenMs: readonly number[];
}

type Stream = (typeof streams)[number];

async function replay(stream: Stream): Promise<Replay> {
  const writtenMs: number[] = [];
  const server: ScriptedServer = await startScriptedServer((socket, request) => {
    socket.write(responseHead(stream.status, stream.headers as Record<string, string>));
    const write = (index: number): void => {
      const chunk = stream.chunks[index];
      if (chunk === undefined) {
        if (stream.close === 'reset') socket.resetAndDestroy();
        else socket.write(LAST_CHUNK);
        return;
      }
      setTimeout(
        () => {
          writtenMs.push(performance.now() - request.atMs);
          socket.write(httpChunk(Buffer.from(chunk.base64, 'base64')), () => write(index + 1));
        },
        chunk.at_ms - (performance.now() - request.atMs),
      );
    };
    write(0);
  });
  try {
    return { record: await recordOf(server.url), writtenMs };
  } finally {
    await server.close();
  }
}

describe('streams as servers send them', () => {
  const replays = new Map<string, Replay>();

  beforeAll(async () => {
    // A first request compiles the HTTP parser; and a few at a time leave the event loop free to be on time.
    await replay(streams[0] as Stream);
    const queue = [...streams];
    const replayNext = async (): Promise<void> => {
      for (let stream = queue.shift(); stream !== undefined; stream = queue.shift()) {
        replays.set(stream.id, await replay(stream));
      }
    };
    await Promise.all([replayNext(), replayNext(), replayNext(), replayNext()]);
  });

  afterAll(() => replays.clear());

  it.each(streams)('$id: $why', (stream) => {
    const replayed = replays.get(stream.id);
    if (replayed === undefined) throw new Error(`${stream.id} was not replayed`);
    const { record, writtenMs } = replayed;
    const { ttft_ms, tpot_ms, ...exact } = stream.expect as Partial<RequestRecord>;
    expect(record).toMatchObject(exact);
    if (typeof ttft_ms === 'number') {
      const firstToken = stream.chunks.findIndex((chunk) => chunk.at_ms === ttft_ms);
      const earliest = writtenMs[firstToken] ?? Number.NaN;
      expect(record.ttft_ms).toBeGreaterThanOrEqual(earliest);
      expect(record.ttft_ms).toBeLessThan(earliest + NOISE_MS);
    }
    if (tpot_ms === null) expect(record.tpot_ms).toBe(null);
    if (typeof tpot_ms === 'number')
      expect(Math.abs((record.tpot_ms ?? Number.NaN) - tpot_ms)).toBeLessThan(10);
  });
});
