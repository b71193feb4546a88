// One scenario against the simulated cluster, in this process: the same path as `kvbench grid`, without its files.

import { connectSim } from '../../dist/cli/connect-sim.js';
import { summarizeCell } from '../../dist/core/measure/summaries.js';
import { summaryContext } from '../../dist/core/measure/trial-rows.js';
import { planGrid } from '../../dist/core/workload/plan.js';
import { runGrid } from '../../dist/engine/run-grid.js';

const SILENT = { trialStarted() {}, requestEnded() {}, trialEnded() {} };
const NEVER = { stopping: false, onAbort: () => () => undefined };

/** The measures of every cell, by cell id. Throws when a request failed or a trial was dropped. */
export async function runVariant(scenario) {
  const target = connectSim(scenario);
  const variant = { name: scenario.variant, target: target.facts };
  const plan = planGrid(scenario);
  const trials = [];
  await runGrid(
    scenario,
    plan.trials.map((trial) => ({ variant, transport: target.transport, trial })),
    {
      clock: target.clock,
      monitor: target.monitor,
      stop: NEVER,
      sink: { write() {} },
      progress: SILENT,
      wallTime: () => '',
      onTrialEnd: async (_, rows) => void trials.push(...rows),
    },
  );
  await target.close();
  const bad = trials.find((trial) => trial.failed > 0 || !trial.kept);
  if (bad !== undefined) throw new Error(`${scenario.variant} ${bad.id}: ${JSON.stringify(bad.findings)}`);
  const context = summaryContext(scenario, variant);
  return Object.fromEntries(
    plan.cells.map((cell) => [
      cell.id,
      summarizeCell(
        cell,
        trials.filter((trial) => trial.cell.id === cell.id),
        context,
      ).values,
    ]),
  );
}
