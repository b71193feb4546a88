import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { diff, expectExact, type Measured, measure, metricsUrls, requestsByPort } from './routers/cluster.js';

describe('LiteLLM over workers that answer as vLLM', () => {
  let shuffle: Measured;
  let leastBusy: Measured;
  beforeAll(async () => {
    const env = { LITELLM_MASTER_KEY: `sk-${randomBytes(16).toString('hex')}` };
    const flags = (workers: readonly string[]) => [
      '--api-key-env',
      'LITELLM_MASTER_KEY',
      ...metricsUrls(workers),
    ];
    shuffle = await measure({ router: 'litellm', policy: 'simple-shuffle', env, flags });
    leastBusy = await measure({ router: 'litellm', policy: 'least-busy', env, flags });
  }, 200_000);

  it('is started by its URL and its key', () => {
    for (const { doctor, run } of [shuffle, leastBusy]) {
      expect(doctor.code).toBe(0);
      expect(run.variants[0]?.target).toMatchObject({ models: ['sim'], model: 'sim', dialect: 'vllm' });
    }
  });

  it('answers all, prompts exact; the engines count what the answers say', () => {
    expectExact(shuffle);
    expectExact(leastBusy);
  });

  it('names the worker of each answer, and each engine counted as many', () => {
    for (const measured of [shuffle, leastBusy]) {
      const named = new Set(measured.records.map(({ worker }) => worker));
      expect(named).toEqual(new Set(measured.workers.map((url) => `${url}/v1`)));
      const { answers, engines } = requestsByPort(measured);
      expect(answers).toEqual(engines);
    }
  });

  it('tells its own cost of each request', () => {
    expect(shuffle.records.every(({ server }) => (server?.overhead_ms ?? 0) > 0)).toBe(true);
  });

  it('has no cache-aware mode: diff finds no gain in hits', async () => {
    const { code, stdout } = await diff(shuffle, leastBusy);
    expect(code).toBe(0);
    expect(stdout).toMatch(/p12-c4 +[\d.]+→[\d.]+ ≈/);
  });
});
