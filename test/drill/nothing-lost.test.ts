import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRng } from '../../src/core/base/rng.js';
import {
  type CliResult,
  ROOT,
  readCsv,
  readRecords,
  readRun,
  spawnCli,
  temporaryFolder,
} from '../support/cli.js';
import { startFakeServer } from '../support/fake-server.js';

const [TRIALS, REQUESTS] = [8, 20];
const MOMENTS = 10;
/** The time that a run takes from its run.json on, about. */
const RUN_MS = 900;
const KVBENCH = join(ROOT, 'bin/kvbench.js');

/** The command of a run of eight short trials into a folder of its own. */
function gridInto(out: string, url: string): string[] {
  return [
    ...['grid', '--url', url, '--dialect', 'openai', '--variant', 'v', '--out', out, '--timeout', '10s'],
    ...['--prefixes', '2', '--concurrency', '2', '--requests', `${REQUESTS}`, '--repeats', `${TRIALS}`],
    ...['--prefix-tokens', '320', '--tail-tokens', '32', '--output-tokens', '4'],
  ];
}

/** Starts a run, and calls `strike` `afterMs` after it wrote its run.json, just before its first request. */
async function struck(afterMs: number, strike: (child: ChildProcess) => void) {
  const server = await startFakeServer({ firstTokenMs: 8 });
  const out = join(temporaryFolder(), 'run');
  const args = gridInto(out, server.url);
  const result = await spawnCli(args, (child) => {
    const timer = setInterval(() => {
      if (!existsSync(join(out, 'run.json'))) return;
      clearInterval(timer);
      setTimeout(() => strike(child), afterMs);
    }, 2);
    child.on('close', () => clearInterval(timer));
  });
  return { args, out, ...result };
}

/** What a run that ended early holds: its records as lines, of whole trials and of those begun only. */
function holdings(out: string) {
  const path = join(out, 'requests.jsonl');
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const lines = text.split('\n').slice(0, -1);
  const whole = new Set(
    readRun(out)
      .trials.filter(({ interrupted }) => !interrupted)
      .map(({ id }) => id),
  );
  const trialOf = (line: string) => String(JSON.parse(line).trial);
  return {
    text,
    keptLines: lines.filter((line) => whole.has(trialOf(line))),
    torn: [...new Set(lines.map(trialOf))].filter((id) => !whole.has(id)),
  };
}

