import { describe, expect, it } from 'vitest';
import {
  type AnswerReads,
  createTokenReadCount,
  findGathered,
} from '../../../src/core/measure/token-reads.js';

const FAST = { loop_delay_p90_ms: 0.4 };

/** What is found in ten answers that all came so. */
function foundIn(answer: AnswerReads, client: { readonly loop_delay_p90_ms: number } | null = FAST) {
  const count = createTokenReadCount();
  for (let i = 0; i < 10; i++) count.add(answer);
  const counts = count.counts();
  return counts === null ? 'nothing counted' : (findGathered(counts, client)?.code ?? null);
}

describe('what gathers a stream', () => {
  it('is named where answers come whole, or half of them at once', () => {
    expect(foundIn({ tokens: 64, reads: 2, firstRead: 32, spanMs: 1 })).toBe('not-streamed');
    expect(foundIn({ tokens: 64, reads: 1, firstRead: 64, spanMs: 0 })).toBe('not-streamed');
    expect(foundIn({ tokens: 64, reads: 2, firstRead: 32, spanMs: 160 })).toBe('not-streamed');
    expect(foundIn({ tokens: 64, reads: 3, firstRead: 60, spanMs: 20 })).toBe('not-streamed');
  });

  it('is named where bursts come after waits: pieces, slices of time', () => {
    expect(foundIn({ tokens: 64, reads: 4, firstRead: 16, spanMs: 240 })).toBe('stream-gathered');
    expect(foundIn({ tokens: 512, reads: 7, firstRead: 80, spanMs: 2400 })).toBe('stream-gathered');
    expect(foundIn({ tokens: 64, reads: 13, firstRead: 5, spanMs: 300 })).toBe('stream-gathered');
    // The first token came by itself, the rest in bursts.
    expect(foundIn({ tokens: 64, reads: 8, firstRead: 1, spanMs: 320 })).toBe('stream-gathered');
  });

  it('is not a fast server whose tokens meet, a stream of single tokens, or a late client', () => {
    expect(foundIn({ tokens: 64, reads: 12, firstRead: 3, spanMs: 32 })).toBeNull();
    expect(foundIn({ tokens: 64, reads: 64, firstRead: 1, spanMs: 320 })).toBeNull();
    expect(foundIn({ tokens: 64, reads: 30, firstRead: 2, spanMs: 320 })).toBeNull();
    expect(
      foundIn({ tokens: 64, reads: 13, firstRead: 5, spanMs: 300 }, { loop_delay_p90_ms: 8 }),
    ).toBeNull();
    expect(foundIn({ tokens: 4, reads: 1, firstRead: 4, spanMs: 0 })).toBe('nothing counted');
  });

  it('is counted with medians of those answers that were gathered', () => {
    const count = createTokenReadCount();
    for (let i = 0; i < 6; i++) count.add({ tokens: 64, reads: 4, firstRead: 16, spanMs: 240 });
    for (let i = 0; i < 4; i++) count.add({ tokens: 64, reads: 64, firstRead: 1, spanMs: 315 });
    expect(count.counts()).toEqual({
      answers: 10,
      whole: 0,
      bursts: 6,
      tokens_per_read_p50: 16,
      reads_p50: 4,
      first_read_tokens_p50: 16,
      gap_p50_ms: 80,
    });
  });
});
