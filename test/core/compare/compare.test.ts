import { describe, expect, it } from 'vitest';
import { createRng } from '../../../src/core/base/rng.js';
import { compareVariants } from '../../../src/core/compare/compare.js';
import { buildComparedVariants } from '../../../src/core/compare/compared-variant.js';
import type { Comparison, MeasureChange } from '../../../src/core/compare/comparison.js';
import type { MeasureKey } from '../../../src/core/measure/measures.js';
import type { RunInput } from '../../../src/core/measure/run-input.js';
import { FAIR_CLIENT } from '../../support/records.js';
import { runOf } from '../../support/runs.js';

function compare(...inputs: readonly RunInput[]): Comparison {
  return compareVariants(buildComparedVariants(inputs), { workerCapacity: null });
}

function changeOf(comparison: Comparison, measure: MeasureKey, cell = 0, candidate = 0): MeasureChange {
  const changes = comparison.cells[cell]?.candidates[candidate]?.changes ?? [];
  const change = changes.find((own) => own.measure === measure);
  if (change === undefined) throw new Error(`no change of ${measure}`);
  return change;
}

/** A run whose requests hit by chance, `rate` of the time, with luck of its own for each trial. */
function luckyRun(variant: string, rate: number, ttftMs = 50) {
  return runOf(variant, { salt: variant }, ({ cell, repeat, seq, again }) => {
    const luck = createRng(`${variant}/${cell.id}/${repeat}/${seq}`);
    const hit = again && luck.next() < rate;
    return {
      cached_tokens: hit ? 2000 : 0,
      ttft_ms: ttftMs * (0.9 + 0.2 * luck.next()),
      e2e_ms: 200 * (0.9 + 0.2 * luck.next()),
    };
  });
}

