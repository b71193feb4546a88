import { connectSim } from '../../src/cli/connect-sim.js';
import type { RequestRecord } from '../../src/core/answer/request-record.js';
import { type RunFile, SCHEMA, type TrialRun } from '../../src/core/measure/run-file.js';
import type { RunData } from '../../src/core/measure/run-input.js';
import { resolveScenario } from '../../src/core/scenario/resolve-scenario.js';
import type { PartialScenario } from '../../src/core/scenario/settings.js';
import { planGrid } from '../../src/core/workload/plan.js';
import { runGrid } from '../../src/engine/run-grid.js';

/**
 * A whole run against the simulated cluster on a virtual clock, in memory: what reading its run directory would give.
 * The digest of the workload is its seed: enough to tell workloads apart, and it costs nothing.
 */
export async function simulateRun(
  given: PartialScenario & { readonly url: string },
  over: Partial<RunFile> = {},
): Promise<RunData> {
  const scenario = resolveScenario(given, (url) => /^sim:([\w-]+)/.exec(url)?.[1] ?? 'target');
  const plan = planGrid(scenario);
  const target = connectSim(scenario);
  const variant = { name: scenario.variant, target: target.facts };
  const records: RequestRecord[] = [];
  const trials: TrialRun[] = [];
  await runGrid(
    scenario,
    plan.trials.map((trial) => ({ variant, transport: target.transport, trial })),
    {
      clock: target.clock,
      monitor: target.monitor,
      stop: { stopping: false, onAbort: () => () => {} },
      sink: { write: (record) => records.push(record) },
      progress: { trialStarted: () => {}, requestEnded: () => {}, trialEnded: () => {} },
      wallTime: () => '2026-01-01T00:00:00.000Z',
      onTrialEnd: async (trial) => {
        trials.push(trial);
      },
    },
  );
  await target.close();
  const run: RunFile = {
    schema: SCHEMA,
    status: 'complete',
    scenario,
    plan: {
      cells: plan.cells.map((cell) => cell.id),
      trials: plan.trials.map((trial) => ({ id: trial.id, requests: scenario.requests })),
    },
    workload: {
      sha256: `workload of seed ${scenario.seed}`,
      salt_sha256: scenario.salt === '' ? null : `salt ${scenario.salt}`,
    },
    variants: [variant],
    provenance: {
      kvbench: '0.1.0',
      node: 'v20.18.1',
      platform: 'linux x64',
      cpu: 'virtual',
      cores: 1,
      memory_gib: 1,
      host: 'host',
      git: null,
      argv: [],
      clock: 'virtual',
      started_at: '2026-01-01T00:00:00.000Z',
      ended_at: '2026-01-01T01:00:00.000Z',
    },
    trials,
    record: null,
    ...over,
  };
  return { kind: 'run', source: `runs/${scenario.variant}`, run, records, notes: [] };
}
