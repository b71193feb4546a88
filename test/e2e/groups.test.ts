import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { summarizeRun } from '../../src/core/measure/run-summary.js';
import { cellColumns, trialColumns } from '../../src/report/columns.js';
import { renderCsv } from '../../src/report/csv.js';
import { readCsv, readRecords, readRun, runCli, spawnCli, temporaryFolder } from '../support/cli.js';
import { startFakeServer } from '../support/fake-server.js';

const GROUPS = `
groups:
  - {group: long, share: 1, prefix-tokens: 1600, tail-tokens: 100, output-tokens: 8}
  - {group: short, share: 3, prefix-tokens: 320, tail-tokens: 80, output-tokens: 16}
`;

function writeScenario(folder: string, policy: string, more = ''): string {
  const file = join(folder, 'groups.yaml');
  const grid = 'prefixes: [3, 6]\nconcurrency: [4]\nrequests: 120\nrepeats: 3\n';
  writeFileSync(file, `url: sim:${policy}?workers=4&capacity-blocks=600\n${grid}${GROUPS}${more}`);
  return file;
}

async function runGroups(
  policy: string,
  more = '',
  folder = temporaryFolder(),
): Promise<{ out: string; stdout: string }> {
  const out = join(folder, policy);
  const scenario = writeScenario(folder, policy, more);
  const { code, stdout, stderr } = await runCli(['grid', scenario, '--quiet', '--out', out]);
  expect([code, stderr]).toEqual([0, '']);
  return { out, stdout };
}

