import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RunFile } from '../../src/core/measure/run-file.js';
import { ROOT, readCsv, readRecords, readRun, runCli, spawnCli, temporaryFolder } from '../support/cli.js';
import { startFakeServer } from '../support/fake-server.js';

const TINY = ['--prefix-tokens', '32', '--tail-tokens', '4', '--output-tokens', '2'];
const SMALL = ['--prefixes', '2', '--concurrency', '2', '--requests', '20', '--repeats', '1', ...TINY];
const SIM = ['grid', '--url', 'sim:kv', ...SMALL];

/** Runs a small grid on the simulated cluster and gives its directory. */
async function simRun(args: readonly string[] = []): Promise<string> {
  const out = join(temporaryFolder(), 'run');
  expect((await runCli([...SIM, ...args, '--out', out])).code).toBe(0);
  return out;
}

function editRun(directory: string, edit: (run: RunFile) => unknown): void {
  writeFileSync(join(directory, 'run.json'), JSON.stringify(edit(readRun(directory))));
}

function editRecords(directory: string, edit: (lines: string[]) => string[]): void {
  const path = join(directory, 'requests.jsonl');
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  writeFileSync(path, `${edit(lines).join('\n')}\n`);
}

describe('a scenario file that trips the YAML reader is a usage error, not a crash', () => {
  const TENFOLD = Array.from({ length: 5 }, (_, i) => `k${i + 1}: &k${i + 1} [${`*k${i},`.repeat(10)}]`);
  it.each([
    ['an alias of nothing', 'prefixes: *nope'],
    ['an alias within its own anchor', 'record: &r {image: *r}'],
    ['aliases that multiply', ['k0: &k0 [x]', ...TENFOLD].join('\n')],
  ])('%s', async (_, yaml) => {
    const file = join(temporaryFolder(), 'scenario.yaml');
    writeFileSync(file, `url: sim:kv\n${yaml}\n`);
    const { code, stderr } = await runCli(['grid', file, '--dry-run']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^kvbench: [^\n]+\n$/);
  });
});

describe('the asked concurrency', () => {
  it('is refused beyond reason, in one line', async () => {
    const out = join(temporaryFolder(), 'run');
    const { code } = await runCli([...SIM, '--concurrency', '99999999999', '--out', out]);
    expect(code).toBe(2);
  });

  it('is refused, or a finding, when a trial has too few requests to reach it', async () => {
    const out = join(temporaryFolder(), 'run');
    const { code } = await runCli([...SIM, '--concurrency', '500', '--out', out]);
    if (code !== 2) expect(readCsv(join(out, 'trials.csv'))[0]?.findings).not.toBe('');
  });
});

describe('--resume', () => {
  it('goes on by the same command when it drew its salt at random', async () => {
    const out = await simRun(['--salt', 'random']);
    expect((await runCli([...SIM, '--salt', 'random', '--out', out, '--resume'])).code).toBe(0);
  });

  it('goes on with a run that was killed before it made requests.jsonl', async () => {
    const out = await simRun();
    editRun(out, (run) => ({ ...run, trials: [], status: 'running' }));
    for (const name of ['requests.jsonl', 'trials.csv', 'grid.csv', 'tables.md']) rmSync(join(out, name));
    expect((await runCli([...SIM, '--out', out, '--resume'])).code).toBe(0);
    expect(readRecords(out)).toHaveLength(20);
  });

  it('runs a trial again that the dead target answered nothing of', async () => {
    const [PROBES, REQUESTS] = [3, 4];
    const server = await startFakeServer({
      firstTokenMs: (index) => (index >= PROBES && index < PROBES + REQUESTS ? 600_000 : 1),
    });
    const out = join(temporaryFolder(), 'run');
    const grid = [
      ...['grid', '--url', server.url, '--dialect', 'openai', ...TINY, '--out', out, '--timeout', '1s'],
      ...['--prefixes', '1', '--concurrency', '4', '--requests', '4', '--repeats', '1'],
    ];
    expect((await runCli(grid)).code).toBe(4);
    server.forget();
    expect((await runCli([...grid, '--resume'])).code).toBe(0);
    expect(readCsv(join(out, 'trials.csv'))[0]).toMatchObject({ ok: '4', failed: '0' });
  });

  it('does not drop the trial that was stopped for meeting its own prompts in the cache', async () => {
    const server = await startFakeServer({ firstTokenMs: 20 });
    const out = join(temporaryFolder(), 'run');
    const grid = [
      ...['grid', '--url', server.url, '--dialect', 'openai', ...SMALL],
      ...['--requests', '40', '--repeats', '2', '--out', out],
    ];
    await spawnCli(grid, (child) => {
      const timer = setInterval(() => {
        const path = join(out, 'requests.jsonl');
        if (!existsSync(path) || readFileSync(path, 'utf8').split('\n').length < 12) return;
        clearInterval(timer);
        child.kill('SIGKILL');
      }, 20);
      child.on('close', () => clearInterval(timer));
    });
    await runCli([...grid, '--resume']);
    const rows = readCsv(join(out, 'grid.csv'));
    expect(rows).toMatchObject([{ repeats_kept: '2', repeats_dropped: '0' }]);
  });
});

