import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCsv, readRecords, readRun, runCli, temporaryFolder } from '../support/cli.js';

const GRID = 'prefixes: [2, 7]\nconcurrency: [4]\nrequests: 100\nrepeats: 2\noutput-tokens: 8\n';

function scenarioFile(folder: string, variants: string): string {
  const path = join(folder, 'scenario.yaml');
  writeFileSync(path, `${GRID}variants:\n${variants}`);
  return path;
}

describe('a scenario of several variants', () => {
  it('runs them in balanced order into one directory, each set up and torn down around its trials', async () => {
    const folder = temporaryFolder();
    const log = join(folder, 'log');
    const scenario = scenarioFile(
      folder,
      `  - variant: round-robin
    url: sim:round-robin?workers=6
    setup: echo up $KVBENCH_VARIANT >> ${log}
    teardown: echo down $KVBENCH_URL >> ${log}
  - variant: kv
    url: sim:kv?workers=6
`,
    );
    const out = join(folder, 'run');
    const { code, stdout, stderr } = await runCli(['grid', scenario, '--out', out, '--quiet']);
    expect([code, stderr]).toEqual([0, '']);
    const run = readRun(out);
    expect(run.variants.map(({ name }) => name)).toEqual(['round-robin', 'kv']);
    expect(run.trials.map(({ variant, id }) => `${variant} ${id.slice(-2)}`)).toEqual([
      ...['round-robin r1', 'round-robin r1', 'kv r1', 'kv r1'],
      ...['kv r2', 'kv r2', 'round-robin r2', 'round-robin r2'],
    ]);
    expect(readRecords(out)).toHaveLength(2 * 2 * 2 * 100);
    expect(readCsv(join(out, 'grid.csv')).map(({ variant, prefixes }) => `${variant} ${prefixes}`)).toEqual([
      'round-robin 2',
      'round-robin 7',
      'kv 2',
      'kv 7',
    ]);
    expect(readFileSync(log, 'utf8').split('\n').slice(0, 3)).toEqual([
      'up round-robin',
      'down sim:round-robin?workers=6',
      'up round-robin',
    ]);
    expect(stdout).toContain('kv against round-robin');
    expect(Object.keys(run.record?.seen ?? {})).toEqual(['round-robin', 'kv']);
  });

  it('reports the variants of one run as it reports two runs, and rebuilds its rows', async () => {
    const folder = temporaryFolder();
    const scenario = scenarioFile(
      folder,
      '  - {variant: round-robin, url: "sim:round-robin?workers=6"}\n  - {variant: kv, url: "sim:kv?workers=6"}\n',
    );
    const out = join(folder, 'run');
    await runCli(['grid', scenario, '--out', out, '--quiet']);
    const report = join(folder, 'report');
    expect((await runCli(['report', out, '--out', report])).code).toBe(0);
    expect(readFileSync(join(report, 'report.md'), 'utf8')).toContain('### kv against round-robin');
    for (const name of ['trials.csv', 'grid.csv']) {
      expect(readFileSync(join(report, name), 'utf8')).toBe(readFileSync(join(out, name), 'utf8'));
    }
  });

  it('stops at a setup that fails, shows what it printed, keeps what ran before, and goes on with --resume', async () => {
    const folder = temporaryFolder();
    const door = join(folder, 'door');
    const scenario = scenarioFile(
      folder,
      `  - variant: round-robin
    url: sim:round-robin?workers=6
  - variant: kv
    url: sim:kv?workers=6
    setup: "echo no door here; test -e ${door}"
`,
    );
    const out = join(folder, 'run');
    const failed = await runCli(['grid', scenario, '--out', out, '--quiet']);
    expect(failed.code).toBe(3);
    expect(failed.stderr).toContain('no door here\n');
    expect(failed.stderr).toContain('the setup of variant kv failed (exit code 1)');
    expect(readRun(out)).toMatchObject({ status: 'failed', trials: [{ variant: 'round-robin' }, {}] });
    expect(readRecords(out)).toHaveLength(200);
    writeFileSync(door, '');
    const resumed = await runCli(['grid', scenario, '--out', out, '--quiet', '--resume']);
    expect(resumed.code).toBe(0);
    expect(readRun(out)).toMatchObject({ status: 'complete' });
    expect(readRecords(out)).toHaveLength(800);
    expect(readCsv(join(out, 'trials.csv'))).toHaveLength(8);
  });

  it('ends what a setup leaves running when there is no teardown', async () => {
    const folder = temporaryFolder();
    const pid = join(folder, 'pid');
    const scenario = scenarioFile(
      folder,
      `  - variant: kv
    url: sim:kv?workers=6
    setup: "sleep 600 & echo $! > ${pid}"
`,
    );
    await runCli(['grid', scenario, '--out', join(folder, 'run'), '--quiet']);
    expect(existsSync(`/proc/${readFileSync(pid, 'utf8').trim()}`)).toBe(false);
  });

  it('refuses what cannot be meant, with the line or the entry', async () => {
    const folder = temporaryFolder();
    const cases: readonly (readonly [string, string])[] = [
      [
        '  - {variant: a, url: "sim:kv"}\n  - {variant: a, url: "sim:kv"}\n',
        'scenario.yaml:6: variants: entry 2: "a" is listed twice',
      ],
      ['  - {variant: a, ulr: "sim:kv"}\n', 'entry 1: no field "ulr"; did you mean "url"?'],
      ['  - {variant: a}\n', 'no target: neither --url nor a url in the scenario'],
      [
        '  - {variant: a, url: "sim:kv"}\n  - {variant: b, url: "http://127.0.0.1:9"}\n',
        'some variants are simulated',
      ],
    ];
    for (const [variants, message] of cases) {
      const { code, stderr } = await runCli([
        'grid',
        scenarioFile(folder, variants),
        '--out',
        join(folder, 'run'),
      ]);
      expect(code, message).toBe(2);
      expect(stderr).toContain(message);
    }
  });
});
