import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createAnswerReader } from '../../src/core/answer/answer-reader.js';
import { createTargetControl } from '../../src/io/target-control.js';
import { recordOf } from '../support/http-exchange.js';
import { startScriptedServer } from '../support/scripted-server.js';
import expected from './captures.json' with { type: 'json' };

/** As test/real/routers/capture.mjs writes it. */
interface Exchange {
  readonly name: string;
  readonly text?: string;
  /** Bytes of each read of the socket, one character per byte, after the ms since the send. */
  readonly reads?: readonly (readonly [number, string])[];
}

const REAL = join(import.meta.dirname, '../real');
const FILES = ['dynamo', 'routers'].flatMap((folder) =>
  readdirSync(join(REAL, folder, 'captures'))
    .filter((file) => file.endsWith('.json'))
    .map((file) => join(REAL, folder, 'captures', file)),
);

/** A server that sends these bytes to whoever asks, read by read, and then ends the connection. */
const serve = (reads: readonly string[]) =>
  startScriptedServer((socket) => {
    const write = (index: number): void => {
      const bytes = reads[index];
      if (bytes === undefined) socket.end();
      else socket.write(Buffer.from(bytes, 'latin1'), () => setImmediate(write, index + 1));
    };
    write(0);
  });

/** What one captured answer becomes: its record in a line, and how many of its events were parsed, not passed in place. */
async function replay({ name, reads = [], text = '' }: Exchange): Promise<string> {
  const server = await serve(reads.map(([, bytes]) => bytes));
  try {
    const record = await recordOf(server.url);
    const { outcome, prompt_tokens, cached_tokens, output_tokens, worker, decode_worker } = record;
    const decode = decode_worker === worker ? '' : `, decode ${decode_worker}`;
    const predicted = record.server?.kv_hit_rate;
    return [
      `${name}: ${outcome}, tokens ${prompt_tokens} prompt, ${cached_tokens} cached, ${output_tokens} out; worker ${worker}${decode}`,
      ...(predicted === undefined || predicted === null ? [] : [`predicted hit ${predicted.toFixed(3)}`]),
      `parsed ${parsesOf(text)} of ${text.match(/^data:/gm)?.length ?? 0}`,
    ].join('; ');
  } finally {
    await server.close();
  }
}

async function listModels({ text = '' }: Exchange): Promise<string> {
  const server = await serve([
    `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  ]);
  try {
    const list = await createTargetControl({ baseUrl: server.url, headers: {} }).listModels();
    return `models: ${list.kind === 'listed' ? list.ids.join(', ') : list.kind}`;
  } finally {
    await server.close();
  }
}

/** Calls of JSON.parse while the stream is read event by event. */
function parsesOf(text: string): number {
  const reader = createAnswerReader(() => undefined);
  const parse = vi.spyOn(JSON, 'parse');
  reader.push(new TextEncoder().encode(text));
  const calls = parse.mock.calls.length;
  parse.mockRestore();
  return calls;
}

describe('answers of real routers and engines, read by read as they came', () => {
  it.each(FILES.map((file) => [basename(file, '.json'), file]))('%s', async (name, file) => {
    const { exchanges } = JSON.parse(readFileSync(file, 'utf8')) as {
      readonly exchanges: readonly Exchange[];
    };
    const seen: string[] = [];
    for (const exchange of exchanges) {
      if (exchange.name === '/v1/models') seen.push(await listModels(exchange));
      if (exchange.reads !== undefined) seen.push(await replay(exchange));
    }
    expect(seen).toEqual((expected as Readonly<Record<string, unknown>>)[name]);
  });

  it('has every capture', () => {
    expect(Object.keys(expected).sort()).toEqual(FILES.map((file) => basename(file, '.json')).sort());
  });
});
