import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCsv, readRun, runCli, spawnCli, temporaryFolder } from '../support/cli.js';
import { startFakeServer } from '../support/fake-server.js';

const SMALL = [
  ...['--prefixes', '2', '--repeats', '1', '--prefix-tokens', '32', '--tail-tokens', '4'],
  ...['--output-tokens', '4', '--dialect', 'openai', '--quiet'],
];

const findingsOf = (out: string) => readCsv(join(out, 'trials.csv'))[0]?.findings?.split(';') ?? [];

describe('a client that was the limit says so', () => {
  it('when its loop is blocked', async () => {
    // The server runs in the client's process, so what blocks the one blocks the other.
    const server = await startFakeServer({
      firstTokenMs: 40,
      onRequest: () => {
        const untilMs = performance.now() + 30;
        while (performance.now() < untilMs);
      },
    });
    const out = join(temporaryFolder(), 'run');
    const load = ['--concurrency', '4', '--requests', '16', '--out', out];
    const { stdout } = await runCli(['grid', '--url', server.url, ...SMALL, ...load]);
    expect(findingsOf(out)).toContain('client-limited');
    expect(stdout).toMatch(/CAUTION client-limited: p2-c4-r1:\s[^>]*TTFT\s+mean\s+of\s+\d/);
    expect(stdout).toMatch(/lower --concurrency/);
    const { client } = readRun(out).trials[0] ?? {};
    expect(client?.loop_delay_max_ms).toBeGreaterThanOrEqual(20);
    expect(client?.concurrency_asked).toBe(4);
  });

  it('when far more is asked of it than it can do', async () => {
    const server = await startFakeServer({ firstTokenMs: 1 });
    const out = join(temporaryFolder(), 'run');
    const load = ['--concurrency', '400', '--requests', '800', '--out', out];
    await runCli(['grid', '--url', server.url, ...SMALL, ...load]);
    expect(findingsOf(out)).toContain('client-limited');
  });
});

describe('a client that kept up', () => {
  // Others may take the processor for a while, but hardly for longer than 2 % of two seconds, and not each time.
  it('carries no such finding, and the figures that show it', { retry: 5 }, async () => {
    const server = await startFakeServer({ firstTokenMs: 2000 });
    const out = join(temporaryFolder(), 'run');
    const load = ['--concurrency', '2', '--requests', '4', '--out', out];
    await spawnCli(
      ['grid', '--url', server.url, '--skip-ready', '--model', 'fake', ...SMALL, ...load],
      () => {},
    );
    expect(findingsOf(out)).not.toContain('client-limited');
    const [trial] = readRun(out).trials;
    expect(trial?.client).toMatchObject({ threads: 1, concurrency_asked: 2 });
    expect(trial?.client?.concurrency_mean).toBeGreaterThan(1.96);
    expect(trial?.itl?.gaps).toBe(12);
  });
});

describe('on the simulated cluster', () => {
  it('the client costs no time, and gaps are pooled all the same', async () => {
    const out = join(temporaryFolder(), 'run');
    await runCli([
      'grid',
      '--url',
      'sim:kv?workers=2',
      ...SMALL,
      '--concurrency',
      '4',
      '--requests',
      '8',
      '--out',
      out,
    ]);
    const [trial] = readRun(out).trials;
    expect(trial?.client).toBe(null);
    expect(trial?.itl?.gaps).toBe(24);
    expect(existsSync(join(out, 'itl.hlog'))).toBe(true);
    expect(readFileSync(join(out, 'itl.hlog'), 'utf8')).toMatch(/^Tag=kv\/p2-c4-r1,/m);
  });
});
