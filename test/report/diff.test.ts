import { describe, expect, it } from 'vitest';
import { compareVariants } from '../../src/core/compare/compare.js';
import { buildComparedVariants } from '../../src/core/compare/compared-variant.js';
import { judgeFailRules, parseFailRule } from '../../src/core/compare/fail-rule.js';
import type { RunInput } from '../../src/core/measure/run-input.js';
import { buildDiff, type DiffView } from '../../src/report/diff-document.js';
import { renderDiffJson } from '../../src/report/diff-json.js';
import { renderMarkdown } from '../../src/report/document/markdown.js';
import { renderText } from '../../src/report/document/text.js';
import { runOf } from '../support/runs.js';

const VIEW: DiffView = { measures: null, all: false, workers: false, gates: [] };

function compare(...inputs: readonly RunInput[]) {
  return compareVariants(buildComparedVariants(inputs), { workerCapacity: null });
}

function diffText(inputs: readonly RunInput[], view: Partial<DiffView> = {}): string {
  return renderText(buildDiff(compare(...inputs), { ...VIEW, ...view }));
}

describe('a diff as text', () => {
  it('says not measured and not reported, and never 0 for either', () => {
    const silent = runOf('kv', { prefixes: [4] }, () => ({ cached_tokens: null, worker: null }));
    const text = diffText([runOf('rr'), silent], { all: true });
    expect(text).toMatch(/p2-c4 +not measured/);
    expect(text).toMatch(/p4-c4 +96\.0→– \?/);
    expect(text).toContain('the request hit rate is missing on one side');
    expect(text).toMatch(/4 in flight +4 +kv +not reported/);
  });

  it('begins with a table of at most twelve lines, and a sentence', () => {
    const prefixes = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
    const text = diffText([runOf('rr', { prefixes }), runOf('kv', { prefixes })]);
    const [heading, table = '', answer] = text.split('\n\n');
    expect(heading).toBe('rr → kv');
    const lines = table.split('\n');
    expect(lines.length).toBeLessThanOrEqual(12);
    expect(lines[0]).toBe('kv against rr');
    expect(lines.some((line) => /^ {2}4 in flight +\d/.test(line))).toBe(true);
    expect(answer?.replace(/\s+/g, ' ')).toMatch(
      /^With kv, the request hit rate is not distinguishable in any of \d+ cells \(medians over the cells: [\d.]+ → [\d.]+ %\);/,
    );
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('puts what forbids the comparison right behind the answer, with what to do', () => {
    const text = diffText([runOf('rr'), runOf('kv', { seed: '2' })], { all: true });
    expect(text).toContain(
      [
        'FORBIDS COMPARISON workload-differs (rr, kv): seed: 1 and 2',
        '  -> rerun one of them with the same seed, lengths and number of requests; only',
        '    --salt may differ',
      ].join('\n'),
    );
    expect(text).toContain('These runs must not be compared as they are');
    expect(text.indexOf('FORBIDS')).toBeLessThan(text.indexOf('Lost cached tokens'));
  });

  it('keeps details for --all', () => {
    const runs = [runOf('rr'), runOf('kv')];
    expect(diffText(runs)).not.toContain('Lost cached tokens');
    expect(diffText(runs)).toContain('kvbench diff --all');
    expect(diffText(runs, { all: true })).toContain('Lost cached tokens');
  });

  it('names every side of a finding once, and in how many cells it was seen', () => {
    const few = { prefixes: [2, 3, 4, 5, 6, 7, 8, 9], requests: 50 };
    const text = diffText([runOf('rr', few), runOf('kv', few), runOf('other', few)]);
    expect(text.match(/percentile-unsupported/g)).toHaveLength(1);
    expect(text).toContain('NOTE percentile-unsupported (rr, kv, other): in 8 cells, e.g. p2-c4: ');
  });

  it('prints worker by prefix counts when asked', () => {
    const kv = runOf('kv', {}, ({ prefix }) => ({ worker: `w${prefix}` }));
    expect(diffText([runOf('rr'), kv], { workers: true })).toMatch(
      /Requests by worker and prefix: kv, p2-c4-r1\n +worker +0 +1\n +w0 +\d+ +0\n +w1 +0 +\d+\n/,
    );
  });
});

describe('a diff as Markdown and JSON', () => {
  it('holds gates and findings, too', () => {
    const comparison = compare(runOf('rr'), runOf('kv', { salt: 'x' }));
    const gates = judgeFailRules([parseFailRule('ttft_p50_ms>+10%')], comparison);
    const markdown = renderMarkdown(buildDiff(comparison, { ...VIEW, gates }));
    expect(markdown).toContain(
      '- · **rr, kv: salt differs** (`salt-differs`): same workload hash, different salt.',
    );
    expect(markdown).toMatch(/- passed --fail-on ttft\\_p50\\_ms\\>\+10%/);
    const json = JSON.parse(renderDiffJson(comparison, gates));
    expect(json.schema).toBe('kvbench-diff/1');
    expect(json.gates).toEqual([{ rule: 'ttft_p50_ms>+10%', passed: true, judged: 2, broken: [] }]);
    expect(json.cells[0].sides[0].lost.missing).toBe(12_000);
  });
});
