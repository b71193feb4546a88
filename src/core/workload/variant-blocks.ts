import type { VariantSpec } from '../scenario/settings.js';
import type { GridPlan, GridTrial } from './plan.js';

/** Trials that run one after the other on one variant. */
export interface Block {
  readonly spec: VariantSpec;
  readonly trials: readonly GridTrial[];
}

/**
 * All trials of all variants in running order: repeat by repeat, every variant in each, forwards in odd repeats and
 * backwards in even ones (A B, B A, …), so that drift of the machine does not fall on one variant.
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
