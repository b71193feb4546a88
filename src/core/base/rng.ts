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
 * The generator is Johannes Baagøe's Alea: a request needs a stream and hundreds of draws, and a generator that keeps its
 * state in a few numbers is seeded and drawn from in a fraction of the time of a cryptographic one, which nothing here needs.
 */
export function createRng(name: string): Rng {
  // In an object: numbers that a closure holds would be allocated anew by every draw.
  const state = seedOf(name);
  const next = (): number => {
    const sum = 2091639 * state.s0 + state.carry * 2 ** -32;
    state.s0 = state.s1;
    state.s1 = state.s2;
    state.carry = sum | 0;
    state.s2 = sum - state.carry;
    return state.s2;
  };
  return { next, int: (below) => Math.floor(next() * below) };
}

function seedOf(name: string) {
  const n0 = mash(MASH_START, ' ');
  const n1 = mash(n0, ' ');
  const n2 = mash(n1, ' ');
  const n3 = mash(n2, name);
  const n4 = mash(n3, name);
  const n5 = mash(n4, name);
  return {
    s0: wrapped(fractionOf(n0) - fractionOf(n3)),
    s1: wrapped(fractionOf(n1) - fractionOf(n4)),
    s2: wrapped(fractionOf(n2) - fractionOf(n5)),
    carry: 1,
  };
}

const MASH_START = 0xefc8249d;

/** Stirs a text into `n`. */
function mash(n: number, text: string): number {
  let mixed = n;
  for (let i = 0; i < text.length; i++) {
    mixed += text.charCodeAt(i);
    let rest = 0.02519603282416938 * mixed;
    mixed = rest >>> 0;
    rest = (rest - mixed) * mixed;
    mixed = rest >>> 0;
    mixed += (rest - mixed) * 2 ** 32;
  }
  return mixed;
}

function fractionOf(mixed: number): number {
  return (mixed >>> 0) * 2 ** -32;
}

function wrapped(value: number): number {
  return value < 0 ? value + 1 : value;
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
