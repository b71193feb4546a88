import * as fc from 'fast-check';

/** Checks a property with a fixed seed, so that a failure is one on every machine; KVBENCH_SEED tries others. */
export function check<Values extends readonly unknown[]>(
  property: fc.IPropertyWithHooks<[...Values]> | fc.IAsyncPropertyWithHooks<[...Values]>,
  numRuns = 300,
): Promise<void> | void {
  return fc.assert(property as fc.IRawProperty<[...Values]>, {
    seed: Number(process.env.KVBENCH_SEED ?? 1),
    numRuns,
  });
}

/** Places to cut `length` bytes, ascending: none, some, or at every byte. */
export function cutsOf(places: readonly number[], length: number): number[] {
  return places.map((place) => Math.floor(place * (length + 1))).sort((a, b) => a - b);
}

/** Fractions of a text, for {@link cutsOf}. */
export const places: fc.Arbitrary<number[]> = fc.array(
  fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  {
    maxLength: 40,
  },
);

/** `bytes` in parts, cut at `cuts`. Each part has memory of its own, so that what is read after the call would show. */
export function partsOf(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const ends = [...cuts, bytes.length];
  return ends.map((end, i) => bytes.slice(i === 0 ? 0 : ends[i - 1], end));
}

/** UTF-8. */
export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Bytes near what a protocol sends: its own words among others and noise. */
export function nearBytes(words: readonly string[]): fc.Arbitrary<Uint8Array> {
  const piece = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...words).map(bytesOf) },
    { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }).map(bytesOf) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 12 }) },
  );
  return fc
    .array(piece, { maxLength: 40 })
    .map((pieces) => Uint8Array.from(pieces.flatMap((bytes) => [...bytes])));
}
