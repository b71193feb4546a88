import seedrandom from 'seedrandom';

/** A seeded stream of uniform numbers. */
export interface Rng {
  /** Uniform in [0, 1), 32 bits. */
  next(): number;
  /** Uniform integer in [0, below). `below` must stay far under 2^32. */
  int(below: number): number;
}

/**
 * The stream called `name`: the same name gives the same numbers on every machine. One name per purpose, so that
 * drawing more for one purpose never shifts another.
 *
 * Alea rather than seedrandom's default ARC4: a request needs hundreds of draws, and ARC4 costs about ten times as much
 * to seed and to draw from; nothing here needs its cryptographic heritage.
 */
export function createRng(name: string): Rng {
  const draw = seedrandom.alea(name);
  return {
    next: () => draw(),
    int: (below) => Math.floor(draw() * below),
  };
}

/** Shuffles a copy (Fisher-Yates). */
export function shuffled<T>(items: readonly T[], rng: Rng): T[] {
  const out = [...items];
  for (let i = out.length - 1; i > 0; i--) {
    const j = rng.int(i + 1);
    const kept = out[i] as T;
    out[i] = out[j] as T;
    out[j] = kept;
  }
  return out;
}
