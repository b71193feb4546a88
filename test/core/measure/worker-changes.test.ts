import { describe, expect, it } from 'vitest';
import { findWorkerChange, type TrialWorkers } from '../../../src/core/measure/worker-changes.js';
import { inEnglish } from '../../support/english.js';

/** Trials t1, t2, … that each of these workers served all 8 prefixes of. */
const trialsOf = (...workers: readonly string[]): TrialWorkers[] =>
  workers.map((ids, index) => ({
    trial: `t${index + 1}`,
    prefixesOf: new Map([...ids].map((id) => [id, 8])),
  }));
const seen = (trials: readonly TrialWorkers[], isRenewed = false) => {
  const evidence = findWorkerChange(trials, isRenewed);
  return evidence === null ? null : inEnglish(evidence);
};

describe('findWorkerChange', () => {
  it('finds nothing where the same workers serve every trial, or none is named', () => {
    expect(seen(trialsOf('abcd', 'abcd', 'abcd'))).toBe(null);
    expect(seen(trialsOf('', '', ''))).toBe(null);
    expect(seen([])).toBe(null);
  });

  it('finds workers that join late, leave, and are restarted under other ids', () => {
    expect(seen(trialsOf('ab', 'ab', 'abcd', 'abcd'))).toBe(
      '2 of the workers joined late (first seen in t3)',
    );
    expect(seen(trialsOf('abcd', 'abcd', 'abc', 'abc'))).toBe('1 of the workers left (last seen in t2)');
    expect(seen(trialsOf('abc', 'abc', 'abd', 'abd'))).toBe(
      '1 of the workers joined late (first seen in t3), 1 of the workers left (last seen in t2)',
    );
  });

  it('takes no absence for a change that luck explains', () => {
    // Two prefixes kept on one worker each: two draws, of which a fourth of the workers may well get none.
    const kept = (trial: string, ...ids: readonly string[]): TrialWorkers => ({
      trial,
      prefixesOf: new Map(ids.map((id) => [id, 1])),
    });
    expect(seen([kept('t1', 'a', 'b'), ...trialsOf('abcd', 'abcd')])).toBe(null);
  });

  it('lets a target that is set up anew have new workers, all of them at once', () => {
    expect(seen(trialsOf('ab', 'ab', 'cd', 'cd'), true)).toBe(null);
    expect(seen(trialsOf('ab', 'ab', 'cd', 'cd'))).not.toBe(null);
    expect(seen(trialsOf('ab', 'ab', 'bc', 'bc'), true)).not.toBe(null);
  });
});
