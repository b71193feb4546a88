import { describe, expect, it } from 'vitest';
import type { RequestRecord } from '../../../src/core/answer/request-record.js';
import { createRng } from '../../../src/core/base/rng.js';
import { compareVariants } from '../../../src/core/compare/compare.js';
import { buildComparedVariants } from '../../../src/core/compare/compared-variant.js';
import type { Explanation } from '../../../src/core/compare/reasons.js';
import type { PartialScenario } from '../../../src/core/scenario/settings.js';
import { inEnglish } from '../../support/english.js';
import { type Planned, runOf } from '../../support/runs.js';

type Make = (planned: Planned) => Partial<RequestRecord>;

/** Why there is no difference, with what was seen in English. */
function reasons(
  baseline: Make,
  candidate: Make,
  given: PartialScenario = { prefixes: [4] },
): (Explanation & { readonly seen: string })[] {
  const sides = buildComparedVariants([runOf('rr', given, baseline), runOf('kv', given, candidate)]);
  const found = compareVariants(sides, { workerCapacity: null }).candidates[0]?.explanations ?? [];
  return found.map((reason) => ({ ...reason, seen: inEnglish(reason.evidence) }));
}

function codes(baseline: Make, candidate: Make = baseline, given?: PartialScenario): string[] {
  return reasons(baseline, candidate, given).map((reason) => reason.code);
}

const WORKERS = ['a', 'b', 'c', 'd'];
/** Requests go round four workers. */
const round: Make = ({ seq }) => ({ worker: WORKERS[seq % 4] ?? null });

