import { beforeAll, describe, expect, it } from 'vitest';
import {
  cachedTokens,
  diff,
  expectExact,
  type Measured,
  MOST_CACHED,
  measure,
  requestsByPort,
} from './routers/cluster.js';

describe('sglang-router over workers that answer as vLLM', () => {
  let roundRobin: Measured;
  let cacheAware: Measured;
  beforeAll(async () => {
    roundRobin = await measure({ router: 'sglang-router', policy: 'round_robin' });
    cacheAware = await measure({ router: 'sglang-router', policy: 'cache_aware' });
  }, 120_000);

  it('is started by its URL alone, though it lists a model that is none', () => {
    for (const { doctor, run } of [roundRobin, cacheAware]) {
      expect(doctor.code).toBe(0);
      expect(run.variants[0]?.target).toMatchObject({ models: ['unknown'], model: 'sim', dialect: 'vllm' });
    }
  });

  it('answers all, prompts exact; its engines count what the answers say', () => {
    expectExact(roundRobin);
    expectExact(cacheAware);
  });

  it('names no worker, and the pages of those it lists tell how it dealt', () => {
    expect(roundRobin.records.every(({ worker }) => worker === null)).toBe(true);
    expect(roundRobin.run.variants[0]?.target.metrics?.map(({ from }) => from)).toEqual([
      '/workers',
      '/workers',
    ]);
    expect(Object.values(requestsByPort(roundRobin).engines)).toEqual([180, 180]);
  });

  it('holds first tokens, and kvbench says so', () => {
    expect(roundRobin.row.findings).toContain('held-first-token');
  });

  it('hits more under cache_aware, and diff says so', async () => {
    expect(cachedTokens(cacheAware)).toBe(MOST_CACHED);
    expect(cachedTokens(roundRobin)).toBeLessThan(0.93 * MOST_CACHED);
    const { code, stdout } = await diff(roundRobin, cacheAware);
    expect(code).toBe(0);
    expect(stdout).toMatch(/p12-c4 .*→90\.0 ▲/);
  });
});
