import { type PlanSettings, planGrid, planTrial, type TrialPlan } from '../../src/core/workload/plan.js';
import { createTrialRequests, type TrialRequests } from '../../src/core/workload/requests.js';

/** Settings of a plan; no groups unless it says so. */
export type GivenPlan = Omit<PlanSettings, 'groups'> & Partial<Pick<PlanSettings, 'groups'>>;

/** Every trial of a plan, drawn. */
export function drawTrials(given: GivenPlan): readonly TrialPlan[] {
  const settings = { groups: [], ...given };
  return planGrid(settings).trials.map((trial) => planTrial(settings, trial));
}

/** The first trial of a plan, drawn. */
export function drawFirstTrial(given: GivenPlan): TrialPlan {
  const [trial] = drawTrials({ ...given, repeats: 1 });
  if (trial === undefined) throw new Error('the plan has no trial');
  return trial;
}

/** What decides prompts, without salt, groups, primers and warm-up unless it says so. */
export function requestsOf(
  given: { readonly seed: string; readonly prefixTokens: number; readonly tailTokens: number } & Partial<
    Parameters<typeof createTrialRequests>[0]
  >,
  trial: TrialPlan,
): TrialRequests {
  return createTrialRequests(
    { salt: '', outputTokens: 8, groups: [], start: 'cold', warmup: 0, ...given },
    trial,
  );
}
