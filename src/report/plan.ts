import { isGrouped, type Lengths } from '../core/scenario/request-groups.js';
import type { Scenario } from '../core/scenario/settings.js';
import { variantsOf } from '../core/scenario/variants.js';
import { describeLoad } from '../core/workload/load.js';
import { type GridPlan, planTrial } from '../core/workload/plan.js';

/** What a run would send, for `--dry-run`: text, or one JSON object. */
export function renderPlan(scenario: Scenario, plan: GridPlan, asJson: boolean): string {
  const requests = plan.trials.length * scenario.requests;
  if (asJson) {
    const trials = plan.trials
      .map((trial) => planTrial(scenario, trial))
      .map((trial) => ({
        id: trial.id,
        requests: trial.prefixOf.length,
        prefix_of: [...trial.prefixOf],
        ...(trial.groupOf === null
          ? {}
          : { group_of: Array.from(trial.groupOf, (index) => scenario.groups[index]?.group) }),
        due_ms: trial.dueMs === null ? null : [...trial.dueMs],
      }));
    return `${JSON.stringify({ scenario, cells: plan.cells, trials }, null, 2)}\n`;
  }
  const lines = [
    ...variantsOf(scenario).map((spec) => `${spec.variant}: ${spec.url}`),
    `${plan.cells.length} cells x ${scenario.repeats} repeats x ${scenario.requests} requests = ${requests.toLocaleString('en-US')} requests${scenario.variants.length > 1 ? ` for each of ${scenario.variants.length} variants` : ''}`,
    ...describeWork(scenario, plan),
    '',
    'Trials, in the order in which they run:',
    ...plan.trials.map(
      (trial, i) =>
        `${String(i + 1).padStart(4)}  ${trial.id.padEnd(12)}  ${trial.cell.prefixes} prefixes, ${describeLoad(trial.cell.load)}, repeat ${trial.repeat}`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/** Lengths and totals; with groups, a line for each. */
function describeWork(scenario: Scenario, plan: GridPlan): string[] {
  const identity = `seed ${scenario.seed}${scenario.salt === '' ? '' : `, salt ${scenario.salt}`}`;
  const totals = ({ prefixTokens, tailTokens, outputTokens }: Lengths, requests: number) =>
    `prompt tokens in all: ${(requests * (prefixTokens + tailTokens)).toLocaleString('en-US')}; output tokens: ${(requests * outputTokens).toLocaleString('en-US')}`;
  const lengths = ({ prefixTokens, tailTokens, outputTokens }: Lengths) =>
    `prompt ${prefixTokens + tailTokens} tokens (prefix ${prefixTokens} + tail ${tailTokens}), output ${outputTokens}`;
  if (!isGrouped(scenario)) {
    return [`${lengths(scenario)}; ${identity}`, totals(scenario, plan.trials.length * scenario.requests)];
  }
  const drawn = new Array<number>(scenario.groups.length).fill(0);
  for (const trial of plan.trials) {
    for (const index of planTrial(scenario, trial).groupOf ?? []) drawn[index] = (drawn[index] ?? 0) + 1;
  }
  return [
    ...scenario.groups.flatMap((group, index) => [
      `${group.group}: ${(drawn[index] ?? 0).toLocaleString('en-US')} requests, ${lengths(group)}`,
      `  ${totals(group, drawn[index] ?? 0)}`,
    ]),
    identity,
  ];
}
