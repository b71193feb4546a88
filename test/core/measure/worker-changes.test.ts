import { describe, expect, it } from 'vitest';
import { findWorkerChange, type TrialWorkers } from '../../../src/core/measure/worker-changes.js';
import { inEnglish } from '../../support/english.js';

/** Trials t1, t2, … that each of these workers served all 8 prefixes of. */
const trialsOf = (...workers: readonly string[]): TrialWorkers[] =>
  workers.map((ids, index) => ({
    trial: `t${index + 1}`,
    requests: 80,
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
    // Prefixes kept on few workers: five draws, of which a fourth of the workers may well get none.
    const kept = (trial: string, ...ids: readonly string[]): TrialWorkers => ({
      trial,
      requests: 80,
      prefixesOf: new Map(ids.map((id, index) => [id, 1 + 3 * index])),
    });
    expect(seen([kept('t1', 'a', 'b'), ...trialsOf('abcd', 'abcd')])).toBe(null);
    // A router may send everything to one worker for a while.
    expect(seen(trialsOf('ab', 'ab', 'a', 'a'))).toBe(null);
  });

  it('lets a target that is set up anew have new workers, all of them at once', () => {
    expect(seen(trialsOf('ab', 'ab', 'cd', 'cd'), true)).toBe(null);
    expect(seen(trialsOf('ab', 'ab', 'cd', 'cd'))).not.toBe(null);
    expect(seen(trialsOf('abc', 'abc', 'bcd', 'bcd'), true)).not.toBe(null);
  });
});
