import type { Rng } from '../../core/base/rng.js';
import { noBooks, type Policy, type PolicyContext } from './policy.js';

/** A random worker per connection, kept as long as the connection: what a Kubernetes Service does. */
export function createRandomPerConnection(context: PolicyContext, rng: Rng): Policy {
  const workerOf = new Map<number, number>();
  return {
    ...noBooks,
    choose(request) {
      const known = workerOf.get(request.connection);
      if (known !== undefined) return { worker: known, overlapBlocks: null };
      const worker = rng.int(context.workers);
      workerOf.set(request.connection, worker);
      return { worker, overlapBlocks: null };
    },
  };
}

/** A random worker per request. */
export function createRandomPerRequest(context: PolicyContext, rng: Rng): Policy {
  return { ...noBooks, choose: () => ({ worker: rng.int(context.workers), overlapBlocks: null }) };
}

/** Each worker in turn. */
export function createRoundRobin(context: PolicyContext): Policy {
  let next = 0;
  return {
    ...noBooks,
    choose() {
      const worker = next;
      next = (next + 1) % context.workers;
      return { worker, overlapBlocks: null };
    },
  };
}

/** The worker with the fewest requests in flight; ties at random. */
export function createLeastLoaded(context: PolicyContext, rng: Rng): Policy {
  return {
    ...noBooks,
    choose: () => ({ worker: leastLoaded(context.inFlight, rng), overlapBlocks: null }),
  };
}

/** Two different workers at random, the less loaded of them; a tie goes to the first drawn. */
export function createPowerOfTwo(context: PolicyContext, rng: Rng): Policy {
  return {
    ...noBooks,
    choose() {
      const first = rng.int(context.workers);
      if (context.workers === 1) return { worker: first, overlapBlocks: null };
      const other = rng.int(context.workers - 1);
      const second = other < first ? other : other + 1;
      const worker = inFlightOf(context, second) < inFlightOf(context, first) ? second : first;
      return { worker, overlapBlocks: null };
    },
  };
}

function inFlightOf(context: PolicyContext, worker: number): number {
  return context.inFlight[worker] as number;
}

/** Index of the smallest load; among equals each is as likely. */
function leastLoaded(loads: Int32Array, rng: Rng): number {
  let best = 0;
  let ties = 1;
  for (let worker = 1; worker < loads.length; worker++) {
    const load = loads[worker] as number;
    const least = loads[best] as number;
    if (load < least) {
      best = worker;
      ties = 1;
    } else if (load === least) {
      ties++;
      if (rng.int(ties) === 0) best = worker;
    }
  }
  return best;
}