describe('what a run prints to', () => {
  it('may go away (2>&1 | head -1): the run goes on to its end', async () => {
    const server = await startFakeServer({ firstTokenMs: 20 });
    const out = join(temporaryFolder(), 'run');
    const { code } = await spawnCli(
      ['grid', '--url', server.url, '--dialect', 'openai', ...SMALL, '--repeats', '4', '--out', out],
      (child) => child.stderr?.once('data', () => child.stderr?.destroy()),
    );
    expect(code).toBe(0);
    expect(readRun(out).status).toBe('complete');
  });

  it('may be a terminal that does not know its width (0 columns)', async () => {
    const out = join(temporaryFolder(), 'run');
    const run = [process.execPath, join(ROOT, 'bin/kvbench.js'), ...SIM, '--out', out].join(' ');
    // When it hangs it takes 100 MB more each second, and outlives its terminal.
    const command = `timeout --foreground -s KILL 10 ${run}`;
    const child = spawn('/usr/bin/script', ['-qec', command, '/dev/null'], {
      stdio: 'ignore',
      env: TERMINAL,
    });
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0);
  });
});

/** The environment of a terminal: under CI or TERM=dumb there is no spinner. */
const TERMINAL = { PATH: process.env.PATH, TERM: 'xterm' };

describe('a target', () => {
  it('may listen on a port that browsers block', async () => {
    const { code, stderr } = await runCli([
      ...['grid', '--url', 'http://127.0.0.1:10080', ...SMALL, '--ready-timeout', '1ms'],
      ...['--out', join(temporaryFolder(), 'run')],
    ]);
    expect(code).toBe(3);
    expect(stderr).not.toContain('bad port');
  });

  it('that does not stream is a finding: its TTFT is its E2E', async () => {
    const usage = { prompt_tokens: 44, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 0 } };
    const choices = [{ index: 0, message: { content: 'x y' }, finish_reason: 'length' }];
    const server = createServer((request, response) => {
      request.resume();
      const list = { data: [{ id: 'fake' }] };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(request.method === 'GET' ? list : { id: 'a', choices, usage }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const out = join(temporaryFolder(), 'run');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await runCli(['grid', '--url', url, '--dialect', 'openai', ...SMALL, '--out', out]);
    expect(readCsv(join(out, 'trials.csv'))[0]?.findings).toMatch(/stream/);
  });

  it('whose cache knew the prefixes before a primed trial contaminates it', async () => {
    const server = await startFakeServer();
    const primed = ['grid', '--url', server.url, '--dialect', 'openai', ...SMALL, '--start', 'primed'];
    const [first, second] = [join(temporaryFolder(), 'run'), join(temporaryFolder(), 'run')];
    await runCli([...primed, '--out', first]);
    expect(readCsv(join(first, 'trials.csv'))[0]?.findings).not.toContain('contaminated');
    await runCli([...primed, '--out', second]);
    expect(readCsv(join(second, 'trials.csv'))[0]?.findings).toContain('contaminated');
  });
});

describe('kvbench report of a damaged run', () => {
  it('does not pass off a trial as whole that has lost records', async () => {
    const out = await simRun();
    editRecords(out, (lines) => lines.slice(0, -5));
    const report = join(temporaryFolder(), 'report');
    const { code } = await runCli(['report', out, '--out', report]);
    const [row] = readCsv(join(report, 'trials.csv'));
    expect([code === 0 && row?.findings === '', row?.requests]).toEqual([false, '20']);
  });

  it('counts no record twice', async () => {
    const out = await simRun();
    editRecords(out, (lines) => [...lines, ...lines]);
    const report = join(temporaryFolder(), 'report');
    await runCli(['report', out, '--out', report]);
    expect(readCsv(join(report, 'trials.csv'))[0]).toMatchObject({ requests: '20', ok: '20' });
  });

  it.each([
    ['scenario', {}],
    ['trials', [null]],
    ['provenance', {}],
  ] as const)('is refused in one line when %s in run.json is broken', async (key, value) => {
    const out = await simRun();
    editRun(out, (run) => ({ ...run, [key]: value }));
    const { code, stderr } = await runCli(['report', out]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^kvbench: [^\n]+\n$/);
  });
});
