import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OUTCOMES } from '../../src/core/answer/request-record.js';
import { summarizeRun } from '../../src/core/measure/run-summary.js';
import { CELL_COLUMNS, TRIAL_COLUMNS } from '../../src/report/columns.js';
import { renderCsv } from '../../src/report/csv.js';
import { readCsv, readRecords, readRun, runCli, temporaryFolder } from '../support/cli.js';

const SMALL = [
  '--prefixes',
  '2,7',
  '--concurrency',
  '4,8',
  '--requests',
  '60',
  '--output-tokens',
  '8',
  '--quiet',
];
const SIM = ['--url', 'sim:kv?workers=6&capacity-requests=3.95'];

/** Column names as DESIGN.md, section 5, has them. */
const MEASURED =
  'request_hit_rate cached_token_ratio cached_token_ceiling workers_seen workers_per_prefix ttft_mean_ms ttft_p50_ms ttft_p90_ms ttft_p99_ms tpot_p50_ms e2e_p50_ms e2e_p99_ms throughput_rps output_tokens_per_s offered_rps duration_s findings';
const RECORD_KEYS =
  'trial variant prefixes concurrency rate repeat seq prefix phase outcome status error due_ms sent_ms send_lag_ms connect_ms ttft_ms e2e_ms tpot_ms prompt_tokens cached_tokens output_tokens chunks prefill_worker decode_worker worker finish_reason request_id server';

async function runSmall(): Promise<string> {
  const out = join(temporaryFolder(), 'run');
  const { code, stderr } = await runCli(['grid', ...SIM, ...SMALL, '--out', out]);
  expect([code, stderr]).toEqual([0, '']);
  return out;
}

describe('kvbench grid on the simulated cluster', () => {
  it('sizes caches from the longest request, though shorter ones warm it up', async () => {
    const out = join(temporaryFolder(), 'run');
    const warm = ['--start', 'primed', '--warmup', '5', '--prefixes', '2', '--concurrency', '4'];
    const { code } = await runCli([
      ...['grid', '--url', 'sim:kv?workers=2', ...warm],
      ...['--requests', '20', '--repeats', '1', '--quiet', '--out', out],
    ]);
    expect(code).toBe(0);
    expect(readCsv(join(out, 'grid.csv'))).toMatchObject([{ ok: '20', request_hit_rate: '1' }]);
  });

  it('writes the files, columns and keys of the contract', async () => {
    const out = await runSmall();
    const head = (name: string) => readFileSync(join(out, name), 'utf8').split('\n', 1)[0];
    expect(head('trials.csv')?.split(',')).toEqual(
      `variant prefixes concurrency rate repeat requests ok failed ${MEASURED}`.split(' '),
    );
    const banded = MEASURED.replace(
      /request_hit_rate|cached_token_ratio|ttft_p50_ms|ttft_p99_ms|throughput_rps/g,
      (key) => `${key} ${key}_min ${key}_max`,
    );
    expect(head('grid.csv')?.split(',')).toEqual(
      `variant prefixes concurrency rate repeats_kept repeats_dropped requests ok failed ${banded}`.split(
        ' ',
      ),
    );
    const records = readRecords(out);
    expect(records).toHaveLength(4 * 3 * 60);
    for (const record of records) expect(Object.keys(record)).toEqual(RECORD_KEYS.split(' '));
    const run = readRun(out);
    expect(run).toMatchObject({ schema: 'kvbench/1', status: 'complete', variants: [{ name: 'kv' }] });
    expect(run.plan.trials).toHaveLength(12);
    expect(readFileSync(join(out, 'tables.md'), 'utf8')).toContain('### Request hit rate, %');
  });

  it('replays: run.json and requests.jsonl give both tables again, byte for byte', async () => {
    const out = await runSmall();
    const summary = summarizeRun(readRun(out), readRecords(out));
    expect(renderCsv(TRIAL_COLUMNS, summary.trials)).toBe(readFileSync(join(out, 'trials.csv'), 'utf8'));
    expect(renderCsv(CELL_COLUMNS, summary.cells)).toBe(readFileSync(join(out, 'grid.csv'), 'utf8'));
  });

  it('conserves requests: planned is the sum of the outcomes in every row', async () => {
    const out = await runSmall();
    const records = readRecords(out);
    for (const row of readCsv(join(out, 'trials.csv'))) {
      const id = `p${row.prefixes}-c${row.concurrency}-r${row.repeat}`;
      const own = records.filter((record) => record.trial === id);
      const perOutcome = OUTCOMES.map((outcome) => own.filter((record) => record.outcome === outcome).length);
      expect(Number(row.requests)).toBe(60);
      expect(perOutcome.reduce((sum, count) => sum + count, 0)).toBe(60);
      expect(Number(row.ok) + Number(row.failed)).toBe(60);
      expect(new Set(own.map((record) => record.seq)).size).toBe(60);
    }
    for (const row of readCsv(join(out, 'grid.csv'))) expect(Number(row.ok) + Number(row.failed)).toBe(180);
  });

  it('gives the same bytes twice', async () => {
    const [first, second] = [await runSmall(), await runSmall()];
    for (const name of ['requests.jsonl', 'trials.csv', 'grid.csv', 'tables.md']) {
      expect(readFileSync(join(first, name), 'utf8')).toBe(readFileSync(join(second, name), 'utf8'));
    }
  });

  it('takes a scenario file, flags winning, and prints JSON that agrees with the CSV', async () => {
    const out = join(temporaryFolder(), 'run');
    const args = ['grid', 'scenarios/quickstart.yaml', ...SMALL, '--repeats', '1', '--json', '--out', out];
    const { code, stdout } = await runCli(args);
    expect(code).toBe(0);
    const result = JSON.parse(stdout) as { cells: Record<string, unknown>[] };
    const rows = readCsv(join(out, 'grid.csv'));
    expect(result.cells.map((cell) => String(cell.request_hit_rate))).toEqual(
      rows.map((row) => row.request_hit_rate),
    );
    expect(readRun(out).scenario).toMatchObject({ prefixes: [2, 7], requests: 60, seed: '1' });
  });

  it('prints tables of at most 80 columns, without colour, on stdout', async () => {
    const out = join(temporaryFolder(), 'run');
    const { stdout } = await runCli(['grid', 'scenarios/quickstart.yaml', '--quiet', '--out', out], {
      FORCE_COLOR: '1',
    });
    const lines = stdout.split('\n').filter((line) => !line.startsWith('Run directory'));
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(stdout).not.toContain('\u001b');
    for (const family of [
      'Request hit rate, %',
      'Cached-token ratio',
      'TTFT mean / p50 / p99, ms',
      'Throughput, req/s',
      'Workers per prefix',
    ]) {
      expect(stdout).toContain(family);
    }
  });

  it('prints the plan of a dry run and writes nothing', async () => {
    const out = join(temporaryFolder(), 'run');
    const { code, stdout } = await runCli(['grid', ...SIM, ...SMALL, '--dry-run', '--out', out]);
    expect(code).toBe(0);
    expect(stdout).toContain('4 cells x 3 repeats x 60 requests = 720 requests');
    expect(() => readRun(out)).toThrow();
  });

  it('marks a p99 of too few requests', async () => {
    const out = join(temporaryFolder(), 'run');
    const { stdout } = await runCli(['grid', ...SIM, ...SMALL, '--out', out]);
    expect(stdout).toMatch(/TTFT mean \/ p50 \/ p99.*\n.*\n\s+2 +[\d.]+ \/ [\d.]+ \/ [\d.]+\*/);
    expect(stdout).toContain('* too few requests in a trial for this percentile');
  });
});
