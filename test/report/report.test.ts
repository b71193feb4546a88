import { beforeAll, describe, expect, it } from 'vitest';
import { compareVariants } from '../../src/core/compare/compare.js';
import { buildComparedVariants } from '../../src/core/compare/compared-variant.js';
import { buildExperimentRecord } from '../../src/core/measure/experiment-record.js';
import type { RunData } from '../../src/core/measure/run-input.js';
import { summarizeRun } from '../../src/core/measure/run-summary.js';
import type { Block } from '../../src/report/document/document.js';
import { renderHtml } from '../../src/report/document/html.js';
import { renderMarkdown } from '../../src/report/document/markdown.js';
import { drawSvg } from '../../src/report/figures/draw.js';
import { EN, type Messages } from '../../src/report/messages/en.js';
import { KO } from '../../src/report/messages/ko.js';
import { buildReport } from '../../src/report/report-blocks.js';
import { buildReportData } from '../../src/report/report-data.js';
import { simulateRun } from '../support/simulate-run.js';

const GRID = { prefixes: [2, 12], concurrency: [4, 8], requests: 100, repeats: 2, outputTokens: 8 } as const;
const CLUSTER = '?workers=6&capacity-requests=3.95';

let baseline: RunData;
let candidate: RunData;

beforeAll(async () => {
  const record = buildExperimentRecord({});
  baseline = await simulateRun({ ...GRID, url: `sim:round-robin${CLUSTER}` }, { record });
  candidate = await simulateRun({ ...GRID, url: `sim:kv${CLUSTER}` }, { record });
});

function reportOf(
  inputs: readonly RunData[],
  words: Messages = EN,
  workerCapacity: number | null = null,
): Block[] {
  const sides = buildComparedVariants(inputs);
  return buildReport(buildReportData(compareVariants(sides, { workerCapacity }), sides), words);
}

/** The same run as a target that never says what it cached, nor which worker served. */
function silenced(run: RunData): RunData {
  const records = run.records.map((record) => ({
    ...record,
    cached_tokens: null,
    worker: null,
    prefill_worker: null,
    decode_worker: null,
  }));
  return { ...run, records };
}

/** The same run, but one cell never began. */
function without(run: RunData, cell: string): RunData {
  const keep = (trial: string) => !trial.startsWith(`${cell}-`);
  return {
    ...run,
    run: { ...run.run, trials: run.run.trials.filter(({ id }) => keep(id)) },
    records: run.records.filter(({ trial }) => keep(trial)),
  };
}

