import { describe, expect, it } from 'vitest';
import {
  createFirstTokenCount,
  type FirstTokenWait,
  findHeldFirstTokens,
} from '../../../src/core/measure/first-token-wait.js';
import { inEnglish } from '../../support/english.js';

const counted = (...waitsMs: number[]) => {
  const count = createFirstTokenCount();
  for (const ms of waitsMs) count.add(ms);
  return count.counts();
};

/** What shows it, in English; null for nothing. */
const held = (wait: FirstTokenWait) => {
  const evidence = findHeldFirstTokens(wait);
  return evidence === null ? null : inEnglish(evidence);
};

describe('first tokens after their heads', () => {
  it('are counted by when they came', () => {
    expect(counted(0, 1.9, 2, 38.9, 39, 47.9, 48, 300)).toEqual({ answers: 8, held: 2, sooner: 2 });
    expect(counted()).toBeNull();
  });

  it('were held when many came after 40 ms and hardly any before', () => {
    expect(held({ answers: 120, held: 84, sooner: 2 })).toBe(
      '84 of 120 first tokens came 39-48 ms after the head of their answer, 2 between 2 and 39 ms',
    );
    expect(held({ answers: 120, held: 84, sooner: 8 })).not.toBeNull();
  });

  it('were not when others were let go sooner, or few came then', () => {
    expect(held({ answers: 120, held: 84, sooner: 9 })).toBeNull();
    expect(held({ answers: 120, held: 11, sooner: 0 })).toBeNull();
    expect(held({ answers: 10, held: 9, sooner: 0 })).toBeNull();
  });
});
