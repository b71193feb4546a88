import { describe, expect, it } from 'vitest';
import { createWorkerLifetimes } from '../../../src/core/measure/worker-lifetimes.js';

describe('a fleet', () => {
  it('is one lifetime where repeats share workers, whatever each of them met', () => {
    const fleet = createWorkerLifetimes([
      { repeat: 1, workers: ['w10', 'w2'] },
      { repeat: 2, workers: ['w1'] },
      { repeat: 3, workers: ['w1', 'w2'] },
      { repeat: 4, workers: [] },
    ]);
    expect([fleet.size, fleet.lifetimes]).toEqual([3, [['w1', 'w2', 'w10']]]);
    expect([1, 2, 3, 4].map((repeat) => fleet.of(repeat).length)).toEqual([3, 3, 3, 0]);
  });

  it('is several where ids were replaced, and as large as the largest of them', () => {
    const fleet = createWorkerLifetimes([
      { repeat: 1, workers: ['a'] },
      { repeat: 1, workers: ['b'] },
      { repeat: 2, workers: ['c'] },
    ]);
    expect([fleet.size, fleet.lifetimes]).toEqual([2, [['a', 'b'], ['c']]]);
    expect(fleet.of(2)).toEqual(['c']);
  });

  it('is empty of a target that names no workers', () => {
    expect([
      createWorkerLifetimes([]).size,
      createWorkerLifetimes([]).lifetimes,
      createWorkerLifetimes([]).of(1),
    ]).toEqual([0, [], []]);
  });
});
