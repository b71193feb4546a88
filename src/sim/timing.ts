/** What one step of a worker computes. */
export interface StepWork {
  /** Prompt tokens computed in this step: those that were not cached. */
  readonly prefillTokens: number;
  /** Requests that get their next token in this step. */
  readonly decodeRequests: number;
  /** Share of KV blocks in use by running requests, 0-1. */
  readonly kvUsage: number;
}

/** How long a step takes on a device of speed 1. */
export type StepTiming =
  | {
      readonly kind: 'linear';
      /** Cost of any step (weights read once, launch, scheduling), ms. */
      readonly stepMs: number;
      readonly prefillMsPerToken: number;
      readonly decodeMsPerRequest: number;
    }
  /** The polynomials of Dynamo's mocker. */
  | { readonly kind: 'mocker' };

/** Milliseconds of work of one step. */
export function stepWorkMs(timing: StepTiming, work: StepWork): number {
  if (timing.kind === 'mocker') return mockerPrefillMs(work.prefillTokens) + mockerDecodeMs(work);
  return (
    timing.stepMs +
    timing.prefillMsPerToken * work.prefillTokens +
    timing.decodeMsPerRequest * work.decodeRequests
  );
}

/** Dynamo mocker, default performance model (ai-dynamo/dynamo, lib/mocker): T is the uncached tokens of the step. */
function mockerPrefillMs(tokens: number): number {
  if (tokens === 0) return 0;
  return 4.209989e-7 * tokens * tokens + 1.518344e-2 * tokens + 16.50142;
}

/** Same source: p is the share of KV in use. */
function mockerDecodeMs(work: StepWork): number {
  if (work.decodeRequests === 0) return 0;
  const p = work.kvUsage;
  return Math.max(1, -25.74 * p * p + 54.01 * p + 5.74);
}
