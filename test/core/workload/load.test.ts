import { describe, expect, it } from 'vitest';
import { createRng } from '../../../src/core/base/rng.js';
import {
  compareLoads,
  type Load,
  listLoads,
  loadColumns,
  loadId,
  loadLabel,
  loadOfColumns,
  planArrivals,
  slotsOf,
} from '../../../src/core/workload/load.js';

const LOADS = listLoads({ concurrency: [16, 4], rate: [20, 2.5] });

describe('a load', () => {
  it('has an id, a label and columns of its own', () => {
    expect(LOADS.map(loadId)).toEqual(['c16', 'c4', 'q20', 'q2.5']);
    expect(LOADS.map(loadLabel)).toEqual(['c=16', 'c=4', '20/s', '2.5/s']);
    expect(LOADS.map(slotsOf)).toEqual([16, 4, null, null]);
  });

  it('is read back from its columns', () => {
    expect(LOADS.map(loadColumns).map(loadOfColumns)).toEqual(LOADS);
    expect(loadOfColumns({ concurrency: null, rate: null })).toBeNull();
  });

  it('sorts closed before open, each by size', () => {
    expect([...LOADS].reverse().sort(compareLoads).map(loadId)).toEqual(['c4', 'c16', 'q2.5', 'q20']);
  });

  it('draws arrivals of an open load alone', () => {
    const draw = () => createRng('arrivals');
    const due = planArrivals({ kind: 'open', rate: 50 } satisfies Load, 5000, draw);
    expect(due?.[0]).toBe(0);
    expect((due?.[4999] ?? 0) / 4999).toBeCloseTo(20, 0);
    expect(planArrivals({ kind: 'closed', concurrency: 4 }, 5000, draw)).toBeNull();
  });
});
