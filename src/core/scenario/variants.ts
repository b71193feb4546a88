import type { GridPlan, TrialPlan } from '../workload/plan.js';
import type { Scenario, VariantSpec } from './settings.js';

/** Trials that run one after the other on one variant. */
export interface Block {
  readonly spec: VariantSpec;
  readonly trials: readonly TrialPlan[];
}

/** The variants of a scenario: those it lists, or the one it is. */
export function variantsOf(scenario: Scenario): readonly VariantSpec[] {
  // Runs of before there were several hold no list.
  if ((scenario.variants ?? []).length > 0) return scenario.variants;
  return [{ variant: scenario.variant, url: scenario.url, setup: null, teardown: null }];
}

/** The scenario as one of its variants is measured. */
export function scenarioOf(scenario: Scenario, spec: VariantSpec): Scenario {
  return { ...scenario, variant: spec.variant, url: spec.url };
}

/**
 * All trials of all variants in the order of running: repeat by repeat, every variant in each, forwards in odd repeats
 * and backwards in even ones (A B, B A, …), so that drift of the machine does not fall on one variant.
 */
export function planBlocks(plan: GridPlan, specs: readonly VariantSpec[]): Block[] {
  if (specs.length === 1) return specs.map((spec) => ({ spec, trials: plan.trials }));
  const repeats = [...new Set(plan.trials.map((trial) => trial.repeat))];
  return repeats.flatMap((repeat, index) => {
    const order = index % 2 === 0 ? specs : [...specs].reverse();
    const trials = plan.trials.filter((trial) => trial.repeat === repeat);
    return order.map((spec) => ({ spec, trials }));
  });
}
