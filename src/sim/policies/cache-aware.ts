import type { SimParams } from '../params/sim-params.js';
import type { Segment } from '../worker/kv-cache.js';
import type { OverlapIndex } from './overlap-index.js';
import { noBooks, type Policy, type PolicyContext } from './policy.js';

export type CacheAwareSettings = Pick<
  SimParams,
  'cacheThreshold' | 'balanceAbs' | 'balanceRel' | 'blockSize'
>;

/** The router's approximate tree: a record of what it sent where. */
export interface ApproximateTree extends OverlapIndex {
  sent(worker: number, segments: readonly Segment[]): void;
}

/**
 * sglang-router's `cache_aware`. When loads are unbalanced it picks the least loaded worker; otherwise the worker with the
 * longest known match, if that exceeds `cacheThreshold` of the prompt, or else the least loaded. Every choice is added to
 * the tree. Ties go to the lowest index. (The router matches characters; this model matches tokens of full blocks.)
 */
export function createCacheAware(
  context: PolicyContext,
  settings: CacheAwareSettings,
  tree: ApproximateTree,
): Policy {
  return {
    ...noBooks,
    choose(request) {
      const best = { worker: -1, blocks: 0 };
      tree.overlaps(request.segments, (worker, blocks) => {
        if (blocks > best.blocks || (blocks === best.blocks && worker < best.worker)) {
          best.worker = worker;
          best.blocks = blocks;
        }
      });
      const ratio = (best.blocks * settings.blockSize) / request.promptTokens;
      const follow = !isUnbalanced(context.inFlight, settings) && ratio > settings.cacheThreshold;
      const worker = follow ? best.worker : leastLoaded(context.inFlight);
      tree.sent(worker, request.segments);
      return { worker, overlapBlocks: worker === best.worker ? best.blocks : 0 };
    },
  };
}

/** Whether loads are far enough apart that balancing takes precedence over the cache. */
export function isUnbalanced(
  inFlight: Int32Array,
  settings: Pick<CacheAwareSettings, 'balanceAbs' | 'balanceRel'>,
): boolean {
  let lowest = Number.POSITIVE_INFINITY;
  let highest = 0;
  for (const load of inFlight) {
    if (load < lowest) lowest = load;
    if (load > highest) highest = load;
  }
  return highest - lowest > settings.balanceAbs && highest > settings.balanceRel * lowest;
}

function leastLoaded(inFlight: Int32Array): number {
  let best = 0;
  for (let worker = 1; worker < inFlight.length; worker++) {
    if ((inFlight[worker] as number) < (inFlight[best] as number)) best = worker;
  }
  return best;
}
