import { describe, expect, it } from 'vitest';
import { createRng, shuffled } from '../../../src/core/base/rng.js';

const draws = (name: string) => {
  const rng = createRng(name);
  return Array.from({ length: 3 }, () => rng.next());
};

describe('a named stream of numbers', () => {
  // Every prompt and every plan follows from these: a run is repeated with its seed.
  it.each([
    ['', [0.1666577742435038, 0.4869158477522433, 0.00011322717182338238]],
    ['1', [0.526047095656395, 0.12264361372217536, 0.47771977609954774]],
    ['1/trial/p12-c8-r2/tail/41', [0.7679922562092543, 0.3246708938386291, 0.3124600206501782]],
    ['ü€ beyond Latin-1', [0.37402673717588186, 0.5060341914650053, 0.82297797431238]],
  ])('is that of Alea: %j', (name, first) => {
    expect(draws(name)).toEqual(first);
  });

  it('is of its own for each name, and even', () => {
    const rng = createRng('even');
    const counts = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    for (let i = 0; i < 100_000; i++) {
      const drawn = rng.int(10);
      counts[drawn] = (counts[drawn] ?? 0) + 1;
    }
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(400);
    expect(draws('a')).not.toEqual(draws('b'));
  });

  it('shuffles a copy', () => {
    const items = [1, 2, 3, 4, 5];
    expect(shuffled(items, createRng('order')).sort()).toEqual(items);
    expect(items).toEqual([1, 2, 3, 4, 5]);
  });
});
