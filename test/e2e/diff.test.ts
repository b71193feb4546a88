import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCsvRows } from '../../src/core/base/csv-rows.js';
import { runCli } from '../support/cli.js';

let folder: string;
let rr: string;
let kv: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kvbench-diff-'));
  [rr, kv] = [join(folder, 'rr'), join(folder, 'kv')];
  const grid = '--prefixes 2,7 --concurrency 4 --requests 100 --output-tokens 2 --quiet'.split(' ');
  await runCli(['grid', '--url', 'sim:round-robin?workers=4', '--out', rr, ...grid]);
  await runCli(['grid', '--url', 'sim:kv?workers=4', '--out', kv, ...grid]);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('kvbench diff', () => {
  it('prints verdicts, changes with intervals, the lost hits and the load, within 80 columns', async () => {
    const { code, stdout, stderr } = await runCli(['diff', rr, kv, '--all', '--worker-capacity', '3.95']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const text = stdout.replaceAll(folder, 'runs');
    expect(text).toContain('baseline round-robin: runs/rr (3 x 100 requests, sim)');
    expect(text).toMatch(/p7-c4 +\d+\.\d→\d+\.\d ▲ /);
    expect(text).toMatch(/4 in flight +7 +▲ \+\d+\.\d points \(\+\d+\.\d … \+\d+\.\d\)/);
    expect(text).toMatch(/4 in flight +7 +kv +[\d,]+( +\d+\.\d %)+\n/);
    expect(text).toContain('Verdicts look at all 20 comparisons together');
    const widest = Math.max(...text.split('\n').map((line) => line.length));
    expect(widest).toBeLessThanOrEqual(80);
  });

  it('gives the same as CSV, JSON and Markdown', async () => {
    const csv = parseCsvRows((await runCli(['diff', rr, kv, '--csv'])).stdout);
    expect(csv).toHaveLength(1 + 2 * 10);
    const json = JSON.parse((await runCli(['diff', rr, kv, '--json'])).stdout);
    const [row] = csv.filter((cells) => cells[2] === '7' && cells[6] === 'request_hit_rate');
    const change = json.cells[1].candidates[0].changes[0];
    expect(row?.slice(7, 14).map((cell) => (cell === '' ? null : Number(cell) || cell))).toEqual([
      change.baseline,
      change.candidate,
      change.change,
      'pp',
      change.interval.low,
      change.interval.high,
      Number(change.p.toPrecision(3)),
    ]);
    const markdown = (await runCli(['diff', rr, kv, '--markdown'])).stdout;
    expect(markdown).toMatch(/^## round-robin → kv\n/);
    expect(markdown).toContain('| cell | Request hit rate, % |');
  });

  it('prints the same text twice', async () => {
    const first = await runCli(['diff', rr, kv]);
    expect(await runCli(['diff', rr, kv])).toEqual(first);
  });

  it('sets each of several candidates against the baseline, with marks', async () => {
    const { code, stdout } = await runCli(['diff', rr, rr, kv]);
    expect(code).toBe(0);
    expect(stdout.match(/ against round-robin/g)).toHaveLength(2);
    expect(stdout).toContain('▲ better, ▼ worse, ≈ not distinguishable, ? no verdict');
  });

  it('gates with --fail-on', async () => {
    const passes = await runCli(['diff', rr, kv, '--fail-on', 'request_hit_rate<-2pp']);
    expect(passes.code).toBe(0);
    expect(passes.stdout).toContain('passed --fail-on request_hit_rate<-2pp: 2 changes held against it');
    const fails = await runCli(['diff', kv, rr, '--fail-on', 'request_hit_rate@p7<-2pp']);
    expect(fails.code).toBe(1);
    expect(fails.stdout).toMatch(
      /FAILED --fail-on request_hit_rate@p7<-2pp\n {2}round-robin p7-c4: -\d+\.\d pp\n/,
    );
    expect((await runCli(['diff', rr, kv, '--fail-on', 'nonsense'])).code).toBe(2);
  });

  it('compares tables alone, without intervals', async () => {
    const { code, stdout } = await runCli(['diff', join(rr, 'grid.csv'), join(kv, 'grid.csv')]);
    expect(code).toBe(0);
    expect(stdout).toContain('NOTE grid-only');
    expect(stdout).toContain('the request hit rate has no verdict');
  });

  it('prints what forbids the comparison first, and exits with 1', async () => {
    const other = join(folder, 'other');
    cpSync(kv, other, { recursive: true });
    const run = JSON.parse(readFileSync(join(other, 'run.json'), 'utf8'));
    run.variants[0].target.model = 'another';
    writeFileSync(join(other, 'run.json'), JSON.stringify(run));
    const { code, stdout } = await runCli(['diff', rr, other]);
    expect(code).toBe(1);
    expect(stdout).toContain('These runs must not be compared as they are');
    expect(stdout.indexOf('FORBIDS COMPARISON model-differs')).toBeLessThan(
      stdout.indexOf('Why the gain is not larger'),
    );
    expect(stdout).toContain('model: sim and another');
  });

  it('refuses a single variant and options that contradict each other', async () => {
    expect(await runCli(['diff', rr])).toMatchObject({ code: 2, stdout: '' });
    expect((await runCli(['diff', rr, kv, '--json', '--csv'])).stderr).toContain(
      'give only one of --json, --csv and --markdown',
    );
    expect((await runCli(['diff', rr, kv, '--measures', 'ttft_p5_ms'])).stderr).toContain(
      'did you mean "ttft_p50_ms"?',
    );
    expect((await runCli(['diff', rr, kv, '--worker-capacity', '0'])).code).toBe(2);
  });

  it('prints help that fits a screen', async () => {
    const { code, stdout } = await runCli(['diff', '--help']);
    expect(code).toBe(0);
    expect(stdout.split('\n').length).toBeLessThanOrEqual(40);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});
