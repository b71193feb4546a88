import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCsv, readRecords, readRun, spawnCli, temporaryFolder } from '../support/cli.js';
import { startFakeServer } from '../support/fake-server.js';

const GRID = [
  ...['--prefixes', '2', '--concurrency', '2', '--requests', '40', '--repeats', '3'],
  ...['--prefix-tokens', '32', '--tail-tokens', '4', '--output-tokens', '2'],
];

/** Kills the process when the second trial is under way. */
async function interrupted(firstTokenMs: number, kill: (kill: (signal: NodeJS.Signals) => void) => void) {
  const server = await startFakeServer({ firstTokenMs });
  const out = join(temporaryFolder(), 'run');
  const result = await spawnCli(
    ['grid', '--url', server.url, '--dialect', 'openai', ...GRID, '--out', out],
    (child) => {
      child.stderr?.on('data', (chunk) => {
        if (String(chunk).startsWith('[1/3]')) kill((signal) => child.kill(signal));
      });
    },
  );
  return { out, ...result };
}

describe('Ctrl-C', () => {
  it('once drains: what was measured is kept and summarized, exit code 130', async () => {
    const { out, code, stdout, stderr } = await interrupted(20, (send) => send('SIGINT'));
    expect(code).toBe(130);
    expect(stderr).toContain('Ctrl-C again aborts');
    expect(stdout).toContain('Request hit rate');
    expect(readRun(out).status).toBe('interrupted');
    const [first, second] = readCsv(join(out, 'trials.csv'));
    expect(first).toMatchObject({ repeat: '1', ok: '40', failed: '0' });
    if (second !== undefined) {
      expect(Number(second.ok) + Number(second.failed)).toBe(40);
      expect(second.findings).toContain('interrupted');
    }
    expect(readCsv(join(out, 'grid.csv'))[0]).toMatchObject({ repeats_kept: '1', requests: '40' });
    expect(readRecords(out).some((record) => record.outcome === 'aborted' && record.sent_ms !== null)).toBe(
      false,
    );
  });

  it('twice aborts what is in flight', async () => {
    const PROBES = 3;
    let interrupt = () => {};
    const server = await startFakeServer({
      firstTokenMs: (index) => (index < PROBES ? 1 : 600_000),
      onRequest: (index) => index === PROBES + 1 && interrupt(),
    });
    const out = join(temporaryFolder(), 'run');
    const { code } = await spawnCli(
      ['grid', '--url', server.url, '--dialect', 'openai', ...GRID, '--out', out],
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
    expect(records.filter((record) => record.sent_ms !== null).map((record) => record.outcome)).toEqual([
      'aborted',
      'aborted',
    ]);
  });

  it('before the first trial ends the wait for the target', async () => {
    let interrupt = () => {};
    const server = await startFakeServer({ firstTokenMs: 600_000, onRequest: () => interrupt() });
    const out = join(temporaryFolder(), 'run');
    const { code, stderr } = await spawnCli(['grid', '--url', server.url, ...GRID, '--out', out], (child) => {
      interrupt = () => child.kill('SIGINT');
      child.stderr?.on('data', (chunk) => {
        if (String(chunk).includes('Stopping')) interrupt();
      });
    });
    expect(code).toBe(130);
    expect(stderr).toContain('kvbench: interrupted before the first trial; nothing was measured');
  });
});

describe('kill -9', () => {
  it('loses no trial that had ended', async () => {
    const { out, code } = await interrupted(20, (send) => send('SIGKILL'));
    expect(code).toBe(null);
    expect(readRecords(out).filter((record) => record.repeat === 1)).toHaveLength(40);
    expect(readCsv(join(out, 'trials.csv'))[0]).toMatchObject({ repeat: '1', ok: '40' });
    expect(readRun(out)).toMatchObject({ status: 'running', trials: [{ id: 'p2-c2-r1' }] });
    expect(existsSync(join(out, 'grid.csv.next'))).toBe(false);
    expect(readFileSync(join(out, 'tables.md'), 'utf8')).toContain('Request hit rate');
  });
});
