import { describe, expect, it } from 'vitest';
import { createBytePattern, findLineEnd, hasPatternAt } from '../../../src/core/answer/byte-words.js';
import { createRng } from '../../../src/core/base/rng.js';

const LINE_ENDS = [0x0a, 0x0d];
/** Bytes that differ from a line end in one bit, or by one, and others. */
const OTHERS = [0x09, 0x0b, 0x0c, 0x0e, 0x8a, 0x8d, 0x00, 0x01, 0xff, 0x80, 0x61];

describe('four bytes at a time', () => {
  it('finds the first line end that a byte at a time finds, between any two places', () => {
    const rng = createRng('line ends');
    for (let round = 0; round < 5_000; round++) {
      const bytes = Uint8Array.from({ length: rng.int(24) }, () => {
        const all = rng.int(6) === 0 ? LINE_ENDS : OTHERS;
        return all[rng.int(all.length)] ?? 0;
      });
      const from = rng.int(bytes.length + 1);
      const to = from + rng.int(bytes.length - from + 1);
      const found = bytes.subarray(from, to).findIndex((byte) => LINE_ENDS.includes(byte));
      expect(findLineEnd(bytes, from, to)).toBe(found === -1 ? -1 : from + found);
    }
  });

  it('knows a pattern at any place, of any length, and none with one other byte', () => {
    for (let length = 0; length <= 9; length++) {
      for (let at = 0; at < 6; at++) {
        const bytes = Uint8Array.from({ length: 16 }, (_, i) => 17 * i);
        const pattern = createBytePattern(bytes.subarray(at, at + length));
        expect(hasPatternAt(bytes, at, pattern)).toBe(true);
        for (let i = at; i < at + length; i++) {
          const other = Uint8Array.from(bytes);
          other[i] = (other[i] ?? 0) ^ 0x80;
          expect(hasPatternAt(other, at, pattern)).toBe(false);
        }
      }
    }
  });

  it('keeps a pattern when the bytes it was made of change', () => {
    const bytes = Uint8Array.of(1, 2, 3, 4, 5);
    const pattern = createBytePattern(bytes);
    bytes.fill(9);
    expect(hasPatternAt(Uint8Array.of(1, 2, 3, 4, 5), 0, pattern)).toBe(true);
  });
});
