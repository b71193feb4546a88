import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCsv, readRecords, readRun, runCli, spawnCli, temporaryFolder } from '../support/cli.js';
import { startFakeServer } from '../support/fake-server.js';

const GRID = [
  ...['--prefixes', '2', '--repeats', '1', '--prefix-tokens', '32', '--tail-tokens', '4'],
  ...['--output-tokens', '3', '--dialect', 'openai', '--quiet', '--threads', '3'],
];
const PROBES = 3;

/** Runs the built command line, for its threads are files of their own. */
async function measure(url: string, ...more: string[]) {
  const out = join(temporaryFolder(), 'run');
  const result = await spawnCli(['grid', '--url', url, ...GRID, ...more, '--out', out], () => {});
  return { ...result, out, records: readRecords(out) };
}

describe('a load from three threads', () => {
  it('has C in flight in total, leaves in the order of the plan, and tells one time', async () => {
    const server = await startFakeServer({ firstTokenMs: 100 });
    const run = await measure(server.url, '--concurrency', '5', '--requests', '40');
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(server.peak()).toBe(5);
    expect(run.records.map((record) => record.seq).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 40 }, (_, seq) => seq),
    );
    expect(run.records.every((record) => record.outcome === 'ok' && (record.ttft_ms ?? 0) >= 99)).toBe(true);
    // Each wave of five is due before the next one, whichever threads they are on.
    const dueMs = new Map(run.records.map((record) => [record.seq, record.due_ms ?? 0]));
    for (let seq = 5; seq < 40; seq++) {
      expect((dueMs.get(seq) ?? 0) - (dueMs.get(seq - 5) ?? 0)).toBeGreaterThan(50);
    }
    const [trial] = readRun(run.out).trials;
    expect(trial?.client).toMatchObject({ threads: 3, concurrency_asked: 5 });
    expect(trial?.itl?.gaps).toBe(80);
  });

  it('primes each prefix alone, and warms up before', async () => {
    const server = await startFakeServer({ firstTokenMs: 5 });
    const { records } = await measure(
      server.url,
      ...['--concurrency', '6', '--requests', '12', '--start', 'primed', '--warmup', '4'],
    );
    expect(records.map((record) => record.phase)).toEqual([
      ...new Array(4).fill('warmup'),
      ...['prime', 'prime'],
      ...new Array(12).fill('measure'),
    ]);
    const measured = records.filter((record) => record.phase === 'measure');
    expect(measured.every((record) => record.cached_tokens === 32)).toBe(true);
  });

  it('sends an open load when due', async () => {
    const server = await startFakeServer({ firstTokenMs: 5 });
    const { records } = await measure(server.url, '--rate', '200', '--requests', '30');
    expect(records.filter((record) => record.outcome === 'ok')).toHaveLength(30);
    const sorted = [...records].sort((a, b) => a.seq - b.seq).map((record) => record.due_ms ?? 0);
    expect(sorted).toEqual([...sorted].sort((a, b) => a - b));
    expect(records.every((record) => (record.send_lag_ms ?? -1) >= 0)).toBe(true);
  });

  it('gives a request its time and no more', async () => {
    const server = await startFakeServer({ firstTokenMs: (index) => (index === PROBES + 3 ? 600_000 : 1) });
    const { code, records } = await measure(
      server.url,
      ...['--concurrency', '4', '--requests', '12', '--timeout', '2s', '--max-failed', '1'],
    );
    expect(code).toBe(0);
    expect(records.filter((record) => record.outcome === 'timeout')).toHaveLength(1);
  });

  it('drains on Ctrl-C and aborts on the next', async () => {
    let interrupt = () => {};
    const server = await startFakeServer({
      firstTokenMs: (index) => (index < PROBES ? 1 : 600_000),
      onRequest: (index) => index === PROBES + 3 && interrupt(),
    });
    const out = join(temporaryFolder(), 'run');
    const { code } = await spawnCli(
      ['grid', '--url', server.url, ...GRID, '--concurrency', '4', '--requests', '40', '--out', out],
      (child) => {
        interrupt = () => child.kill('SIGINT');
        child.stderr?.on('data', (chunk) => {
          if (String(chunk).includes('Stopping')) interrupt();
        });
      },
    );
    expect(code).toBe(130);
    const records = readRecords(out);
    expect(records).toHaveLength(40);
    const sent = records.filter((record) => record.sent_ms !== null);
    expect(sent.map((record) => record.outcome)).toEqual(new Array(4).fill('aborted'));
  });
});

describe('the simulated cluster', () => {
  it('is measured by one thread whatever is asked: the same bytes', async () => {
    const folder = temporaryFolder();
    const load = ['--concurrency', '4', '--requests', '40', '--quiet'];
    for (const threads of ['1', '4']) {
      await runCli([
        'grid',
        '--url',
        'sim:kv?workers=4',
        ...load,
        '--threads',
        threads,
        '--out',
        join(folder, threads),
      ]);
    }
    for (const name of ['requests.jsonl', 'trials.csv', 'grid.csv']) {
      expect(readFileSync(join(folder, '4', name), 'utf8')).toBe(
        readFileSync(join(folder, '1', name), 'utf8'),
      );
    }
    expect(readCsv(join(folder, '4', 'grid.csv'))[0]?.ok).toBe('120');
  });
});
