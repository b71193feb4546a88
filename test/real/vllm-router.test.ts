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

describe('vllm-router over workers that answer as vLLM', () => {
  let roundRobin: Measured;
  let cacheAware: Measured;
  /** `cache_aware` over vLLM without `--enable-scale-out`. */
  let inNameOnly: Measured;
  beforeAll(async () => {
    roundRobin = await measure({ router: 'vllm-router', policy: 'round_robin' });
    cacheAware = await measure({ router: 'vllm-router', policy: 'cache_aware', engine: 'vllm-scale-out' });
    inNameOnly = await measure({ router: 'vllm-router', policy: 'cache_aware' });
  }, 150_000);

  it('is started by its URL alone', () => {
    for (const { doctor, run } of [roundRobin, cacheAware, inNameOnly]) {
      expect(doctor.code).toBe(0);
      expect(run.variants[0]?.target).toMatchObject({ models: ['sim'], model: 'sim', dialect: 'vllm' });
    }
  });

  it('answers all, prompts exact; its engines count what the answers say', () => {
    expectExact(roundRobin);
    expectExact(cacheAware);
    expectExact(inNameOnly);
  });

  it('names no worker; the pages of those it lists are read, not the one worker that answers at its own /metrics', () => {
    expect(roundRobin.records.every(({ worker }) => worker === null)).toBe(true);
    expect(roundRobin.run.variants[0]?.target.metrics?.map(({ from }) => from)).toEqual([
      '/workers',
      '/workers',
    ]);
    const counts = Object.values(requestsByPort(roundRobin).engines);
    expect(counts[0]).toBeGreaterThan(120);
    expect(counts).toHaveLength(2);
  });

  it('holds no first tokens', () => {
    expect(roundRobin.row.findings).not.toContain('held-first-token');
  });

  it('hits more under cache_aware where vLLM renders prompts, and diff says so', async () => {
    expect(cacheAware.page).toMatch(/prefix_routing_decisions_total\{[^}]*outcome="prefix_hit"\} [1-9]/);
    expect(cachedTokens(cacheAware)).toBe(MOST_CACHED);
    expect(cachedTokens(roundRobin)).toBeLessThan(0.93 * MOST_CACHED);
    const { code, stdout } = await diff(roundRobin, cacheAware);
    expect(code).toBe(0);
    expect(stdout).toMatch(/p12-c4 .*→90\.0 ▲/);
  });

  it('is cache_aware in name only where vLLM does not, as its own page tells', async () => {
    expect(inNameOnly.page).toMatch(/prefix_routing_decisions_total\{[^}]*outcome="missing_tokens"\} [1-9]/);
    expect(inNameOnly.page).not.toContain('outcome="prefix_hit"');
    expect(cachedTokens(inNameOnly)).toBeLessThan(0.93 * MOST_CACHED);
    await diff(roundRobin, inNameOnly);
  });
});
