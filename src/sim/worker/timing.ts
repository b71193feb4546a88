import type { SimParams } from '../params/sim-params.js';

/** How long a step takes. */
export type StepTiming = Pick<SimParams, 'timing' | 'stepMs' | 'prefillMsPerToken' | 'decodeMsPerRequest'>;

/**
 * Milliseconds of work of one step on a device of speed 1. `prefillTokens` are the prompt tokens computed in it (those
 * that were not cached), `decodeRequests` those that get a further token, `kvUsage` the share of blocks that running
 * requests hold, 0-1.
 */
export function stepWorkMs(
  timing: StepTiming,
  prefillTokens: number,
  decodeRequests: number,
  kvUsage: number,
): number {
  if (timing.timing === 'mocker')
    return mockerPrefillMs(prefillTokens) + mockerDecodeMs(decodeRequests, kvUsage);
  return (
    timing.stepMs + timing.prefillMsPerToken * prefillTokens + timing.decodeMsPerRequest * decodeRequests
  );
}

/** Dynamo mocker, default performance model (ai-dynamo/dynamo, lib/mocker): T is the uncached tokens of the step. */
function mockerPrefillMs(tokens: number): number {
  if (tokens === 0) return 0;
  return 4.209989e-7 * tokens * tokens + 1.518344e-2 * tokens + 16.50142;
}

/** Same source: p is the share of KV in use. */
function mockerDecodeMs(requests: number, p: number): number {
  if (requests === 0) return 0;
  return Math.max(1, -25.74 * p * p + 54.01 * p + 5.74);
}