describe('explain', () => {
  it('names cached tokens that nobody reports', () => {
    const [reason] = reasons(round, () => ({ cached_tokens: null }));
    expect(reason).toMatchObject({
      code: 'cached-tokens-not-reported',
      where: ['p4-c4'],
      seen: 'kv: 0 of 300 answers carry cached_tokens',
    });
  });

  it('tells a decode worker that reports 0 from a cache that misses', () => {
    const times = {
      prefill_wait_ms: null,
      prefill_ms: null,
      ttft_ms: null,
      total_ms: null,
      kv_transfer_ms: null,
      kv_hit_rate: 0.97,
      queue_depth: null,
    };
    const [reason] = reasons(round, () => ({ cached_tokens: 0, server: times }));
    expect(reason).toMatchObject({
      code: 'cached-tokens-from-decode',
      seen: "kv: cached_tokens is 0 in all 100 answers, the router's kv_hit_rate is 0.97",
    });
    expect(codes(round, () => ({ cached_tokens: 0, prefill_worker: 'p', decode_worker: 'd' }))).toEqual([
      'cached-tokens-from-decode',
    ]);
    expect(codes(round, () => ({ cached_tokens: 0 }))).toEqual(['everything-missed']);
  });

  it('names a prefix shorter than a cache block', () => {
    const short = { prefixes: [4], prefixTokens: 100, blockSize: 128 };
    const make: Make = () => ({ cached_tokens: 0, prompt_tokens: 400 });
    expect(reasons(make, make, short)[0]).toMatchObject({
      code: 'prefix-below-block',
      seen: 'kv: a prefix of 100 tokens, blocks of 128',
    });
  });

  it('names fewer than two workers, and workers that are not named', () => {
    expect(codes(() => ({ worker: 'a' }))).toContain('one-worker');
    expect(codes(() => ({ worker: null }))).toContain('workers-not-reported');
  });

  it('says when the baseline has nothing left to win', () => {
    expect(codes(round)).toEqual(['deals-in-turn', 'at-the-ceiling']);
  });

  it('says when every worker holds every prefix', () => {
    const placed = (seed: string): Make => {
      const seen = new Set<string>();
      return ({ cell, repeat, seq, prefix }) => {
        const worker = WORKERS[createRng(`${seed}/${repeat}/${seq}`).int(4)] ?? 'a';
        const key = `${cell.id} ${repeat} ${prefix} ${worker}`;
        const held = seen.has(key);
        seen.add(key);
        return { worker, cached_tokens: held ? 2000 : 0 };
      };
    };
    const found = reasons(placed('x'), placed('y'), { prefixes: [8] });
    expect(found.map((reason) => reason.code)).toContain('fits-in-one-worker');
    const fits = found.find(({ code }) => code === 'fits-in-one-worker');
    expect(fits?.seen).toMatch(/^rr evicted nothing though each prefix was on [34]\.\d of 4 workers$/);
  });

  it('sees a rotation in step with the prefixes', () => {
    // Prefixes come in turn, workers too: each prefix stays where it is.
    const inStep: Make = ({ seq }) => ({
      worker: WORKERS[seq % 4] ?? null,
      prefix: seq % 4,
      cached_tokens: seq < 4 ? 0 : 2000,
    });
    const found = reasons(inStep, inStep).find((reason) => reason.code === 'round-robin-in-phase');
    expect(found?.seen).toBe('rr goes round robin, yet a prefix meets 1.0 of 4 workers (4.0 by chance)');
    expect(codes(round)).not.toContain('round-robin-in-phase');
  });

  it('names caches that are too small for anyone', () => {
    const evicted: Make = ({ seq, again }) => ({
      worker: WORKERS[seq % 4] ?? null,
      cached_tokens: again && seq % 2 === 0 ? 2000 : 0,
    });
    expect(codes(evicted, evicted, { prefixes: [4] })).toContain('capacity-short');
  });

  it('names a worker that gets the most of the load', () => {
    const even: Make = ({ seq, again }) => ({
      worker: WORKERS[seq % 4] ?? null,
      cached_tokens: again && seq % 3 > 0 ? 2000 : 0,
    });
    const hot: Make = (planned) => ({
      ...even(planned),
      worker: planned.seq % 10 < 7 ? 'a' : (WORKERS[planned.seq % 4] ?? null),
    });
    const found = reasons(even, hot).find((reason) => reason.code === 'hot-worker');
    expect(found?.seen).toMatch(/^kv: a served 7\d\.\d % of the requests, an even share is 25\.0 %$/);
  });

  it('tells a gain that queues eat from one that was never there', () => {
    const luck = ({ repeat, seq }: Planned) => createRng(`${repeat}/${seq}`).next();
    const misses: Make = (planned) => ({
      worker: 'a',
      cached_tokens: planned.again && luck(planned) < 0.3 ? 2000 : 0,
      ttft_ms: 100 + planned.seq,
      e2e_ms: 400,
    });
    const queued: Make = (planned) => ({
      worker: 'b',
      cached_tokens: planned.again && luck(planned) < 0.9 ? 2000 : 0,
      ttft_ms: planned.seq < 12 ? 20 : 100 + planned.seq,
      e2e_ms: 400,
    });
    expect(codes(misses, queued)).toEqual(['queueing-hides-gain']);
    const flat: Make = (planned) => ({ ...misses(planned), ttft_ms: 100 + planned.seq / 10 });
    expect(codes(flat, (planned) => ({ ...flat(planned), cached_tokens: planned.again ? 2000 : 0 }))).toEqual(
      ['hit-saves-little'],
    );
  });

  it('says when the median request hits in both, or misses in both', () => {
    const luck = ({ repeat, seq }: Planned) => createRng(`${repeat}/${seq}`).next();
    const hitting =
      (share: number): Make =>
      (planned) => {
        const hit = planned.again && luck(planned) < share;
        return { cached_tokens: hit ? 2000 : 0, ttft_ms: (hit ? 30 : 100) + luck(planned), worker: 'a' };
      };
    expect(reasons(hitting(0.1), hitting(0.4))).toMatchObject([
      {
        code: 'median-misses-in-both',
        seen: 'rr hits with 10.0 % of the requests, kv with 41.0 %',
      },
    ]);
    expect(codes(hitting(0.55), hitting(1))).toEqual(['median-hits-in-both']);
    expect(codes(hitting(0.1), hitting(0.95))).toEqual([]);
  });

  it('says when a gain was paid for by fewer workers', () => {
    const luck = ({ repeat, seq }: Planned) => createRng(`${repeat}/${seq}`).next();
    const spread: Make = (planned) => ({
      worker: WORKERS[planned.seq % 4] ?? null,
      cached_tokens: planned.again && luck(planned) < 0.3 ? 2000 : 0,
      ttft_ms: 100 + luck(planned),
      tpot_ms: 10 + luck(planned),
    });
    const packed: Make = (planned) => ({
      worker:
        planned.seq % 20 === 0 ? 'c' : planned.seq % 40 === 1 ? 'd' : (WORKERS[planned.seq % 2] ?? null),
      cached_tokens: planned.again ? 2000 : 0,
      ttft_ms: planned.again ? 30 : 100,
      tpot_ms: 15 + luck(planned),
    });
    const [reason] = reasons(spread, packed);
    expect(reason?.code).toBe('load-concentrated');
    expect(reason?.seen).toMatch(
      /^kv: TPOT p50 \+4\d\.\d %; its busiest worker served (4|5)\d\.\d % of the requests \(an even share is 25\.0 %\), the load varies by 0\.\d\d \(rr 0\.00\)$/,
    );
    expect(codes(spread, (planned) => ({ ...packed(planned), tpot_ms: 10 + luck(planned) }))).toEqual([]);
  });

  it('needs no reason where the candidate is better in both', () => {
    const luck = ({ repeat, seq }: Planned) => createRng(`${repeat}/${seq}`).next();
    const slow: Make = (planned) => ({
      cached_tokens: planned.again && luck(planned) < 0.3 ? 2000 : 0,
      ttft_ms: 100 + 10 * luck(planned),
    });
    expect(
      codes(slow, ({ again }) => ({ cached_tokens: again ? 2000 : 0, ttft_ms: again ? 30 : 100 })),
    ).toEqual([]);
  });
});
