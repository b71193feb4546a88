import type { GridPlan, Load } from '../core/plan.js';
import type { Scenario } from '../core/settings.js';
import { variantsOf } from '../core/variants.js';

/** What a run would send, for `--dry-run`: text, or one JSON object. */
export function renderPlan(scenario: Scenario, plan: GridPlan, asJson: boolean): string {
  const requests = plan.trials.length * scenario.requests;
  const promptTokens = scenario.prefixTokens + scenario.tailTokens;
  if (asJson) {
    const trials = plan.trials.map((trial) => ({
      id: trial.id,
      requests: trial.prefixOf.length,
      prefix_of: [...trial.prefixOf],
      due_ms: trial.dueMs === null ? null : [...trial.dueMs],
    }));
    return `${JSON.stringify({ scenario, cells: plan.cells, trials }, null, 2)}\n`;
  }
  const lines = [
    ...variantsOf(scenario).map((spec) => `${spec.variant}: ${spec.url}`),
    `${plan.cells.length} cells x ${scenario.repeats} repeats x ${scenario.requests} requests = ${requests.toLocaleString('en-US')} requests${scenario.variants.length > 1 ? ` for each of ${scenario.variants.length} variants` : ''}`,
    `prompt ${promptTokens} tokens (prefix ${scenario.prefixTokens} + tail ${scenario.tailTokens}), output ${scenario.outputTokens}; seed ${scenario.seed}${scenario.salt === '' ? '' : `, salt ${scenario.salt}`}`,
    `prompt tokens in all: ${(requests * promptTokens).toLocaleString('en-US')}; output tokens: ${(requests * scenario.outputTokens).toLocaleString('en-US')}`,
    '',
    'Trials, in the order in which they run:',
    ...plan.trials.map(
      (trial, i) =>
        `${String(i + 1).padStart(4)}  ${trial.id.padEnd(12)}  ${trial.cell.prefixes} prefixes, ${describeLoad(trial.cell.load)}, repeat ${trial.repeat}`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/** `8 in flight` or `20 requests/s`. */
export function describeLoad(load: Load): string {
  return load.kind === 'closed' ? `${load.concurrency} in flight` : `${load.rate} requests/s`;
}
