import { describe, expect, it } from 'vitest';
import { compareVariants } from '../../src/core/compare/compare.js';
import { buildComparedVariants } from '../../src/core/compare/compared-variant.js';
import { judgeFailRules, parseFailRule } from '../../src/core/compare/fail-rule.js';
import { measuresShown } from '../../src/core/measure/measures.js';
import type { RunInput } from '../../src/core/measure/run-input.js';
import { renderDiffJson } from '../../src/report/diff-json.js';
import { renderDiffMarkdown } from '../../src/report/diff-markdown.js';
import { type DiffView, renderDiffText } from '../../src/report/diff-text.js';
import { runOf } from '../support/runs.js';

const VIEW: DiffView = { measures: measuresShown('changes'), workers: false, gates: [] };

function compare(...inputs: readonly RunInput[]) {
  return compareVariants(buildComparedVariants(inputs), { workerCapacity: null });
}

describe('renderDiffText', () => {
  it('says not measured and not reported, and never 0 for either', () => {
    const silent = runOf('kv', { prefixes: [4] }, () => ({ cached_tokens: null, worker: null }));
    const text = renderDiffText(compare(runOf('rr'), silent), VIEW);
    expect(text).toMatch(/p2-c4 +98\.0 +not measured\n/);
    expect(text).toMatch(/p4-c4 +96\.0 +not reported +\?\n/);
    expect(text).toContain('? one of the two did not report it');
    expect(text).toMatch(/p4-c4 +kv +not reported\n/);
  });

  it('puts what forbids the comparison before every figure, with what to do', () => {
    const text = renderDiffText(compare(runOf('rr'), runOf('kv', { seed: '2' })), VIEW);
    expect(text).toContain(
      [
        'FORBIDS COMPARISON workload-differs (rr, kv)',
        '  seed: 1 and 2',
        '  -> rerun one of them with the same seed, lengths and number of requests; only',
        '    --salt may differ',
      ].join('\n'),
    );
    expect(text.indexOf('FORBIDS')).toBeLessThan(text.indexOf('Request hit rate'));
  });

  it('names every side of a finding once, and counts places beyond the sixth', () => {
    const prefixes = [2, 3, 4, 5, 6, 7, 8, 9];
    const few = { prefixes, requests: 50 };
    const text = renderDiffText(compare(runOf('rr', few), runOf('kv', few)), VIEW);
    expect(text.match(/percentile-unsupported/g)).toHaveLength(1);
    expect(text).toContain(
      'NOTE percentile-unsupported (rr, kv) in p2-c4, p3-c4, p4-c4, p5-c4, p6-c4, p7-c4\n  and 2 more',
    );
  });

  it('prints worker by prefix counts when asked', () => {
    const kv = runOf('kv', {}, ({ prefix }) => ({ worker: `w${prefix}` }));
    const text = renderDiffText(compare(runOf('rr'), kv), { ...VIEW, workers: true });
    expect(text).toMatch(
      /Requests by worker and prefix: kv, p2-c4-r1\n +worker +0 +1\n +w0 +\d+ +0\n +w1 +0 +\d+\n/,
    );
  });
});

describe('renderDiffMarkdown and renderDiffJson', () => {
  it('hold gates and findings, too', () => {
    const comparison = compare(runOf('rr'), runOf('kv', { salt: 'x' }));
    const gates = judgeFailRules([parseFailRule('ttft_p50_ms>+10%')], comparison);
    const markdown = renderDiffMarkdown(comparison, { ...VIEW, gates });
    expect(markdown).toContain('- **Note: salt-differs** (rr, kv): equal workload hash, another salt.');
    expect(markdown).toContain('- passed `ttft_p50_ms>+10%`');
    const json = JSON.parse(renderDiffJson(comparison, gates));
    expect(json.schema).toBe('kvbench-diff/1');
    expect(json.gates).toEqual([{ rule: 'ttft_p50_ms>+10%', passed: true, judged: 2, broken: [] }]);
    expect(json.cells[0].sides[0].lost.missing).toBe(12_000);
  });
});
