import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../support/cli.js';
import { findFreePort } from '../free-port.js';
import {
  cachedTokens,
  diff,
  expectExact,
  type Measured,
  measure,
  metricsUrls,
  type Setup,
} from '../routers/cluster.js';
import { type Started, start } from '../start.js';

const DIR = process.env.KVBENCH_VLLM_DIR ?? '';
const MODEL = 'tiny-qwen3';
/** 2,300 words and the 8 tokens of the chat template. */
const PROMPT_TOKENS = 2308;
const MINUTES = 60_000;

let vllm: Started;
let urls: readonly string[];
beforeAll(async () => {
  if (!existsSync(join(DIR, 'stamp'))) {
    throw new Error('KVBENCH_VLLM_DIR must name a folder made by test/real/vllm/setup.sh');
  }
  const ports = [await findFreePort(), await findFreePort()].map(String);
  urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const serve = join(ROOT, 'test/real/vllm/serve.sh');
  vllm = await start('bash', [serve, DIR, ...ports, '--', '--enable-scale-out'], /vLLM is ready after /);
}, 11 * MINUTES);
afterAll(() => vllm?.stop());

/** Both modes of a router, one after the other; the prompts of a mode are new to the engines' caches. */
async function both(router: Setup['router'], policies: readonly [string, string], more: Partial<Setup> = {}) {
  const runs: Measured[] = [];
  for (const policy of policies) {
    const flags = (workers: readonly string[]) => [...(more.flags?.(workers) ?? []), '--salt', 'random'];
    const run = await measure({ ...more, router, policy, over: { urls, model: MODEL }, flags });
    expect(run.run.variants[0]?.target.model).toBe(MODEL);
    expectExact(run, PROMPT_TOKENS);
    runs.push(run);
  }
  const [one, other] = runs as [Measured, Measured];
  return { one, other, text: (await diff(one, other)).stdout };
}

describe('routers over two vLLM servers on the CPU: their counters are the answers, to the token', () => {
  it.each(['sglang-router', 'smg', 'vllm-router'] as const)(
    '%s hits more under cache_aware',
    async (router) => {
      const { one, other, text } = await both(router, ['round_robin', 'cache_aware']);
      expect(cachedTokens(other)).toBeGreaterThan(cachedTokens(one));
      expect(text).toMatch(/p12-c4 .*→[\d.]+ ▲/);
    },
    5 * MINUTES,
  );

  it(
    'LiteLLM',
    async () => {
      const env = { LITELLM_MASTER_KEY: `sk-${randomBytes(16).toString('hex')}` };
      const flags = (workers: readonly string[]) => [
        '--api-key-env',
        'LITELLM_MASTER_KEY',
        ...metricsUrls(workers),
      ];
      await both('litellm', ['simple-shuffle', 'least-busy'], { env, flags });
    },
    5 * MINUTES,
  );

  it(
    'nginx',
    async () => {
      await both('nginx', ['round_robin', 'least_conn'], { flags: metricsUrls });
    },
    5 * MINUTES,
  );
});
