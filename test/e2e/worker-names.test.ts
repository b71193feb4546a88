import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readRecords, readRun, runCli, temporaryFolder } from '../support/cli.js';
import { eventStream, responseHead, startScriptedServer } from '../support/scripted-server.js';

const ID = '18068143163136127841';
const SMALL = '--prefixes 1 --concurrency 1 --requests 2 --repeats 1 --prefix-tokens 32 --tail-tokens 8';

/** What a run on a server with these headers and this event says of its workers. */
async function workersOf(...flags: readonly string[]) {
  const server = await startScriptedServer((socket, { head }) => {
    if (head.startsWith('GET')) {
      const list = '{"data":[{"id":"m"}]}';
      socket.write(`${responseHead(200, { 'content-length': String(list.length) })}${list}`);
      return;
    }
    socket.write(
      eventStream(
        [
          `{"meta":{"pod":${ID}},"choices":[{"index":0,"delta":{"content":"a"}}]}`,
          '{"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}',
        ],
        { 'x-mine': 'own', 'x-worker-id': 'known' },
      ),
    );
  });
  onTestFinished(() => server.close());
  const out = join(temporaryFolder(), 'run');
  await runCli(['grid', '--url', server.url, ...SMALL.split(' '), '--quiet', ...flags, '--out', out]);
  const { target } = readRun(out).variants[0] ?? {};
  const workers = new Set(readRecords(out).map(({ worker }) => worker));
  return [[...workers].join(), target?.worker_source, target?.probe.filter((line) => /not in/.test(line))];
}

describe('the worker of an answer', () => {
  it('is taken from a known header, a given header, or the body, and run.json says from where', async () => {
    expect(await workersOf()).toEqual(['known', 'header x-worker-id', []]);
    expect(await workersOf('--worker-header', 'X-Mine')).toEqual(['own', 'header x-mine', []]);
    expect(await workersOf('--worker-json', 'meta.pod', '--worker-header', 'x-mine')).toEqual([
      ...[ID, 'body meta.pod', []],
    ]);
  });

  it('is taken from what is known where a given source says nothing, and the probe tells', async () => {
    expect(await workersOf('--worker-header', 'x-none', '--worker-json', 'a.b')).toEqual([
      ...['known', 'header x-worker-id'],
      [
        'not in the answer: --worker-header x-none, --worker-json a.b; workers are taken from header x-worker-id',
      ],
    ]);
  });

  it('is asked for in one clear line', async () => {
    for (const [flag, value, expected] of [
      ['--worker-header', 'x y', 'names of response headers, such as x-worker-id, got ["x y"]'],
      ['--worker-json', 'a..b', 'keys with dots between, such as meta.worker_id, got "a..b"'],
    ] as const) {
      const { code, stderr } = await runCli(['grid', '--url', 'http://h', flag, value]);
      expect([code, stderr]).toEqual([2, `kvbench: ${flag}: expected ${expected}\n`]);
    }
  });
});
