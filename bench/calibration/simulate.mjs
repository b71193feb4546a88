import { connectSim } from '../../dist/cli/connect-sim.js';
import { resolveScenario } from '../../dist/core/scenario/resolve-scenario.js';
import { planGrid } from '../../dist/core/workload/plan.js';
import { runGrid } from '../../dist/engine/run-grid.js';

/** One run against the simulated cluster in memory: what reading its run directory would give. */
export async function simulate(name, url, settings) {
  const scenario = resolveScenario({ ...settings, url, variant: name }, () => name);
  const plan = planGrid(scenario);
  const target = connectSim(scenario);
  const variant = { name, target: target.facts };
  const records = [];
  const trials = [];
  await runGrid(
    scenario,
    plan.trials.map((trial) => ({ variant, transport: target.transport, trial })),
    {
      ...target,
      stop: { stopping: false, onAbort: () => () => {} },
      sink: { write: (record) => records.push(record) },
      progress: { trialStarted: () => {}, requestEnded: () => {}, trialEnded: () => {} },
      wallTime: () => '',
      onTrialEnd: async (trial) => {
        trials.push(trial);
      },
    },
  );
  await target.close();
  const run = {
    schema: 'kvbench/1',
    status: 'complete',
    scenario,
    workload: { sha256: scenario.seed, salt_sha256: scenario.salt },
    variants: [variant],
    provenance: { kvbench: '', node: '', host: '', cpu: '', clock: 'virtual', started_at: name },
    trials,
    record: null,
  };
  return { kind: 'run', source: name, run, records, notes: [] };
}
