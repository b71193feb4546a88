import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RequestRecord } from '../../src/core/answer/request-record.js';
import { readCsv, readRecords, readRun, runCli, temporaryFolder } from '../support/cli.js';
import { startDynamo } from './dynamo/cluster.js';

const DIR = process.env.KVBENCH_DYNAMO_DIR ?? '';
const GRID = ['--requests', '120', '--output-tokens', '16', '--quiet'];

/** What a mode's grid gave, and the ids that the frontend sent as they stood in its bytes. */
interface Measured {
  readonly records: readonly RequestRecord[];
  readonly rows: readonly Record<string, string>[];
  readonly code: number | null;
  readonly stdout: string;
}

let kv: Measured;
let roundRobin: Measured;
let again: { readonly first: number | null; readonly second: Measured };

/** Runs the grid of the published experiment in small: 2 and 12 prefixes, 8 in flight, three repeats. */
async function measure(url: string, variant: string, ...args: string[]): Promise<Measured> {
  const out = join(temporaryFolder(), variant);
  const { code, stdout } = await runCli([
    'grid',
    '--url',
    url,
    '--variant',
    variant,
    ...GRID,
    ...args,
    '--out',
    out,
  ]);
  expect(readRun(out).variants[0]?.target).toMatchObject({ dialect: 'dynamo', cached_tokens: 'reported' });
  return { records: readRecords(out), rows: readCsv(join(out, 'grid.csv')), code, stdout };
}

const cellOf = (measured: Measured, prefixes: string) => {
  const row = measured.rows.find((one) => one.prefixes === prefixes);
  return (column: string) => Number(row?.[column]);
};

beforeAll(async () => {
  if (!existsSync(join(DIR, 'stamp'))) {
    throw new Error('KVBENCH_DYNAMO_DIR must name a folder made by test/real/dynamo/setup.sh');
  }
});

describe("NVIDIA Dynamo's own router, six workers that hold four requests each", () => {
  it('is measured in KV mode, then in round-robin mode', { timeout: 600_000 }, async () => {
    const grid = ['--prefixes', '2,12', '--concurrency', '8', '--repeats', '3'];
    const twice = ['--prefixes', '2', '--concurrency', '4', '--repeats', '1', '--seed', 'twice'];
    const kvRouter = await startDynamo({ dir: DIR, mode: 'kv' });
    try {
      kv = await measure(kvRouter.url, 'kv', ...grid);
      const first = await measure(kvRouter.url, 'first', ...twice);
      again = { first: first.code, second: await measure(kvRouter.url, 'second', ...twice) };
    } finally {
      await kvRouter.stop();
    }
    const roundRobinRouter = await startDynamo({ dir: DIR, mode: 'round-robin' });
    try {
      roundRobin = await measure(roundRobinRouter.url, 'round-robin', ...grid);
    } finally {
      await roundRobinRouter.stop();
    }
    process.stdout.write(`${kv.stdout}\n${roundRobin.stdout}\n`);
    expect([kv.code, roundRobin.code]).toEqual([0, 0]);
  });

  it('fails no request', () => {
    for (const { records } of [kv, roundRobin]) {
      expect(records).toHaveLength(720);
      expect(records.filter((record) => record.outcome !== 'ok')).toEqual([]);
    }
  });

  it('counts the prompts as the plan does: 2,300 tokens and 8 of the chat template, every time', () => {
    for (const { records } of [kv, roundRobin]) {
      expect(new Set(records.map((record) => record.prompt_tokens))).toEqual(new Set([2308]));
    }
  });

  it('shows six workers under round-robin, with ids as exact text', () => {
    const ids = new Set(roundRobin.records.map((record) => record.worker ?? ''));
    expect(ids.size).toBe(6);
    for (const id of ids) expect(BigInt(id).toString()).toBe(id);
    expect([...ids].some((id) => BigInt(id) > BigInt(Number.MAX_SAFE_INTEGER))).toBe(true);
  });

  it('hits at least 1.4 times as often under KV routing with 12 prefixes, on fewer workers', () => {
    expect(cellOf(kv, '12')('request_hit_rate')).toBeGreaterThanOrEqual(
      1.4 * cellOf(roundRobin, '12')('request_hit_rate'),
    );
    for (const prefixes of ['2', '12']) {
      expect(cellOf(kv, prefixes)('workers_per_prefix')).toBeLessThan(
        cellOf(roundRobin, prefixes)('workers_per_prefix'),
      );
    }
  });

  it("tells the server's own times, and that its prediction of the hit is near the truth", () => {
    const predicted = kv.records.map((record) => record.server?.kv_hit_rate ?? Number.NaN);
    const actual = kv.records.map((record) => (record.cached_tokens ?? 0) / (record.prompt_tokens ?? 1));
    const near = predicted.filter((rate, i) => Math.abs(rate - (actual[i] ?? 0)) < 0.01);
    expect(near.length / predicted.length).toBeGreaterThan(0.9);
    expect(kv.records.every((record) => (record.server?.ttft_ms ?? 0) > 0)).toBe(true);
  });

  it('finds a trial that is run twice contaminated, the second time', () => {
    expect(again.first).toBe(0);
    expect(again.second.code).toBe(1);
    expect(again.second.rows[0]?.findings).toContain('contaminated');
  });
});
