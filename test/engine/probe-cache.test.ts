import { describe, expect, it } from 'vitest';
import { resolveScenario } from '../../src/core/scenario/resolve-scenario.js';
import type { Prompt } from '../../src/core/workload/prompts.js';
import { probeCache } from '../../src/engine/probe-cache.js';
import { createFakeTransport, NEVER, testClock } from '../support/fake-transport.js';

interface Cluster {
  readonly block: number;
  /** Requests go to them in turn. */
  readonly workers?: number;
  readonly names?: boolean;
  /** Tokens of the template that every prompt begins with. */
  readonly template?: number;
  readonly omitsZeros?: boolean;
}

/** Probes workers with unlimited caches by blocks; null for a cache that is off. */
async function probe({ block, workers = 1, names = false, template = 0, omitsZeros = false }: Cluster) {
  const clock = testClock();
  const caches = Array.from({ length: workers }, () => new Set<string>());
  let turn = 0;
  const answer = (prompt: Prompt) => {
    const worker = turn++ % workers;
    const cache = caches[worker] as Set<string>;
    const text = [...prompt.shared, prompt.tail]
      .map((part) => new TextDecoder().decode(part.bytes()))
      .join('');
    const words = [...Array.from({ length: template }, () => '<t>'), ...text.split(' ')];
    let cached = 0;
    for (let end = block; end <= words.length; end += block) {
      const key = words.slice(0, end).join(' ');
      if (cache.has(key) && cached === end - block) cached = end;
      cache.add(key);
    }
    const cachedTokens = omitsZeros && cached === 0 ? null : Math.min(cached, words.length - 1);
    const name = names ? `w${worker}` : null;
    return { ms: 1, answer: { cachedTokens, prefillWorker: name, decodeWorker: name } };
  };
  const target = { fields: {}, cached_tokens: omitsZeros ? ('omits-zero' as const) : ('reported' as const) };
  const connect = () => createFakeTransport(clock, ({ prompt }) => answer(prompt));
  const scenario = resolveScenario({ url: 'http://h' }, () => 'kv');
  return probeCache(target, scenario, { clock, stop: NEVER, connect }, 'salt', true);
}

describe('probeCache', () => {
  it.each([
    [{ block: 1 }, 1],
    [{ block: 1, template: 7 }, 1],
    [{ block: 16 }, 16],
    [{ block: 16, template: 40 }, 16],
    [{ block: 128, template: 3 }, 128],
    [{ block: 128, omitsZeros: true }, 128],
    [{ block: 64, workers: 4, names: true }, 64],
    [{ block: 256 }, 256],
  ])('finds the block size of %o', async (cluster, expected) => {
    expect((await probe(cluster))?.block_size).toBe(expected);
  });

  it('says that nothing hit: a block longer than the prompt, or none', async () => {
    const none = { prompt_tokens: 640, sends: 16, cached_tokens: 0, block_size: null };
    expect(await probe({ block: 2096 })).toEqual({ ...none, repeated_worker: null });
    expect(await probe({ block: 2096, workers: 3, names: true })).toEqual({ ...none, repeated_worker: 'w0' });
  });

  it('repeats often enough to meet the first of 15 workers again', async () => {
    expect(await probe({ block: 16, workers: 15 })).toMatchObject({ sends: 16, cached_tokens: 639 });
  });

  it('has nothing to say where cached tokens are not reported', async () => {
    const deps = { clock: testClock(), stop: NEVER, connect: () => expect.unreachable() };
    const scenario = resolveScenario({ url: 'http://h' }, () => 'kv');
    const target = { fields: {}, cached_tokens: 'not-reported' as const };
    expect(await probeCache(target, scenario, deps, 'salt', true)).toBeNull();
  });
});