/** `report` reads the run, `--resume` completes it: whole trials as they were, a torn one anew and said so. */
async function completes(args: readonly string[], out: string): Promise<void> {
  const before = holdings(out);
  const report = await spawnCli(['report', out], () => {});
  expect(report.stderr).toBe('');
  // 1 where what is missing forbids a comparison.
  expect([0, 1]).toContain(report.code);
  expect(report.stdout).toContain('## The answer');
  const resumed = await spawnCli([...args, '--resume'], () => {});
  expect(resumed.code).toBe(0);
  for (const id of before.torn)
    expect(resumed.stderr).toMatch(new RegExp(`not whole, so sent again.*\\b${id}\\b`));
  expect(readRun(out)).toMatchObject({ status: 'complete' });
  expect(readRun(out).trials).toHaveLength(TRIALS);
  expect(readCsv(join(out, 'trials.csv'))).toHaveLength(TRIALS);
  const records = readRecords(out);
  expect(new Set(records.map(({ trial, seq }) => `${trial}/${seq}`)).size).toBe(TRIALS * REQUESTS);
  expect(records).toHaveLength(TRIALS * REQUESTS);
  expect(records.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
  const after = new Set(readFileSync(join(out, 'requests.jsonl'), 'utf8').split('\n'));
  expect(before.keptLines.filter((line) => !after.has(line))).toEqual([]);
  if (before.text !== '') expect(readFileSync(join(out, 'requests.part1.jsonl'), 'utf8')).toBe(before.text);
  expect(readdirSync(out).filter((name) => name.endsWith('.next'))).toEqual([]);
}

/** Runs a shell script around a command line of kvbench, "$@". */
function shell(script: string, args: readonly string[]): Promise<CliResult> {
  const child = spawn('bash', ['-c', script, 'bash', process.execPath, KVBENCH, ...args], { cwd: ROOT });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (text) => {
    stdout += text;
  });
  child.stderr.on('data', (text) => {
    stderr += text;
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
}

describe('a run that is killed', () => {
  const rng = createRng(`moments/${process.env.KVBENCH_SEED ?? '1'}`);
  const moments = Array.from({ length: MOMENTS }, () => [rng.int(RUN_MS)]);
  it.each(moments)('by kill -9 after %d ms is read, and completed by --resume', async (afterMs) => {
    const { args, out, code } = await struck(afterMs, (child) => child.kill('SIGKILL'));
    expect(code).toBe(null);
    await completes(args, out);
  });

  it('by kill -9 before it wrote anything is begun anew by the same command', async () => {
    let kill = () => {};
    const server = await startFakeServer({ onRequest: (index) => index === 0 && kill() });
    const out = join(temporaryFolder(), 'run');
    const { code } = await spawnCli(gridInto(out, server.url), (child) => {
      kill = () => child.kill('SIGKILL');
    });
    expect({ code, files: readdirSync(out) }).toEqual({ code: null, files: ['run.lock'] });
    server.forget();
    kill = () => {};
    expect((await spawnCli(gridInto(out, server.url), () => {})).code).toBe(0);
    expect(readRecords(out)).toHaveLength(TRIALS * REQUESTS);
    expect(existsSync(join(out, 'run.lock'))).toBe(false);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'by %s keeps what it has, exit code 130',
    async (signal) => {
      const { args, out, code } = await struck(RUN_MS / 2, (child) => child.kill(signal));
      expect(code).toBe(130);
      expect(readRun(out).status).toBe('interrupted');
      await completes(args, out);
    },
  );
});

describe('a run whose results cannot be written', () => {
  it('for a limit on the size of files says so, is read, and completed by --resume', async () => {
    const server = await startFakeServer({ firstTokenMs: 8 });
    const out = join(temporaryFolder(), 'run');
    const args = gridInto(out, server.url);
    const { code, stderr } = await shell(`trap '' XFSZ; ulimit -f 36; exec "$@"`, args);
    expect(stderr).toContain(
      `cannot write to ${join(out, 'requests.jsonl')}: the file would be larger than allowed (ulimit -f); make room`,
    );
    expect(code).toBe(2);
    await completes(args, out);
  });

  it('stops in the middle of a trial: load whose records are lost is of no use', async () => {
    const server = await startFakeServer({ firstTokenMs: 2 });
    const out = join(temporaryFolder(), 'run');
    const args = [...gridInto(out, server.url), '--requests', '4000', '--repeats', '1'];
    const { code, stderr } = await shell(`trap '' XFSZ; ulimit -f 36; exec "$@"`, args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('larger than allowed') });
    expect(server.bodies.length).toBeLessThan(1000);
    expect(readRun(out).status).toBe('failed');
  });

  // In a mount namespace, with a disk of its own: unshare -rm.
  it('for a full disk says so, is read, and completed by --resume', async () => {
    const server = await startFakeServer({ firstTokenMs: 8 });
    const folder = temporaryFolder();
    const [disk, out, saved] = ['disk', 'disk/run', 'saved'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    const script = `
      mkdir ${disk} && mount -t tmpfs -o size=64k none ${disk} || exit 99
      "$@"; code=$?
      mount -o remount,size=8m ${disk} && cp -r ${out} ${saved}
      exit $code`;
    const { code, stderr } = await shell(
      `exec unshare -rm bash -c '${script}' bash "$@"`,
      gridInto(out, server.url),
    );
    expect(stderr).toMatch(/cannot write to \S+: the disk is full; make room/);
    expect(code).toBe(2);
    await completes(gridInto(saved, server.url), saved);
  });
});

describe('a reader of the output that goes away', () => {
  it('(| head -1) changes nothing', async () => {
    const server = await startFakeServer({ firstTokenMs: 8 });
    const out = join(temporaryFolder(), 'run');
    const { code, stdout } = await shell('set -o pipefail; "$@" | head -1', gridInto(out, server.url));
    expect({ code, lines: stdout.split('\n').length }).toEqual({ code: 0, lines: 2 });
    expect(readRun(out).status).toBe('complete');
    expect(readRecords(out)).toHaveLength(TRIALS * REQUESTS);
  });
});

describe('the limit of open files', () => {
  it('is compared with the concurrency before anything is sent', async () => {
    const server = await startFakeServer();
    const out = join(temporaryFolder(), 'run');
    const args = [...gridInto(out, server.url), '--concurrency', '4,256', '--threads', '1'];
    const { code, stderr } = await shell('ulimit -n 128; exec "$@"', args);
    expect(stderr).toBe(
      'kvbench: concurrency 256 needs about 304 open files, and the limit of open files is 128; ' +
        'raise it (ulimit -n 1024; for a container --ulimit nofile=1024), or lower --concurrency\n',
    );
    expect(code).toBe(2);
    expect(server.paths).toEqual([]);
    expect(existsSync(out)).toBe(false);
  });
});
