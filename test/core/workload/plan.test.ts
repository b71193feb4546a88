import { describe, expect, it } from 'vitest';
import { createCell, planGrid, planTrial } from '../../../src/core/workload/plan.js';
import { drawFirstTrial, drawTrials } from '../../support/trials.js';

const SETTINGS = {
  ...{ seed: '1', prefixes: [2, 7], concurrency: [4, 8], rate: [], groups: [] },
  ...{ requests: 240, repeats: 3 },
};

describe('planGrid', () => {
  it('plans every cell of every repeat once', () => {
    const { cells, trials } = planGrid(SETTINGS);
    expect(cells.map((cell) => cell.id)).toEqual(['p2-c4', 'p2-c8', 'p7-c4', 'p7-c8']);
    expect(trials.map((trial) => trial.id).sort()).toEqual(
      cells.flatMap((cell) => [1, 2, 3].map((repeat) => `${cell.id}-r${repeat}`)).sort(),
    );
  });

  it('goes repeat by repeat, each in an order of its own', () => {
    const { trials } = planGrid(SETTINGS);
    expect(trials.map((trial) => trial.repeat)).toEqual([1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]);
    const orders = [0, 4, 8].map((from) =>
      trials
        .slice(from, from + 4)
        .map((trial) => trial.cell.id)
        .join(),
    );
    expect(new Set(orders).size).toBe(3);
  });

  it('drops no remainder: 240 requests over 7 prefixes are 240', () => {
    for (const trial of drawTrials(SETTINGS)) expect(trial.prefixOf).toHaveLength(240);
  });

  it('gives the same plan for the same seed and another for another', () => {
    const of = (seed: string) => drawTrials({ ...SETTINGS, seed }).map((trial) => [...trial.prefixOf].join());
    expect(of('1')).toEqual(of('1'));
    expect(of('2')).not.toEqual(of('1'));
  });

  it('draws prefixes uniformly', () => {
    const cell = createCell(7, { kind: 'closed', concurrency: 4 });
    const { prefixOf } = planTrial(
      { ...SETTINGS, requests: 70_000 },
      { id: `${cell.id}-r1`, cell, repeat: 1 },
    );
    const counts = new Array<number>(7).fill(0);
    for (const prefix of prefixOf) counts[prefix] = (counts[prefix] ?? 0) + 1;
    // Binomial(70,000, 1/7): mean 10,000, standard deviation 92.6; five of them are 463.
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(463);
  });

  it('plans an open load with Poisson arrivals at its rate', () => {
    const trial = drawFirstTrial({
      ...SETTINGS,
      concurrency: [],
      rate: [20],
      prefixes: [2],
      requests: 20_000,
      repeats: 1,
    });
    expect(trial.cell.id).toBe('p2-q20');
    const due = trial.dueMs ?? new Float64Array();
    expect(due[0]).toBe(0);
    const gaps = Array.from(due.subarray(1), (at, i) => at - (due[i] ?? 0));
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    const deviation = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length);
    expect(Math.abs(mean - 50)).toBeLessThan(1.8);
    expect(Math.abs(deviation / mean - 1)).toBeLessThan(0.05);
  });
});
