import type { Rng } from '../../core/base/rng.js';
import type { PolicyName } from '../params/declarations.js';
import { noBooks, type Policy, type PolicyContext } from './policy.js';

type Pick = (connection: number) => number;

/** The policies that know nothing of prompts: each name's choice of a worker. */
const PICKS = {
  /** Kept as long as the connection: what a Kubernetes Service does. */
  random({ workers }, rng) {
    const workerOf = new Map<number, number>();
    return (connection) => {
      const worker = workerOf.get(connection) ?? rng.int(workers);
      workerOf.set(connection, worker);
      return worker;
    };
  },
  'random-request':
    ({ workers }, rng) =>
    () =>
      rng.int(workers),
  'round-robin'({ workers }) {
    let turn = 0;
    return () => turn++ % workers;
  },
  /** Fewest requests in flight; ties at random. */
  'least-loaded':
    ({ inFlight }, rng) =>
    () =>
      leastLoaded(inFlight, rng),
  /** Two different workers at random, the less loaded of them; a tie goes to the first drawn. */
  'power-of-two'({ workers, inFlight }, rng) {
    return () => {
      const first = rng.int(workers);
      if (workers === 1) return first;
      const other = rng.int(workers - 1);
      const second = other < first ? other : other + 1;
      return (inFlight[second] as number) < (inFlight[first] as number) ? second : first;
    };
  },
} satisfies Partial<Record<PolicyName, (context: PolicyContext, rng: Rng) => Pick>>;

/** A policy that expects nothing of caches. */
export function createStateless(name: keyof typeof PICKS, context: PolicyContext, rng: Rng): Policy {
  const pick: Pick = PICKS[name](context, rng);
  return {
    ...noBooks,
    choose: ({ connection }) => ({ worker: pick(connection), overlapBlocks: null }),
  };
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
