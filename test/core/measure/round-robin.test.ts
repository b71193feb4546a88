import { describe, expect, it } from 'vitest';
import { createRng } from '../../../src/core/base/rng.js';
import { isRoundRobin } from '../../../src/core/measure/round-robin.js';
import { recordOf } from '../../support/records.js';

function served(workers: readonly (string | null)[]) {
  return workers.map((worker, seq) => recordOf({ seq, sent_ms: seq, worker }));
}

describe('isRoundRobin', () => {
  it('sees a rotation in the order of sending, also with two requests out of order now and then', () => {
    const rotation = Array.from({ length: 60 }, (_, i) => ['a', 'b', 'c'][i % 3] ?? 'a');
    expect(isRoundRobin(served(rotation))).toBe(true);
    expect(isRoundRobin(served(rotation).reverse())).toBe(true);
    rotation.splice(30, 2, 'b', 'a');
    expect(isRoundRobin(served(rotation))).toBe(true);
  });

  it('is false of chance, of one worker and of workers that are not named', () => {
    const rng = createRng('chance');
    expect(isRoundRobin(served(Array.from({ length: 60 }, () => ['a', 'b', 'c'][rng.int(3)] ?? 'a')))).toBe(
      false,
    );
    expect(isRoundRobin(served(['a', 'a', 'a', 'a']))).toBe(false);
    expect(isRoundRobin(served([null, null]))).toBe(false);
  });
});
