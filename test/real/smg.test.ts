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

describe('SMG over workers that answer as vLLM', () => {
  let roundRobin: Measured;
  let cacheAware: Measured;
  beforeAll(async () => {
    roundRobin = await measure({ router: 'smg', policy: 'round_robin' });
    cacheAware = await measure({ router: 'smg', policy: 'cache_aware' });
  }, 120_000);

  it('is started by its URL alone', () => {
    for (const { doctor, run } of [roundRobin, cacheAware]) {
      expect(doctor.code).toBe(0);
      expect(run.variants[0]?.target).toMatchObject({ models: ['sim'], model: 'sim', dialect: 'vllm' });
    }
  });

  it('answers all, prompts exact; its engines count what the answers say', () => {
    expectExact(roundRobin);
    expectExact(cacheAware);
  });

  it('names the worker of each answer, and each engine counted as many', () => {
    for (const measured of [roundRobin, cacheAware]) {
      expect(new Set(measured.records.map(({ worker }) => worker))).toEqual(new Set(measured.workers));
      const { answers, engines } = requestsByPort(measured);
      expect(answers).toEqual(engines);
    }
    expect(Object.values(requestsByPort(roundRobin).answers)).toEqual([180, 180]);
  });

  it('holds no first tokens', () => {
    expect(roundRobin.row.findings).not.toContain('held-first-token');
  });

  it('keeps a prefix on one worker under cache_aware, hits more, and diff says so', async () => {
    expect([roundRobin.row.workers_per_prefix, cacheAware.row.workers_per_prefix]).toEqual(['2', '1']);
    expect(cachedTokens(cacheAware)).toBe(MOST_CACHED);
    expect(cachedTokens(roundRobin)).toBeLessThan(0.93 * MOST_CACHED);
    const { code, stdout } = await diff(roundRobin, cacheAware);
    expect(code).toBe(0);
    expect(stdout).toMatch(/p12-c4 .*→90\.0 ▲/);
  });
});
