import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CliResult, readCsv, readRun, runCli, spawnCli, temporaryFolder } from '../support/cli.js';
import { startFakeServer } from '../support/fake-server.js';

const SMALL = [
  ...['--dialect', 'openai', '--prefixes', '2', '--concurrency', '2', '--requests', '4', '--repeats', '2'],
  ...['--prefix-tokens', '32', '--tail-tokens', '4', '--output-tokens', '2', '--quiet'],
];

describe('a run directory', () => {
  it('belongs to one command: a second with the same --out is refused while the first waits for its target', async () => {
    let second: Promise<CliResult> | null = null;
    const out = join(temporaryFolder(), 'run');
    const server = await startFakeServer({
      firstTokenMs: 300,
      onRequest: (index) => {
        if (index === 0) second = runCli(['grid', '--url', server.url, ...SMALL, '--out', out]);
      },
    });
    const first = await spawnCli(['grid', '--url', server.url, ...SMALL, '--out', out], () => {});
    const refused = await (second as Promise<CliResult> | null);
    expect(refused?.code).toBe(2);
    expect(refused?.stderr).toMatch(
      /^kvbench: .*run is being written to by another kvbench \(process \d+ on /,
    );
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(readCsv(join(out, 'trials.csv'))).toHaveLength(2);
    expect(existsSync(join(out, 'run.lock'))).toBe(false);
  });

  it('is gone when nothing was measured', async () => {
    const out = join(temporaryFolder(), 'run');
    const { code } = await runCli(['grid', '--url', 'sim:nonsense', '--out', out]);
    expect([code, existsSync(out)]).toEqual([2, false]);
  });

  it('says that a run failed when its target was lost: nobody interrupted it', async () => {
    const PROBES = 2;
    const server = await startFakeServer({ firstTokenMs: (index) => (index < PROBES ? 1 : 600_000) });
    const out = join(temporaryFolder(), 'run');
    // One go of requests, with a limit that a probe on a busy machine keeps.
    const once = ['--requests', '4', '--concurrency', '4', '--timeout', '2s'];
    const { code } = await runCli(['grid', '--url', server.url, ...SMALL, ...once, '--out', out]);
    expect(code).toBe(4);
    expect(readRun(out)).toMatchObject({ status: 'failed', trials: [{ interrupted: false }] });
  });

  it('takes a trial of 150,000 requests', async () => {
    const out = join(temporaryFolder(), 'run');
    const { code, stderr } = await runCli([
      ...['grid', '--url', 'sim:kv', '--prefixes', '2', '--concurrency', '64', '--requests', '150000'],
      ...['--repeats', '1', '--prefix-tokens', '16', '--tail-tokens', '1', '--output-tokens', '1', '--quiet'],
      ...['--out', out],
    ]);
    expect([code, stderr]).toEqual([0, '']);
    expect(readCsv(join(out, 'trials.csv'))).toMatchObject([
      { requests: '150000', ok: '150000', failed: '0' },
    ]);
  }, 60_000);
});
