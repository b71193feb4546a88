import { describe, expect, it } from 'vitest';
import { summarizeRun } from '../../src/core/measure/run-summary.js';
import type { Block, Table } from '../../src/report/document/document.js';
import { renderHtml } from '../../src/report/document/html.js';
import { renderMarkdown } from '../../src/report/document/markdown.js';
import { renderText } from '../../src/report/document/text.js';
import { EN } from '../../src/report/messages/en.js';
import { buildRunNotices } from '../../src/report/notices.js';
import { runOf } from '../support/runs.js';

const table = (columns: number, width: number): Table => ({
  kind: 'table',
  title: 'Title',
  head: ['name', ...Array.from({ length: columns }, (_, i) => `c${i}`)],
  rows: [['row', ...Array.from({ length: columns }, () => 'x'.repeat(width))]],
  nameColumns: 1,
  notes: ['a note'],
});

describe('one document in three formats', () => {
  const blocks: Block[] = [
    { ...table(1, 1), rows: [['a|b', { text: '▲ 1*', tone: 'better', detail: '0 … 2' }]] },
  ];

  it('keeps the same title, cells and notes, each escaped as its format needs', () => {
    expect(renderText(blocks)).toBe('Title\n  name            c0\n  a|b   ▲ 1* (0 … 2)\n  a note\n');
    expect(renderMarkdown(blocks)).toBe(
      '### Title\n\n| name | c0 |\n| --- | ---: |\n| a\\|b | ▲ 1\\* (0 … 2) |\n\na note\n',
    );
    expect(renderHtml(blocks, { lang: 'en', figures: new Map() })).toContain(
      '<td class="better">▲ 1*<small>0 … 2</small></td>',
    );
  });
});

describe('a document as text', () => {
  it('continues a table wider than 80 columns below itself, with its names again', () => {
    const lines = renderText([table(5, 20)]).split('\n');
    expect(lines.map((line) => line.trim().split(/ +/)[0])).toEqual([
      'Title',
      'name',
      'row',
      'name',
      'row',
      'a',
      '',
    ]);
    expect(lines[1]?.trim().split(/ +/)).toEqual(['name', 'c0', 'c1', 'c2']);
    expect(lines[3]?.trim().split(/ +/)).toEqual(['name', 'c3', 'c4']);
  });

  it('breaks long headings between words before it splits a table', () => {
    const wide = {
      ...table(3, 6),
      head: ['name', 'one long heading of it', 'another long one', `${'w'.repeat(30)} x`],
    };
    const text = renderText([wide]);
    expect(text.match(/name/g)).toHaveLength(1);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});

describe('the findings of a run', () => {
  it('stand in one line for each code, with the number of trials and one example', () => {
    const { run, records } = runOf('kv', { prefixes: [2, 4] }, ({ seq }) =>
      seq < 2 ? { outcome: 'timeout' } : {},
    );
    const notices = buildRunNotices(summarizeRun(run, records), EN);
    const text = renderText([{ kind: 'notices', notices }]);
    expect(text.match(/^CAUTION failed-requests/gm)).toHaveLength(1);
    expect(text).toMatch(
      /^CAUTION failed-requests: in 6 trials, e\.g\. p2-c4-r1: 2 of 100 failed: 2 timeout/m,
    );
    expect(text).toContain('  -> figures cover ok requests only');
  });
});