/** The rows of the first Markdown table after a heading, as cells. */
function tableAfter(markdown: string, heading: string): string[][] {
  const lines = markdown.split('\n');
  const from = lines.findIndex((line) => line.replace(/^#+ /, '') === heading);
  const start = lines.findIndex((line, index) => index > from && line.startsWith('|'));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  return lines.slice(start + 2, end).map((line) => line.slice(2, -2).split(' | '));
}

describe('a report of two runs', () => {
  it('comes in the order a reader wants', () => {
    const headings = reportOf([baseline, candidate]).flatMap((block) =>
      block.kind === 'heading' && block.level === 2 ? block.text : [],
    );
    expect(headings).toEqual([
      'The answer',
      'What to know first',
      'Results',
      'Changes and verdicts',
      'Why the gain is not larger',
      'Figures',
      'Method',
      'Provenance',
      'Experiment record',
    ]);
  });

  it('answers in a small table, a sentence for the candidate and one for what is lost', () => {
    const blocks = reportOf([baseline, candidate]);
    const answer = blocks.find((block) => block.kind === 'answer');
    expect(answer?.sentences).toHaveLength(2);
    expect(answer?.sentences[0]).toMatch(
      /^With kv, the request hit rate is .* \(medians over the cells: [\d.]+ → [\d.]+ %\)/,
    );
    expect(answer?.sentences[1]).toContain('round-robin lost');
    const table = blocks.find((block) => block.kind === 'table');
    expect(table?.title).toBe('kv against round-robin');
    expect(table?.rows.map(([name]) => name)).toEqual(['p2-c4', 'p12-c4', 'p2-c8', 'p12-c8']);
    expect(table?.rows.length).toBeLessThanOrEqual(10);
  });

  it('shows in its tables the values of grid.csv', () => {
    const rows = tableAfter(renderMarkdown(reportOf([baseline, candidate])), 'Cached-token ratio');
    const grid = [baseline, candidate].map((run) => summarizeRun(run.run, run.records).cells);
    expect(rows.map((row) => row.slice(0, 2))).toEqual([
      ['4 in flight', '2'],
      ['4 in flight', '12'],
      ['8 in flight', '2'],
      ['8 in flight', '12'],
    ]);
    for (const [load = '', prefixes = '', ceiling, ...values] of rows) {
      for (const [side, shown = ''] of values.entries()) {
        const cell = grid[side]?.find(({ cell }) => cell.id === `p${prefixes}-c${load.split(' ')[0]}`);
        expect(shown.split(' ')[0]).toBe(cell?.values.cached_token_ratio?.toFixed(3));
        expect(ceiling).toBe(cell?.values.cached_token_ceiling?.toFixed(3));
      }
    }
  });

  it('splits every lost token: each row adds up to the whole', () => {
    const rows = tableAfter(renderMarkdown(reportOf([baseline, candidate])), 'Lost cached tokens by cause');
    expect(rows).toHaveLength(8);
    for (const row of rows) {
      const shares = row.slice(4).map((text) => Number.parseFloat(text));
      const total = shares.reduce((sum, share) => sum + share, 0);
      // Five shares, each rounded to 0.05.
      expect(Math.abs(total - 100)).toBeLessThanOrEqual(0.25 + 1e-9);
    }
  });

  it('adds the capacity ceiling only when the capacity is stated', () => {
    const heading = 'Request hit rate against its capacity ceiling, %';
    expect(renderMarkdown(reportOf([baseline, candidate]))).not.toContain(heading);
    const rows = tableAfter(renderMarkdown(reportOf([baseline, candidate], EN, 1)), heading);
    expect(rows[1]?.[2]).toMatch(/ of 50\.0$/);
  });
});

describe('what is not there', () => {
  it('reads "not measured" for a cell that never ran, in every table', () => {
    const markdown = renderMarkdown(reportOf([baseline, without(candidate, 'p12-c8')]));
    for (const heading of ['Request hit rate, %', 'Throughput, req/s', 'Load over the workers']) {
      expect(tableAfter(markdown, heading)[3]?.at(-1), heading).toBe('not measured');
      expect(tableAfter(markdown, heading)[2]?.at(-1), heading).toMatch(/^\d/);
    }
    const details = markdown.slice(markdown.indexOf('## Changes and verdicts'));
    const changes = tableAfter(details, 'kv against round-robin');
    expect(new Set(changes[3]?.slice(2))).toEqual(new Set(['not measured']));
    expect(changes[2]?.slice(2)).not.toContain('not measured');
  });

  it('reads "not reported" for what the target does not say, and never 0', () => {
    const markdown = renderMarkdown(reportOf([silenced(baseline), silenced(candidate)]));
    for (const heading of [
      'Request hit rate, %',
      'Cached-token ratio',
      'Workers per prefix / Workers seen, workers',
    ]) {
      for (const row of tableAfter(markdown, heading)) {
        expect(
          row.slice(2).every((cell) => cell === 'not reported'),
          heading,
        ).toBe(true);
      }
    }
    expect(markdown).toContain('Not known: no target reported cached tokens.');
    expect(markdown).toContain('Not known: no target reported which worker served a request.');
  });

  it('leaves out the figures that need it and keeps the others', () => {
    const figures = (blocks: readonly Block[]) =>
      blocks.flatMap((block) => (block.kind === 'figure' ? block.figure.name : []));
    expect(figures(reportOf([baseline, candidate]))).toEqual([
      'cached-tokens',
      'hit-rate',
      'ttft',
      'throughput',
      'lost-hits',
      'workers',
      'timeline',
    ]);
    expect(figures(reportOf([silenced(baseline)]))).toEqual(['ttft', 'throughput', 'timeline']);
  });

  it('shows every empty field of the experiment record as empty', () => {
    const markdown = renderMarkdown(reportOf([baseline, candidate]));
    expect(tableAfter(markdown, 'System').find(([name]) => name === 'image')).toEqual([
      'image',
      '— empty',
      '— empty',
    ]);
    expect(tableAfter(markdown, 'Change and control')[0]).toEqual([
      'the one condition changed',
      '— empty',
      'seen: router mode',
    ]);
  });
});

describe('a report of one run', () => {
  it('compares nothing and says so', () => {
    const blocks = reportOf([candidate]);
    const answer = blocks.find((block) => block.kind === 'answer');
    expect(answer?.sentences[0]).toBe(
      'kv answered 800 of 800 requests in 4 cells; nothing is compared here.',
    );
    expect(renderMarkdown(blocks)).not.toContain('Changes and verdicts');
  });
});

describe('the HTML report', () => {
  it('breaks no word of its provenance', () => {
    const html = renderHtml(reportOf([baseline, candidate]), { lang: 'en', figures: new Map() });
    expect(html).toMatch(/<table class="text"><thead><tr><th scope="col"><\/th><th scope="col">round-robin/);
    expect(html).toContain('.text td:first-child{min-width:0;white-space:nowrap}');
    expect(html).not.toContain('overflow-wrap:anywhere');
  });

  it('needs no network and no script, and holds every figure', async () => {
    const blocks = reportOf([baseline, candidate]);
    const figures = new Map<string, string>();
    for (const block of blocks) {
      if (block.kind === 'figure') figures.set(block.figure.name, await drawSvg(block.figure.spec));
    }
    const html = renderHtml(blocks, { lang: 'en', figures });
    const outside = html.replaceAll(/xmlns(:\w+)?="[^"]*"/g, '');
    expect(outside).not.toMatch(/<script|<link|<iframe|src=|@import|url\(|https?:/);
    expect(html.match(/<svg/g)).toHaveLength(figures.size);
    expect(html).toContain('prefers-color-scheme:dark');
    expect(html).toContain('@media print');
    for (const svg of figures.values()) {
      expect(svg).toContain('role="img" aria-label="');
      expect(svg).not.toMatch(/NaN|undefined|Infinity/);
    }
  });

  it('escapes what comes from outside', () => {
    const hostile = { ...candidate, source: '<script>"&|`*' };
    const blocks = reportOf([hostile]);
    expect(renderHtml(blocks, { lang: 'en', figures: new Map() })).toContain('&lt;script&gt;&quot;&amp;|`*');
    expect(renderMarkdown(blocks)).toContain('\\<script\\>"&\\|\\`\\*');
  });
});

describe('a Korean report', () => {
  it('has Korean headings, tables and record form', () => {
    const markdown = renderMarkdown(reportOf([baseline, candidate], KO));
    const headings = markdown.split('\n').filter((line) => line.startsWith('## '));
    expect(headings.every((line) => /[가-힣]/.test(line))).toBe(true);
    expect(tableAfter(markdown, '시스템').find(([name]) => name === '이미지')).toEqual([
      '이미지',
      '— 비어 있음',
      '— 비어 있음',
    ]);
  });
});
