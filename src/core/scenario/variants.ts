import type { Scenario, VariantSpec } from './settings.js';

/** The variants of a scenario: those it lists, or the one it is. */
export function variantsOf(scenario: Scenario): readonly VariantSpec[] {
  if (scenario.variants.length > 0) return scenario.variants;
  return [{ variant: scenario.variant, url: scenario.url, setup: null, teardown: null }];
}

/** The scenario as one of its variants is measured. */
export function scenarioOf(scenario: Scenario, spec: VariantSpec): Scenario {
  return { ...scenario, variant: spec.variant, url: spec.url };
}
