import { createRng } from '../../core/base/rng.js';
import type { SimParams } from '../params/sim-params.js';
import { createCacheAware } from './cache-aware.js';
import { createConsistentHash } from './consistent-hash.js';
import { createKvPolicy } from './kv.js';
import { createEventIndex, createSentIndex, type EventIndex, type OverlapIndex } from './overlap-index.js';
import type { Policy, PolicyContext } from './policy.js';
import { createStateless } from './stateless.js';

/** A policy, and the index to which workers send their KV events; null when it uses none. */
export interface BuiltPolicy {
  readonly policy: Policy;
  readonly events: EventIndex | null;
}

/** The policy named in `params`, with its own random stream. */
export function createPolicy(params: SimParams, context: PolicyContext): BuiltPolicy {
  const rng = createRng(`${params.seed}/sim/${params.policy}`);
  switch (params.policy) {
    case 'random':
    case 'random-request':
    case 'round-robin':
    case 'least-loaded':
    case 'power-of-two':
      return { policy: createStateless(params.policy, context, rng), events: null };
    case 'consistent-hash':
      return { policy: createConsistentHash(context, params.ringPoints), events: null };
    case 'kv':
      return createEventFed(params, context, rng);
    case 'kv-unseeded':
      return params.eventHash === 'tokens'
        ? createEventFed(params, context, rng)
        : { policy: createKvPolicy(context, rng, params.blockSize, params, NOTHING_KNOWN), events: null };
    case 'kv-approx': {
      const index = createSentIndex(context.now, params.ttlS * 1000);
      return {
        policy: createKvPolicy(context, rng, params.blockSize, params, index, index.sent),
        events: null,
      };
    }
    case 'cache-aware':
      return {
        policy: createCacheAware(context, params, createSentIndex(context.now, Number.POSITIVE_INFINITY)),
        events: null,
      };
  }
}

/** The index of a router whose block hashes never equal the engines'. */
const NOTHING_KNOWN: OverlapIndex = { overlaps: () => undefined };

function createEventFed(
  params: SimParams,
  context: PolicyContext,
  rng: ReturnType<typeof createRng>,
): BuiltPolicy {
  const index = createEventIndex();
  return { policy: createKvPolicy(context, rng, params.blockSize, params, index), events: index };
}