describe('a run of several groups', () => {
  let out = '';
  let stdout = '';
  const folder = mkdtempSync(join(tmpdir(), 'kvbench-test-'));
  beforeAll(async () => {
    ({ out, stdout } = await runGroups('kv', 'start: primed\nwarmup: 2\n', folder));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('names the group in every record that has one, after the rate, and nowhere else', () => {
    for (const record of readRecords(out)) {
      const keys = Object.keys(record);
      if (record.phase === 'warmup') expect(keys).not.toContain('group');
      else expect(keys.slice(5, 7)).toEqual(['group', 'repeat']);
    }
  });

  it('sends each group its own lengths and primes the prefixes of each', () => {
    const records = readRecords(out).filter((record) => record.phase !== 'warmup');
    const lengths = (group: string) => [
      ...new Set(
        records
          .filter((record) => record.group === group)
          .map((record) => `${record.prompt_tokens} -> ${record.output_tokens}`),
      ),
    ];
    expect(lengths('long')).toEqual(['1700 -> 8']);
    expect(lengths('short')).toEqual(['400 -> 16']);
    const primed = records.filter(({ phase, trial }) => phase === 'prime' && trial === 'p3-c4-r1');
    expect(primed.map(({ group, prefix }) => `${group} ${prefix}`)).toEqual([
      'long 0',
      'long 1',
      'long 2',
      'short 0',
      'short 1',
      'short 2',
    ]);
  });

  it('gives every group rows of its own, which add up to what was planned', () => {
    const records = readRecords(out).filter((record) => record.phase === 'measure');
    const trials = readCsv(join(out, 'trials.csv'));
    expect(trials).toHaveLength(2 * 2 * 3);
    for (const row of trials) {
      const trial = `p${row.prefixes}-c${row.concurrency}-r${row.repeat}`;
      const own = records.filter((record) => record.trial === trial && record.group === row.group);
      expect([Number(row.requests), Number(row.ok) + Number(row.failed)]).toEqual([own.length, own.length]);
      const hits = own.filter((record) => (record.cached_tokens ?? 0) > 0).length;
      expect(Number(row.request_hit_rate)).toBe(Number((hits / own.length).toFixed(6)));
    }
    const cells = readCsv(join(out, 'grid.csv'));
    expect(cells.map((row) => `${row.prefixes} ${row.group}`)).toEqual([
      '3 long',
      '3 short',
      '6 long',
      '6 short',
    ]);
    expect(cells.reduce((sum, row) => sum + Number(row.requests), 0)).toBe(2 * 3 * 120);
    expect(Object.keys(cells[0] ?? {}).slice(3, 6)).toEqual(['rate', 'group', 'repeats_kept']);
  });

  it('replays: run.json and requests.jsonl give both tables again, byte for byte', () => {
    const run = readRun(out);
    const summary = summarizeRun(run, readRecords(out));
    expect(renderCsv(trialColumns(run.scenario), summary.trials)).toBe(
      readFileSync(join(out, 'trials.csv'), 'utf8'),
    );
    expect(renderCsv(cellColumns(run.scenario), summary.cells)).toBe(
      readFileSync(join(out, 'grid.csv'), 'utf8'),
    );
  });

  it('shows the tables of each group and none of both', () => {
    expect(stdout.split('\n').filter((line) => line.includes('tokens out'))).toEqual([
      'kv, long: prompts of 1,600 shared + 100 unique tokens, 8 tokens out',
      'kv, short: prompts of 320 shared + 80 unique tokens, 16 tokens out',
    ]);
    expect(stdout.match(/^Request hit rate/gm)).toHaveLength(2);
    expect(stdout.split('\n').filter((line) => !line.startsWith('Run') && line.length > 80)).toEqual([]);
  });

  it('gives the whole only on request, and leaves the rows of the groups as they are', async () => {
    const whole = (await runGroups('kv', 'start: primed\nwarmup: 2\nwhole: true\n')).out;
    const rows = readCsv(join(whole, 'trials.csv'));
    expect(rows.filter((row) => row.group !== 'whole')).toEqual(readCsv(join(out, 'trials.csv')));
    const records = readRecords(whole).filter((record) => record.phase === 'measure');
    for (const row of rows.filter(({ group }) => group === 'whole')) {
      const own = records.filter(({ trial }) => trial === `p${row.prefixes}-c4-r${row.repeat}`);
      const sum = (of: (record: (typeof own)[number]) => number) =>
        own.reduce((all, record) => all + of(record), 0);
      const ratio = sum((record) => record.cached_tokens ?? 0) / sum((record) => record.prompt_tokens ?? 0);
      expect(row).toMatchObject({ requests: '120', cached_token_ratio: String(Number(ratio.toFixed(6))) });
    }
    expect(readCsv(join(whole, 'grid.csv')).map((row) => row.group)).toEqual([
      'long',
      'short',
      'whole',
      'long',
      'short',
      'whole',
    ]);
  });

  it('can be compared: each cell of each group by itself', async () => {
    const baseline = (await runGroups('round-robin')).out;
    const candidate = (await runGroups('kv')).out;
    const { code, stdout: csv } = await runCli(['diff', baseline, candidate, '--csv']);
    // The p99 of 30 long requests in a trial has no verdict; nothing forbids the comparison.
    const { stdout: text } = await runCli(['diff', baseline, candidate]);
    expect([code, text.match(/(FORBIDS COMPARISON|NOTE) [\w-]+/g)]).toEqual([
      0,
      ['NOTE percentile-unsupported'],
    ]);
    const rows = csv.trim().split('\n');
    const [head = '', ...changes] = rows;
    expect(head.startsWith('baseline,candidate,prefixes,concurrency,rate,group,repeats,measure,')).toBe(true);
    const hits = changes.filter((row) => row.includes(',request_hit_rate,'));
    expect(hits.map((row) => row.split(',').slice(2, 6).join())).toEqual([
      '3,4,,long',
      '3,4,,short',
      '6,4,,long',
      '6,4,,short',
    ]);
    const own = readCsv(join(candidate, 'grid.csv')).map((row) => row.request_hit_rate);
    expect(hits.map((row) => row.split(',')[9])).toEqual(own);

    const alone = await runCli(['diff', join(baseline, 'grid.csv'), join(candidate, 'grid.csv'), '--csv']);
    expect(alone.stdout.split('\n').filter((row) => row.includes(',request_hit_rate,'))).toHaveLength(4);
  });

  it('is reported with a row for each group', async () => {
    const { stdout: report } = await runCli(['report', out]);
    for (const group of ['long', 'short']) {
      expect(report).toContain(`| ${group}, 4 in flight | 3 |`);
    }
    expect(report).toContain('1,600 (long), 320 (short)');
    expect(report.match(/^> (long|short): /gm)).toEqual(['> long: ', '> short: ']);
  });

  it('is another workload when a length of one group differs', async () => {
    const other = join(temporaryFolder(), 'other');
    const scenario = writeScenario(temporaryFolder(), 'kv');
    writeFileSync(scenario, readFileSync(scenario, 'utf8').replace('tail-tokens: 80', 'tail-tokens: 96'));
    await runCli(['grid', scenario, '--quiet', '--out', other]);
    const same = (await runGroups('kv')).out;
    expect(readRun(other).workload.sha256).not.toBe(readRun(same).workload.sha256);
    const { code, stdout: text } = await runCli(['diff', same, other]);
    expect(code).toBe(1);
    expect(text).toContain('workload-differs');
  });
});

describe('several groups over HTTP', () => {
  /** A scenario of two groups against a server that answers after 5 ms. */
  async function prepare() {
    const server = await startFakeServer({ firstTokenMs: 5 });
    const folder = temporaryFolder();
    const scenario = join(folder, 'groups.yaml');
    const lengths = 'output-tokens: 4';
    writeFileSync(
      scenario,
      `url: ${server.url}\nvariant: http\ndialect: openai\nprefixes: 2\nconcurrency: 4\nrequests: 40\nrepeats: 2
groups:
  - {group: long, share: 1, prefix-tokens: 64, tail-tokens: 8, ${lengths}}
  - {group: short, share: 3, prefix-tokens: 32, tail-tokens: 4, ${lengths}}
`,
    );
    return { server, scenario, out: join(folder, 'run') };
  }

  const lengthsOf = (out: string) =>
    [...new Set(readRecords(out).map(({ group, prompt_tokens }) => `${group} ${prompt_tokens}`))].sort();

  it('send each group its own lengths, from one thread and from three', async () => {
    for (const threads of ['1', '3']) {
      const { scenario, out } = await prepare();
      const { code, stderr } = await spawnCli(
        ['grid', scenario, '--out', out, '--quiet', '--threads', threads],
        () => {},
      );
      expect([code, stderr]).toEqual([0, '']);
      expect(lengthsOf(out)).toEqual(['long 80', 'short 44']);
      const rows = readCsv(join(out, 'grid.csv'));
      expect(rows.map((row) => [row.group, row.ok === row.requests])).toEqual([
        ['long', true],
        ['short', true],
      ]);
      expect(rows.reduce((sum, row) => sum + Number(row.ok), 0)).toBe(80);
    }
  });

  it('go on with --resume: whole trials stay, the one begun runs again with a salt of its own', async () => {
    const { server, scenario, out } = await prepare();
    const grid = ['grid', scenario, '--out', out, '--quiet'];
    expect((await runCli(grid)).code).toBe(0);
    const whole = readFileSync(join(out, 'requests.jsonl'), 'utf8').split('\n').slice(0, 40);
    const run = readRun(out);
    writeFileSync(
      join(out, 'run.json'),
      JSON.stringify({ ...run, status: 'running', trials: run.trials.slice(0, 1) }),
    );
    // The second trial was killed in the middle.
    const begun = readFileSync(join(out, 'requests.jsonl'), 'utf8').split('\n').slice(0, 55).join('\n');
    writeFileSync(join(out, 'requests.jsonl'), `${begun}\n{"trial":"p2-c4-r2","var`);
    server.forget();
    expect((await runCli([...grid, '--resume'])).code).toBe(0);
    const lines = readFileSync(join(out, 'requests.jsonl'), 'utf8').trim().split('\n');
    expect(lines).toHaveLength(80);
    expect(lines.slice(0, 40)).toEqual(whole);
    expect(readRun(out).trials.map(({ id, salt }) => [id, salt?.slice(0, 6)])).toEqual([
      ['p2-c4-r1', undefined],
      ['p2-c4-r2', 'again-'],
    ]);
    const rows = readCsv(join(out, 'trials.csv'));
    expect(rows.map((row) => [row.group, row.repeat, row.ok === row.requests])).toEqual([
      ['long', '1', true],
      ['long', '2', true],
      ['short', '1', true],
      ['short', '2', true],
    ]);
    expect(rows.reduce((sum, row) => sum + Number(row.ok), 0)).toBe(80);
  });
});
