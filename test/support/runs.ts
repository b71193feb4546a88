import type { RequestRecord } from '../../src/core/answer/request-record.js';
import { type RunFile, SCHEMA } from '../../src/core/measure/run-file.js';
import type { RunData } from '../../src/core/measure/run-input.js';
import { resolveScenario } from '../../src/core/scenario/resolve-scenario.js';
import type { PartialScenario } from '../../src/core/scenario/settings.js';
import { loadColumns } from '../../src/core/workload/load.js';
import { type Cell, planGrid, planTrial } from '../../src/core/workload/plan.js';
import { recordOf } from './records.js';

/** One planned request, as a maker of records gets it. */
export interface Planned {
  readonly cell: Cell;
  readonly repeat: number;
  readonly seq: number;
  readonly prefix: number;
  /** Whether an earlier request of the trial had the same prefix. */
  readonly again: boolean;
}

/** What a small grid of tests is unless a test says otherwise: 2 cells, 3 repeats of 100 requests. */
const SMALL: PartialScenario = { prefixes: [2, 4], concurrency: [4], requests: 100, repeats: 3, model: 'm' };

/**
 * A complete run made of records: every trial of the plan, every request answered 10 ms after the one before it was.
 * `make` says what is special about a request; unless it does, a prefix hits from its second request on.
 */
export function runOf(
  variant: string,
  given: PartialScenario = {},
  make: (planned: Planned) => Partial<RequestRecord> = () => ({}),
  over: Partial<RunFile> = {},
): RunData {
  const scenario = resolveScenario(
    { ...SMALL, url: 'http://127.0.0.1:8000', variant, ...given },
    () => variant,
  );
  const plan = planGrid(scenario);
  const records = plan.trials.flatMap((planned) => {
    const trial = planTrial(scenario, planned);
    const seen = new Set<number>();
    return Array.from(trial.prefixOf, (prefix, seq) => {
      const planned = { cell: trial.cell, repeat: trial.repeat, seq, prefix, again: seen.has(prefix) };
      seen.add(prefix);
      return recordOf({
        trial: trial.id,
        variant,
        prefixes: trial.cell.prefixes,
        ...loadColumns(trial.cell.load),
        repeat: trial.repeat,
        seq,
        prefix,
        sent_ms: seq * 10,
        ttft_ms: planned.again ? 4 : 9,
        e2e_ms: 10,
        cached_tokens: planned.again ? 2000 : 0,
        prompt_tokens: 2300,
        worker: 'a',
        ...make(planned),
      });
    });
  });
  const run: RunFile = {
    schema: SCHEMA,
    status: 'complete',
    scenario,
    plan: {
      cells: plan.cells.map((cell) => cell.id),
      trials: plan.trials.map((trial) => ({ id: trial.id, requests: scenario.requests })),
    },
    workload: { sha256: `seed ${scenario.seed}`, salt_sha256: scenario.salt === '' ? null : scenario.salt },
    variants: [
      {
        name: variant,
        target: {
          kind: 'http',
          url: scenario.url,
          model: scenario.model ?? 'm',
          models: null,
          dialect: 'openai',
          sent: {},
          cached_tokens: 'reported',
          probe: [],
        },
      },
    ],
    provenance: {
      kvbench: '0.1.0',
      node: 'v20.18.1',
      platform: 'linux x64',
      cpu: 'cpu',
      cores: 2,
      memory_gib: 4,
      host: 'host',
      git: null,
      argv: [],
      clock: 'monotonic',
      started_at: `started ${variant}`,
      ended_at: null,
    },
    trials: plan.trials.map((trial) => ({
      variant,
      id: trial.id,
      started_at: '2026-01-01T00:00:00.000Z',
      interrupted: false,
      client: null,
      itl: null,
    })),
    record: null,
    ...over,
  };
  return { kind: 'run', source: `runs/${variant}`, run, records, notes: [] };
}
