import { beforeAll, describe, expect, it } from 'vitest';
import { diff, expectExact, type Measured, measure, metricsUrls, requestsByPort } from './routers/cluster.js';

describe('nginx as a plain Service over workers that answer as vLLM', () => {
  let roundRobin: Measured;
  let leastConn: Measured;
  beforeAll(async () => {
    roundRobin = await measure({ router: 'nginx', policy: 'round_robin', flags: metricsUrls });
    const env = { WORKER_HEADER: 'x-worker-id' };
    leastConn = await measure({ router: 'nginx', policy: 'least_conn', env, flags: metricsUrls });
  }, 120_000);

  it('is started by its URL alone', () => {
    for (const { doctor, run } of [roundRobin, leastConn]) {
      expect(doctor.code).toBe(0);
      expect(run.variants[0]?.target).toMatchObject({ models: ['sim'], model: 'sim', dialect: 'vllm' });
    }
  });

  it('answers all, prompts exact; the engines count what the answers say', () => {
    expectExact(roundRobin);
    expectExact(leastConn);
  });

  it('names no worker unless told to add a header, which then tells what the engines count', () => {
    expect(roundRobin.records.every(({ worker }) => worker === null)).toBe(true);
    expect(Object.values(requestsByPort(roundRobin).engines)).toEqual([180, 180]);
    const { answers, engines } = requestsByPort(leastConn);
    expect(answers).toEqual(engines);
  });

  it('holds no first tokens', () => {
    expect(roundRobin.row.findings).not.toContain('held-first-token');
  });

  it('hits no more with another way to balance', async () => {
    const { code, stdout } = await diff(roundRobin, leastConn);
    expect(code).toBe(0);
    expect(stdout).toMatch(/p12-c4 +[\d.]+→[\d.]+ ≈/);
  });
});