describe('compareSides', () => {
  it('finds no difference between a run and itself', () => {
    const run = luckyRun('kv', 0.6);
    const comparison = compare(run, run);
    const changes = comparison.cells.flatMap((cell) => cell.candidates[0]?.changes ?? []);
    expect(new Set(changes.map((change) => change.change))).toEqual(new Set([0]));
    expect(new Set(changes.map((change) => change.verdict))).toEqual(new Set(['not distinguishable']));
    expect(comparison.findings.map((finding) => finding.code)).toContain('same-run');
  });

  it('finds a large effect in the right direction, with its interval and unit', () => {
    const comparison = compare(luckyRun('rr', 0.4, 100), luckyRun('kv', 0.9, 50));
    const hits = changeOf(comparison, 'request_hit_rate');
    expect(hits).toMatchObject({ unit: 'pp', verdict: 'better', noVerdict: null });
    expect(hits.change).toBeCloseTo(100 * ((hits.candidate ?? 0) - (hits.baseline ?? 0)), 6);
    expect(hits.interval?.low).toBeGreaterThan(30);
    expect(hits.interval?.high).toBeLessThan(70);
    const ttft = changeOf(comparison, 'ttft_p50_ms');
    expect(ttft).toMatchObject({ unit: '%', verdict: 'better' });
    expect(ttft.change).toBeCloseTo(-50, 0);
    expect(changeOf(compare(luckyRun('kv', 0.9, 50), luckyRun('rr', 0.4, 100)), 'ttft_p50_ms').verdict).toBe(
      'worse',
    );
  });

  it('gives no verdict on a time that a late client may explain, and keeps those that it cannot touch', () => {
    const [before, after] = [luckyRun('rr', 0.4, 100), luckyRun('kv', 0.9, 90)];
    const late = (lagMs: number) => {
      const lags = {
        stamp_lag_mean_ms: lagMs,
        stamp_lag_p50_ms: lagMs,
        stamp_lag_p90_ms: lagMs,
        stamp_lag_p99_ms: lagMs,
      };
      const trials = before.run.trials.map((trial) => ({ ...trial, client: { ...FAIR_CLIENT, ...lags } }));
      return compare({ ...before, run: { ...before.run, trials } }, after);
    };
    expect(changeOf(late(1), 'ttft_p50_ms').verdict).toBe('better');
    const change = changeOf(late(15), 'ttft_p50_ms');
    expect(change).toMatchObject({ verdict: 'not distinguishable', noVerdict: null });
    expect(change.interval?.high).toBeGreaterThan(0);
    expect(change.clientMargin?.below).toBe(0);
    expect(change.clientMargin?.above).toBeGreaterThan(10);
    const { interval, p, verdict } = changeOf(compare(before, after), 'request_hit_rate');
    expect(changeOf(late(15), 'request_hit_rate')).toMatchObject({ interval, p, verdict });
    expect(changeOf(late(200), 'ttft_p50_ms')).toMatchObject({ verdict: null, noVerdict: 'client-limited' });
  });

  it('calls two runs of equal chances not distinguishable', () => {
    const comparison = compare(luckyRun('kv', 0.6), luckyRun('kv-again', 0.6));
    const verdicts = comparison.cells.flatMap((cell) =>
      (cell.candidates[0]?.changes ?? []).map((change) => change.verdict),
    );
    expect(verdicts.filter((verdict) => verdict !== 'not distinguishable')).toEqual([]);
    expect(verdicts).toHaveLength(20);
  });

  it('shows the medians of the tables when both kept every repeat', () => {
    const comparison = compare(luckyRun('rr', 0.4), luckyRun('kv', 0.9));
    const cell = comparison.cells[1];
    expect(changeOf(comparison, 'request_hit_rate', 1).baseline).toBe(
      cell?.sides[0]?.values.request_hit_rate,
    );
    expect(changeOf(comparison, 'ttft_p99_ms', 1).candidate).toBe(cell?.sides[1]?.values.ttft_p99_ms);
  });

  it('is reproducible and does not depend on the order of records', () => {
    const [rr, kv] = [luckyRun('rr', 0.4), luckyRun('kv', 0.9)];
    const shuffled = { ...kv, records: [...kv.records].reverse() };
    expect(compare(rr, shuffled)).toEqual(compare(rr, kv));
  });

  it('gives adjusted p-values no smaller than their own and verdicts that follow them', () => {
    const comparison = compare(luckyRun('rr', 0.5), luckyRun('kv', 0.6));
    for (const change of comparison.cells.flatMap((cell) => cell.candidates[0]?.changes ?? [])) {
      expect(change.adjustedP).toBeGreaterThanOrEqual(change.p ?? Number.NaN);
      expect(change.verdict === 'not distinguishable').toBe((change.adjustedP ?? 0) > 0.05);
    }
  });

  it('compares only the repeats that both kept', () => {
    const warm = runOf('kv', {}, ({ repeat, cell, again }) => ({
      cached_tokens: again || (repeat === 2 && cell.prefixes === 2) ? 2000 : 0,
    }));
    const comparison = compare(runOf('rr'), warm);
    expect(comparison.cells[0]?.candidates[0]?.repeats).toEqual([1, 3]);
    expect(comparison.cells[1]?.candidates[0]?.repeats).toEqual([1, 2, 3]);
    expect(comparison.findings.map((finding) => finding.code)).toEqual(
      expect.arrayContaining(['contaminated', 'missing-trials', 'repeats-left-out']),
    );
  });

  it('gives no verdict on a single repeat', () => {
    const comparison = compare(runOf('rr', { repeats: 1 }), runOf('kv', { repeats: 1 }));
    expect(changeOf(comparison, 'ttft_p50_ms')).toMatchObject({
      verdict: null,
      noVerdict: 'one-repeat',
      interval: null,
      change: 0,
    });
  });

  it('pairs nothing when the plans differ', () => {
    const comparison = compare(runOf('rr'), runOf('kv', { seed: '2' }));
    expect(changeOf(comparison, 'ttft_p50_ms')).toMatchObject({ verdict: null, noVerdict: 'not-paired' });
    expect(comparison.candidates[0]?.comparisons).toBe(0);
  });

  it('pairs the cells that two grids share', () => {
    const comparison = compare(
      runOf('rr'),
      runOf('kv', { prefixes: [4, 8] }, undefined, {
        workload: { sha256: 'another grid', salt_sha256: null },
      }),
    );
    expect(comparison.cells.map((cell) => cell.cell.id)).toEqual(['p2-c4', 'p4-c4', 'p8-c4']);
    expect(comparison.cells.map((cell) => cell.candidates[0]?.repeats.length ?? null)).toEqual([
      null,
      3,
      null,
    ]);
    expect(comparison.findings.map((finding) => finding.code)).toEqual(['cells-differ']);
  });

  it('judges no percentile that the requests cannot support', () => {
    const small = { requests: 50 };
    const comparison = compare(runOf('rr', small), runOf('kv', small));
    expect(changeOf(comparison, 'ttft_p99_ms').noVerdict).toBe('percentile-unsupported');
    expect(changeOf(comparison, 'ttft_p50_ms').verdict).toBe('not distinguishable');
  });

  it('says that a value is missing instead of calling it 0', () => {
    const silent = runOf('rr', {}, () => ({ cached_tokens: null }));
    expect(changeOf(compare(silent, runOf('kv')), 'request_hit_rate')).toMatchObject({
      baseline: null,
      candidate: 0.98,
      change: null,
      verdict: null,
      noVerdict: 'no-value',
    });
  });

  it('compares tables alone by their values, without intervals', () => {
    const table = (variant: string, hit: number): RunInput => {
      const [side] = buildComparedVariants([runOf(variant)]);
      const cells = [...(side?.cells.values() ?? [])].map(({ summary }) => ({
        ...summary,
        values: { ...summary.values, request_hit_rate: hit },
      }));
      return { kind: 'grid', source: `${variant}/grid.csv`, cells, notes: [] };
    };
    const comparison = compare(table('rr', 0.5), table('kv', 0.75));
    expect(changeOf(comparison, 'request_hit_rate')).toMatchObject({
      change: 25,
      unit: 'pp',
      interval: null,
      noVerdict: 'no-requests',
    });
    expect(comparison.findings.map((finding) => finding.code)).toContain('grid-only');
  });

  it('lines up three variants against the first', () => {
    const comparison = compare(luckyRun('baseline', 0.4), luckyRun('rr', 0.4), luckyRun('kv', 0.9));
    expect(comparison.sides.map((side) => side.label)).toEqual(['baseline', 'rr', 'kv']);
    expect(comparison.candidates.map((candidate) => candidate.label)).toEqual(['rr', 'kv']);
    expect(changeOf(comparison, 'request_hit_rate', 0, 0).verdict).toBe('not distinguishable');
    expect(changeOf(comparison, 'request_hit_rate', 0, 1).verdict).toBe('better');
  });

  it('tells sides of one name apart by where they come from', () => {
    const again = { ...runOf('kv'), source: 'runs/second/' };
    expect(compare(runOf('kv'), again).sides.map((side) => side.label)).toEqual(['kv (kv)', 'kv (second)']);
  });

  it('puts the capacity ceiling beside the actual rate, with the workers of the cluster that names them', () => {
    const named = runOf('kv', {}, ({ seq }) => ({ worker: seq % 2 === 0 ? 'a' : 'b' }));
    const nameless = runOf('rr', {}, () => ({ worker: null }));
    const { cells } = compareVariants(buildComparedVariants([nameless, named]), { workerCapacity: 1.5 });
    expect(cells.map((cell) => cell.sides.map((side) => side?.capacityCeiling))).toEqual([
      [1, 1],
      [0.75, 0.75],
    ]);
  });

  it('splits the lost hits of every side, over its kept trials', () => {
    const { cells } = compare(runOf('rr'), runOf('kv'));
    expect(cells[1]?.sides[0]?.lost).toMatchObject({
      requests: 300,
      expected: 600_000,
      missing: 24_000,
      firstTouch: 24_000,
    });
  });
});
