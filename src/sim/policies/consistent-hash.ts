import { noBooks, type Policy, type PolicyContext } from './policy.js';

/**
 * A hash ring with `points` points per worker, keyed by the prompt's first segment: requests with the same beginning go to
 * the same worker whatever its load, and few move when a worker joins or leaves.
 */
export function createConsistentHash(context: PolicyContext, points: number): Policy {
  const ring: { readonly at: number; readonly worker: number }[] = [];
  for (let worker = 0; worker < context.workers; worker++) {
    for (let point = 0; point < points; point++)
      ring.push({ at: mix(mix(worker + 1) ^ (point + 1)), worker });
  }
  ring.sort((a, b) => a.at - b.at || a.worker - b.worker);

  return {
    ...noBooks,
    choose(request) {
      const at = mix(request.segments[0]?.key ?? 0);
      let low = 0;
      let high = ring.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((ring[middle]?.at ?? 0) < at) low = middle + 1;
        else high = middle;
      }
      return { worker: ring[low % ring.length]?.worker ?? 0, overlapBlocks: null };
    },
  };
}

/** Spreads a whole number over 32 bits (the finalizer of MurmurHash3). */
function mix(value: number): number {
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
