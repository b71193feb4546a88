import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, temporaryFolder } from '../support/cli.js';

const GRID = [
  ...['--prefixes', '2,7', '--concurrency', '4', '--requests', '100', '--repeats', '2'],
  ...['--output-tokens', '8', '--quiet'],
];

async function runGrid(folder: string, name: string, policy: string): Promise<string> {
  const out = join(folder, name);
  const url = `sim:${policy}?workers=6&capacity-requests=3.95`;
  const { code, stderr } = await runCli(['grid', '--url', url, '--variant', policy, ...GRID, '--out', out]);
  expect([code, stderr]).toEqual([0, '']);
  return out;
}

const bytes = (...path: string[]) => readFileSync(join(...path), 'utf8');

describe('kvbench report', () => {
  it('rebuilds trials.csv and grid.csv from run.json and requests.jsonl, byte for byte', async () => {
    const folder = temporaryFolder();
    const run = await runGrid(folder, 'kv', 'kv');
    const saved = { trials: bytes(run, 'trials.csv'), grid: bytes(run, 'grid.csv') };
    writeFileSync(join(run, 'trials.csv'), '');
    writeFileSync(join(run, 'grid.csv'), '');
    const out = join(folder, 'report');
    const { code, stdout } = await runCli(['report', run, '--out', out]);
    expect(code).toBe(0);
    expect(stdout).toContain(`Report: ${join(out, 'report.html')}`);
    expect({ trials: bytes(out, 'trials.csv'), grid: bytes(out, 'grid.csv') }).toEqual(saved);
  });

  it('keeps the rows of several runs apart, links every figure it draws, and says the same twice', async () => {
    const folder = temporaryFolder();
    const runs = [await runGrid(folder, 'rr', 'round-robin'), await runGrid(folder, 'kv', 'kv')];
    const out = join(folder, 'report');
    expect((await runCli(['report', ...runs, '--out', out])).code).toBe(0);
    for (const [index, name] of ['rr', 'kv'].entries()) {
      expect(bytes(out, 'runs', name, 'grid.csv')).toBe(bytes(runs[index] ?? '', 'grid.csv'));
    }
    const links = [...bytes(out, 'report.md').matchAll(/\]\((figures\/[\w-]+\.svg)\)/g)].map(
      ([, link]) => link,
    );
    expect(links.sort()).toEqual(
      readdirSync(join(out, 'figures'))
        .map((name) => `figures/${name}`)
        .sort(),
    );
    const first = bytes(out, 'report.html');
    expect((await runCli(['report', ...runs, '--out', out])).code).toBe(0);
    expect(bytes(out, 'report.html')).toBe(first);
  });

  it('prints Markdown without --out, in the language asked for', async () => {
    const run = await runGrid(temporaryFolder(), 'kv', 'kv');
    const { code, stdout } = await runCli(['report', run, '--lang', 'ko']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^# KV 캐시 라우팅: kv\n/);
    expect(stdout).not.toContain('](figures/');
  });

  it('prints what the scenario states of the experiment', async () => {
    const folder = temporaryFolder();
    const scenario = join(folder, 'scenario.yaml');
    writeFileSync(scenario, 'record:\n  image: router:1.2\n  gpu: [A10, L4]\n');
    const out = join(folder, 'run');
    await runCli(['grid', scenario, '--url', 'sim:kv?workers=2', ...GRID, '--out', out]);
    const record = JSON.parse(bytes(out, 'run.json')).record;
    expect(record.stated).toMatchObject({ image: 'router:1.2', gpu: 'A10, L4', nic: null, revert: null });
    expect(record.seen.kv).toMatchObject({ answers: 400, prompt_tokens: { min: 2300, max: 2300 } });
    const { stdout } = await runCli(['report', out]);
    expect(stdout).toContain('| image | router:1.2 |');
    expect(stdout).toContain('| NIC | — empty |');
  });

  it('refuses bad usage in one line, with exit code 2', async () => {
    const folder = temporaryFolder();
    const run = await runGrid(folder, 'kv', 'kv');
    mkdirSync(join(folder, 'empty'));
    const cases: readonly (readonly [readonly string[], string])[] = [
      [[run, '--lang', 'fr'], '--lang: expected en or ko, got "fr"'],
      [[run, '--worker-capacity', '0'], '--worker-capacity: expected a number above 0, got "0"'],
      [[run, '--out', run], 'holds a run; give --out a separate folder'],
      [[join(folder, 'empty')], 'is an empty directory'],
      [[join(folder, 'nowhere')], 'no such file or directory'],
    ];
    for (const [args, message] of cases) {
      const { code, stdout, stderr } = await runCli(['report', ...args]);
      expect([code, stdout], message).toEqual([2, '']);
      expect(stderr).toContain(message);
      expect(stderr.trimEnd()).not.toContain('\n');
    }
  });

  it('says the line of a record field that does not exist', async () => {
    const folder = temporaryFolder();
    const scenario = join(folder, 'scenario.yaml');
    writeFileSync(scenario, 'seed: 1\nrecord:\n  imge: x\n');
    const { code, stderr } = await runCli(['grid', scenario, '--url', 'sim:kv']);
    expect(code).toBe(2);
    expect(stderr).toContain('scenario.yaml:2: record: no field "imge"; did you mean "image"?');
  });
});
