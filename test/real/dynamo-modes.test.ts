import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, readCsv, readRecords, runCli, temporaryFolder } from '../support/cli.js';
import { findFreePort } from './free-port.js';
import { start } from './start.js';

const DIR = process.env.KVBENCH_DYNAMO_DIR ?? '';
const GRID = [
  ...['--prefixes', '4', '--concurrency', '4', '--requests', '60', '--repeats', '2'],
  ...['--output-tokens', '8', '--quiet'],
];

/** A grid over Dynamo in a mode of serve.sh. */
async function measure(mode: string) {
  const port = await findFreePort();
  const serve = join(ROOT, 'test/real/dynamo/serve.sh');
  const env = { WORKERS: '2', DECODE_WORKERS: '2' };
  const dynamo = await start('bash', [serve, DIR, mode, String(port)], / is ready after /, env);
  try {
    const url = `http://127.0.0.1:${port}`;
    const doctor = await runCli(['doctor', '--url', url]);
    const out = join(temporaryFolder(), mode);
    const { code, stdout } = await runCli(['grid', '--url', url, '--variant', mode, ...GRID, '--out', out]);
    process.stdout.write(`${doctor.stdout}\n${stdout}\n`);
    const [row = {}] = readCsv(join(out, 'grid.csv'));
    return { records: readRecords(out), row, code, doctor };
  } finally {
    await dynamo.stop();
  }
}

describe('NVIDIA Dynamo in its other modes', () => {
  it('that guesses the caches from its own decisions: hits, and a worker for each prefix', {
    timeout: 120_000,
  }, async () => {
    const { records, row, code, doctor } = await measure('kv-approx');
    expect([code, doctor.code]).toEqual([0, 0]);
    expect(records.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
    expect(new Set(records.map(({ prompt_tokens }) => prompt_tokens))).toEqual(new Set([2308]));
    expect(Number(row.request_hit_rate)).toBeGreaterThan(0.7);
    expect(new Set(records.map(({ worker }) => worker)).size).toBe(2);
    expect(records.every(({ prefill_worker, decode_worker }) => prefill_worker === decode_worker)).toBe(true);
  });

  it('that prefills and decodes apart: answers say 0 cached tokens, the router knows better', {
    timeout: 120_000,
  }, async () => {
    const { records, code, row, doctor } = await measure('disaggregated');
    expect([code, doctor.code]).toEqual([0, 0]);
    expect(records.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
    expect(new Set(records.map(({ prompt_tokens }) => prompt_tokens))).toEqual(new Set([2308]));
    const ids = (key: 'prefill_worker' | 'decode_worker') => new Set(records.map((record) => record[key]));
    expect([ids('prefill_worker').size, ids('decode_worker').size]).toEqual([2, 2]);
    for (const id of ids('prefill_worker')) expect(ids('decode_worker').has(id)).toBe(false);
    expect(records.every(({ worker, prefill_worker }) => worker === prefill_worker)).toBe(true);
    expect(new Set(records.map(({ cached_tokens }) => cached_tokens))).toEqual(new Set([0]));
    const predicted = records.filter(({ server }) => (server?.kv_hit_rate ?? 0) > 0.8);
    expect(predicted.length).toBeGreaterThan(80);
    expect([row.findings, row.request_hit_rate]).toEqual(['cached-tokens-from-decode', '']);
    expect(Number(row.ttft_p50_ms)).toBeGreaterThan(0);
  });
});
