import { describe, expect, it } from 'vitest';
import { factsOfTrial } from '../../../src/core/measure/trial-facts.js';
import { createWorkerLifetimes } from '../../../src/core/measure/worker-lifetimes.js';
import { summarizeWorkerLoad } from '../../../src/core/measure/worker-load.js';
import { RULES } from '../../support/records.js';
import { runOf } from '../../support/runs.js';
import { drawFirstTrial } from '../../support/trials.js';

const fleetOf = (...workers: string[]) => createWorkerLifetimes([{ repeat: 1, workers }]);

function trialOf(workerOf: (seq: number) => string | null, repeat = 1) {
  const { run, records } = runOf('v', { prefixes: [2], requests: 40, repeats: 1 }, ({ seq }) => ({
    worker: workerOf(seq),
  }));
  const plan = drawFirstTrial(run.scenario);
  return { repeat, facts: factsOfTrial(records, plan, RULES), prefixOf: plan.prefixOf };
}

describe('summarizeWorkerLoad', () => {
  it('counts an idle worker of the run, and gives the spread of the load', () => {
    const load = summarizeWorkerLoad(
      [trialOf((seq) => (seq % 4 === 0 ? 'w2' : 'w10'))],
      2,
      fleetOf('w10', 'w2', 'w1'),
    );
    expect(load?.workers).toEqual([
      { worker: 'w10', requests: 30, share: 0.75 },
      { worker: 'w2', requests: 10, share: 0.25 },
      { worker: 'w1', requests: 0, share: 0 },
    ]);
    // 0, 10 and 30 requests: mean 13.33, standard deviation √(1400 / 9) = 12.47.
    expect(load?.cv).toBeCloseTo(12.4722 / 13.3333, 4);
    expect(load?.cvByChance).toBeCloseTo(Math.sqrt(2 / 40), 12);
  });

  it('keeps the workers of a target apart that was started anew between repeats', () => {
    const trials = [
      trialOf((seq) => (seq % 4 === 0 ? 'a' : 'b'), 1),
      trialOf((seq) => (seq % 2 === 0 ? 'c' : 'd'), 2),
    ];
    const fleet = createWorkerLifetimes([
      { repeat: 1, workers: ['a', 'b', 'idle'] },
      { repeat: 2, workers: ['c', 'd'] },
    ]);
    const load = summarizeWorkerLoad(trials, 2, fleet);
    expect(load?.workers).toEqual([
      { worker: 'b, c', requests: 50, share: 0.625 },
      { worker: 'a, d', requests: 30, share: 0.375 },
      { worker: 'idle', requests: 0, share: 0 },
    ]);
    // 10, 30 and 0 requests of three workers; 20 and 20 of two.
    expect(load?.cv).toBeCloseTo(12.4722 / 13.3333 / 2, 4);
    expect(load?.trials.map(({ workers }) => workers)).toEqual([
      ['a', 'b', 'idle'],
      ['c', 'd'],
    ]);
  });

  it('counts worker by prefix, workers in the order of their ids', () => {
    const trial = trialOf((seq) => (seq < 10 ? 'w10' : 'w9'));
    const load = summarizeWorkerLoad([trial], 2, fleetOf('w10', 'w9'));
    const ones = [...trial.prefixOf].filter((prefix) => prefix === 1).length;
    const early = [...trial.prefixOf.slice(0, 10)].filter((prefix) => prefix === 1).length;
    expect(load?.trials).toEqual([
      {
        repeat: 1,
        workers: ['w9', 'w10'],
        counts: [
          [30 - (ones - early), ones - early],
          [10 - early, early],
        ],
      },
    ]);
  });

  it('is null when no answer names its worker', () => {
    expect(summarizeWorkerLoad([trialOf(() => null)], 2, fleetOf())).toBeNull();
  });
});
