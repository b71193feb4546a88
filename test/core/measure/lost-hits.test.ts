import { describe, expect, it } from 'vitest';
import type { RequestRecord } from '../../../src/core/answer/request-record.js';
import { createRng } from '../../../src/core/base/rng.js';
import {
  addLostTokens,
  LOSS_CAUSES,
  type LossCause,
  NOTHING_LOST,
  splitLostTokens,
} from '../../../src/core/measure/lost-hits.js';
import { RULES, recordOf } from '../../support/records.js';

/** Causes of the trial that are not 0. */
function causes(records: readonly RequestRecord[], rules = RULES): Partial<Record<LossCause, number>> {
  const lost = splitLostTokens(records, rules);
  return Object.fromEntries(
    LOSS_CAUSES.filter((cause) => lost[cause] > 0).map((cause) => [cause, lost[cause]]),
  );
}

/** The first request of prefix 0 on worker a: sent at 0, first token at 100 ms, a miss. */
const FIRST = recordOf();

describe('attributeLostTokens', () => {
  it('calls the first-sent miss of a prefix a first touch, even when it is later in the plan', () => {
    const hit = recordOf({ seq: 0, sent_ms: 500, cached_tokens: 2000 });
    expect(causes([hit, recordOf({ seq: 1, sent_ms: 0 })])).toEqual({ firstTouch: 2000 });
  });

  it('calls a miss an eviction when its worker had answered that prefix before it was sent', () => {
    expect(causes([FIRST, recordOf({ seq: 1, sent_ms: 100 })])).toEqual({ firstTouch: 2000, eviction: 2000 });
  });

  it('counts only the part that an eviction took', () => {
    const partly = recordOf({ seq: 1, sent_ms: 200, cached_tokens: 1504 });
    expect(causes([FIRST, partly])).toEqual({ firstTouch: 2000, eviction: 496 });
  });

  it('calls a miss in flight while no earlier request of the prefix has its first token, on whatever worker', () => {
    expect(causes([FIRST, recordOf({ seq: 1, sent_ms: 99.999 })])).toEqual({
      firstTouch: 2000,
      inFlight: 2000,
    });
    expect(causes([FIRST, recordOf({ seq: 1, sent_ms: 99.999, worker: 'b' })])).toEqual({
      firstTouch: 2000,
      inFlight: 2000,
    });
  });

  it('calls a miss in flight when its own worker is still at it, though another has it already', () => {
    const other = recordOf({ seq: 1, sent_ms: 150, ttft_ms: 100, worker: 'b' });
    const third = recordOf({ seq: 2, sent_ms: 200, worker: 'b' });
    expect(causes([FIRST, other, third])).toEqual({ firstTouch: 2000, placement: 2000, inFlight: 2000 });
  });

  it('calls a miss placement when only other workers had the prefix', () => {
    expect(causes([FIRST, recordOf({ seq: 1, sent_ms: 100, worker: 'b' })])).toEqual({
      firstTouch: 2000,
      placement: 2000,
    });
  });

  it('keeps prefixes apart', () => {
    expect(causes([FIRST, recordOf({ seq: 1, prefix: 1, sent_ms: 200 })])).toEqual({ firstTouch: 4000 });
  });

  it('cannot tell the last three apart without worker ids', () => {
    const records = [
      recordOf({ worker: null }),
      recordOf({ seq: 1, sent_ms: 50, worker: null }),
      recordOf({ seq: 2, sent_ms: 200, worker: null }),
    ];
    expect(causes(records)).toEqual({ firstTouch: 2000, notFirstTouch: 4000 });
  });

  it('does not blame the router when an earlier request of the prefix hides its worker', () => {
    const hidden = recordOf({ worker: null });
    expect(causes([hidden, recordOf({ seq: 1, sent_ms: 200, worker: 'b' })])).toEqual({
      firstTouch: 2000,
      notFirstTouch: 2000,
    });
  });

  it('takes a request that broke before its first token as never there, and one that broke later as there', () => {
    const broken = recordOf({ outcome: 'http_error', ttft_ms: null, e2e_ms: null, cached_tokens: null });
    expect(causes([broken, recordOf({ seq: 1, sent_ms: 200 })])).toEqual({ firstTouch: 2000 });
    const cut = recordOf({ outcome: 'stream_error', cached_tokens: null });
    expect(causes([cut, recordOf({ seq: 1, sent_ms: 200 })])).toEqual({ eviction: 2000 });
  });

  it('has no first touch in a primed trial', () => {
    const primer = recordOf({ phase: 'prime', sent_ms: 7000, worker: 'b' });
    const records = [recordOf({ sent_ms: 10 }), primer, recordOf({ seq: 1, sent_ms: 20, worker: 'b' })];
    expect(causes(records, { ...RULES, start: 'primed' })).toEqual({ placement: 2000, eviction: 2000 });
  });

  it('leaves out requests whose cached tokens are not known, unless the target omits zeros', () => {
    const records = [FIRST, recordOf({ seq: 1, sent_ms: 200, cached_tokens: null })];
    expect(splitLostTokens(records, RULES)).toMatchObject({ requests: 1, unknown: 1, missing: 2000 });
    expect(splitLostTokens(records, { ...RULES, absentCachedIsZero: true })).toMatchObject({
      requests: 2,
      unknown: 0,
      missing: 4000,
    });
  });

  it('counts whole blocks of template and prefix, and only what a shared template leaves to lose', () => {
    const first = recordOf({ prompt_tokens: 2340, cached_tokens: 32 });
    const lost = splitLostTokens([first], RULES);
    expect(lost).toMatchObject({ expected: 2032, cached: 32, missing: 2000, firstTouch: 2000 });
  });

  it('reports cached tokens beyond the prefix as excess, not as a negative loss', () => {
    const warm = recordOf({ cached_tokens: 2288 });
    expect(splitLostTokens([warm], RULES)).toMatchObject({ missing: 0, excess: 288, cached: 2288 });
  });

  it('adds up exactly on any records', () => {
    for (let round = 0; round < 300; round++) {
      const records = randomRecords(`attribution/${round}`);
      const lost = splitLostTokens(records, RULES);
      expect(LOSS_CAUSES.reduce((sum, cause) => sum + lost[cause], 0)).toBe(lost.missing);
      expect(lost.cached - lost.excess + lost.missing).toBe(lost.expected);
      const ok = records.filter((record) => record.phase === 'measure' && record.outcome === 'ok');
      expect(lost.requests + lost.unknown).toBe(ok.length);
    }
  });

  it('gives the same split whatever the order of the records', () => {
    const records = randomRecords('attribution/order');
    expect(splitLostTokens([...records].reverse(), RULES)).toEqual(splitLostTokens(records, RULES));
  });
});

describe('addLostTokens', () => {
  it('adds every count, and gives nothing of no trial', () => {
    const one = splitLostTokens([FIRST], RULES);
    expect(addLostTokens([one, one])).toMatchObject({ requests: 2, missing: 4000, firstTouch: 4000 });
    expect(addLostTokens([])).toEqual(NOTHING_LOST);
  });
});

function randomRecords(seed: string): RequestRecord[] {
  const rng = createRng(seed);
  const pick = <T>(...items: readonly T[]): T => items[rng.int(items.length)] as T;
  return Array.from({ length: 40 }, (_, seq) => {
    const ok = rng.next() < 0.9;
    return recordOf({
      seq,
      prefix: rng.int(4),
      phase: rng.next() < 0.05 ? 'prime' : 'measure',
      sent_ms: rng.int(500) / 8,
      ttft_ms: ok || rng.next() < 0.5 ? rng.int(400) / 8 : null,
      outcome: ok ? 'ok' : pick('stream_error', 'timeout', 'http_error'),
      worker: pick('a', 'b', 'c', null),
      cached_tokens: pick(0, 0, 16 * rng.int(126), 2000, null),
      prompt_tokens: pick(2300, 2308, null),
    });
  });
}
