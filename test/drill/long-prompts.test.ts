import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { RequestRecord } from '../../src/core/answer/request-record.js';
import { readRecords, spawnCli, temporaryFolder } from '../support/cli.js';
import { eventStream, ONE_TOKEN } from '../support/scripted-server.js';

/** 8 MiB of prompt: more than a socket's buffers hold, so that the client waits for the server to read. */
const PREFIX_TOKENS = 1_200_000;
const ANSWER = eventStream(ONE_TOKEN);

/** What the server does with the n-th long prompt, and how the request must end. */
const READERS: readonly {
  readonly name: string;
  readonly ends: Partial<RequestRecord> & { readonly code?: RegExp };
  /** Called when the request's head has come. */
  begin(socket: Socket): void;
  /** Called when its body has come, if ever. */
  done?(socket: Socket): void;
}[] = [
  {
    name: 'reads at once',
    ends: { outcome: 'ok', status: 200, chunks: 1 },
    begin() {},
    done: (socket) => socket.write(ANSWER),
  },
  {
    name: 'reads late and in pieces',
    ends: { outcome: 'ok', status: 200, chunks: 1 },
    begin: (socket) => readInPieces(socket),
    done: (socket) => socket.write(ANSWER),
  },
  {
    name: 'answers before it has read the prompt, and reads on',
    ends: { outcome: 'ok', status: 200, chunks: 1 },
    begin(socket) {
      socket.write(ANSWER);
      readInPieces(socket);
    },
  },
  {
    name: 'refuses before it has read the prompt, and closes',
    ends: { outcome: 'http_error', status: 413, chunks: 0, code: /^http_413$/ },
    begin(socket) {
      socket.pause();
      socket.end('HTTP/1.1 413 Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    },
  },
  {
    name: 'resets in the middle of the prompt',
    ends: { outcome: 'stream_error', status: null, chunks: 0, code: /^(ECONNRESET|EPIPE|closed)$/ },
    begin(socket) {
      socket.pause();
      setTimeout(() => socket.resetAndDestroy(), 50);
    },
  },
  {
    name: 'stops reading',
    ends: { outcome: 'timeout', status: null, chunks: 0, code: /timeout/ },
    begin: (socket) => void socket.pause(),
  },
];

function readInPieces(socket: Socket): void {
  const timer = setInterval(() => {
    socket.pause();
    setTimeout(() => socket.resume(), 4);
  }, 8);
  socket.on('close', () => clearInterval(timer));
}

/** Counts the bytes of requests, and hands those with a long body to READERS in turn. */
async function startSlowReader(): Promise<string> {
  const sockets = new Set<Socket>();
  let turn = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    let head = '';
    let left = 0;
    let done: ((socket: Socket) => void) | undefined;
    /** Takes bytes of one request, and gives those that belong to the next one. */
    function take(bytes: Buffer): Buffer {
      if (left > 0) {
        const used = Math.min(left, bytes.length);
        left -= used;
        if (left === 0) done?.(socket);
        return bytes.subarray(used);
      }
      head += bytes.toString('latin1');
      const at = head.indexOf('\r\n\r\n');
      if (at === -1) return Buffer.alloc(0);
      left = Number(/content-length: (\d+)/.exec(head)?.[1]);
      const reader = left > 1 << 20 ? READERS[turn++ % READERS.length] : undefined;
      done = reader === undefined ? (one) => one.write(ANSWER) : reader.done;
      const rest = Buffer.from(head.slice(at + 4), 'latin1');
      head = '';
      reader?.begin(socket);
      return rest;
    }
    socket.on('data', (bytes) => {
      for (let rest: Buffer = bytes; rest.length > 0; ) rest = take(rest);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}

it('ends requests as it must when a server is slow to read long prompts, or does not', async () => {
  const rounds = 3;
  const out = join(temporaryFolder(), 'run');
  const { stderr } = await spawnCli(
    [
      ...['grid', '--url', await startSlowReader(), '--dialect', 'openai', '--model', 'm', '--skip-ready'],
      ...['--variant', 'v', '--out', out, '--prefixes', '1', '--concurrency', '1', '--repeats', '1'],
      ...[
        '--requests',
        `${rounds * READERS.length}`,
        '--prefix-tokens',
        `${PREFIX_TOKENS}`,
        '--tail-tokens',
        '8',
      ],
      ...['--output-tokens', '1', '--timeout', '2s', '--max-failed', '1000'],
    ],
    () => {},
  );
  expect(stderr).not.toContain('kvbench:');
  const records = readRecords(out);
  expect(records).toHaveLength(rounds * READERS.length);
  for (const [i, record] of records.entries()) {
    const { name, ends } = READERS[i % READERS.length] as (typeof READERS)[number];
    const { code, ...fields } = ends;
    expect({ name, ...record, code: record.error?.code }).toMatchObject({
      name,
      ...fields,
      code: code === undefined ? undefined : expect.stringMatching(code),
    });
  }
});
