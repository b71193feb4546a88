import { describe, expect, it } from 'vitest';
import { compareVariants } from '../../../src/core/compare/compare.js';
import { buildComparedVariants } from '../../../src/core/compare/compared-variant.js';
import type { Comparison } from '../../../src/core/compare/comparison.js';
import { isShut, judgeFailRules, parseFailRule } from '../../../src/core/compare/fail-rule.js';
import { runOf } from '../../support/runs.js';

/** `kv` takes `factor` times as long to its first token in the cell of four prefixes, give or take `noise`. */
function comparisonOf(factor: number, noise = 0.001): Comparison {
  const slower = runOf('kv', {}, ({ cell, seq, repeat, again }) => ({
    ttft_ms: (again ? 4 : 9) * (cell.prefixes === 4 ? factor * (1 + noise * (repeat - 2)) : 1) + seq * 1e-4,
  }));
  const usual = runOf('rr', {}, ({ seq, again }) => ({ ttft_ms: (again ? 4 : 9) + seq * 1e-4 }));
  return compareVariants(buildComparedVariants([usual, slower]), { workerCapacity: null });
}

function broken(rule: string, comparison: Comparison): string[] {
  const [result] = judgeFailRules([parseFailRule(rule)], comparison);
  return result?.broken.map(({ candidate, cell }) => `${candidate} ${cell}`) ?? [];
}

describe('parseFailRule', () => {
  it('reads measure, cell, comparator and signed change with its unit', () => {
    expect(parseFailRule('ttft_p99_ms>+10%')).toMatchObject({
      measure: 'ttft_p99_ms',
      cell: null,
      comparator: '>',
      limit: 10,
      unit: '%',
    });
    expect(parseFailRule(' request_hit_rate@p12-c8 <= -2.5 pp ')).toMatchObject({
      measure: 'request_hit_rate',
      cell: 'p12-c8',
      comparator: '<=',
      limit: -2.5,
      unit: 'pp',
    });
  });

  it('refuses what it cannot read, unknown measures and the wrong unit, and says what to write', () => {
    expect(() => parseFailRule('ttft is bad')).toThrow('--fail-on: cannot read "ttft is bad"');
    expect(() => parseFailRule('ttft_p99_ms>+10')).toThrow('cannot read');
    expect(() => parseFailRule('ttft_p9_ms>+10%')).toThrow('there is no compared measure "ttft_p9_ms"');
    expect(() => parseFailRule('request_hit_rate<-2%')).toThrow('changes of request_hit_rate are in pp');
  });
});

describe('judgeFailRules', () => {
  it('breaks where the change is beyond the limit and distinguishable', () => {
    expect(broken('ttft_p50_ms>+10%', comparisonOf(1.2))).toEqual(['kv p4-c4']);
    expect(broken('ttft_p50_ms>+10%', comparisonOf(1.05))).toEqual([]);
    expect(broken('ttft_p50_ms<-10%', comparisonOf(0.7))).toEqual(['kv p4-c4']);
  });

  it('does not fail for noise', () => {
    const noisy = comparisonOf(1.2, 0.8);
    const change = noisy.cells[1]?.candidates[0]?.changes.find(({ measure }) => measure === 'ttft_p50_ms');
    expect(change?.change).toBeGreaterThan(10);
    expect(broken('ttft_p50_ms>+10%', noisy)).toEqual([]);
  });

  it('takes the change by itself where there is no verdict', () => {
    const once = { repeats: 1 };
    const slow = runOf('kv', once, () => ({ ttft_ms: 20 }));
    const comparison = compareVariants(buildComparedVariants([runOf('rr', once), slow]), {
      workerCapacity: null,
    });
    expect(broken('ttft_p50_ms>+10%', comparison)).toEqual(['kv p2-c4', 'kv p4-c4']);
  });

  it('looks only at the cells that a rule names', () => {
    const comparison = comparisonOf(1.2);
    expect(broken('ttft_p50_ms@p4>+10%', comparison)).toEqual(['kv p4-c4']);
    expect(broken('ttft_p50_ms@c4>+10%', comparison)).toEqual(['kv p4-c4']);
    expect(broken('ttft_p50_ms@p2-c4>+10%', comparison)).toEqual([]);
  });

  it('shuts a gate that nothing can be held against', () => {
    const results = judgeFailRules([parseFailRule('ttft_p50_ms@p99>+10%')], comparisonOf(1));
    expect(results[0]).toMatchObject({ judged: 0, broken: [] });
    expect(isShut(results)).toBe(true);
    expect(isShut(judgeFailRules([parseFailRule('ttft_p50_ms>+10%')], comparisonOf(1)))).toBe(false);
  });
});
