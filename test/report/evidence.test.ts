import { describe, expect, it } from 'vitest';
import { compareVariants } from '../../src/core/compare/compare.js';
import { buildComparedVariants } from '../../src/core/compare/compared-variant.js';
import { reasonEvidence } from '../../src/core/compare/reason-evidence.js';
import { buildExperimentRecord } from '../../src/core/measure/experiment-record.js';
import type { RunData } from '../../src/core/measure/run-input.js';
import { trialEvidence } from '../../src/core/measure/trial-evidence.js';
import { type AllEvidence, describeEvidence } from '../../src/report/describe-evidence.js';
import type { Notice } from '../../src/report/document/document.js';
import { EN, type Messages } from '../../src/report/messages/en.js';
import { KO } from '../../src/report/messages/ko.js';
import { buildReport } from '../../src/report/report-blocks.js';
import { buildReportData } from '../../src/report/report-data.js';
import { FAIR_CLIENT } from '../support/records.js';
import { type Planned, runOf } from '../support/runs.js';

const EXAMPLES: AllEvidence = {
  'workers-changed': {
    joined: { count: 2, at: 'p7-c8-r1' },
    left: { count: 1, after: 'p2-c4-r2' },
  },
  unsent: { unsent: 9, requests: 100 },
  'none-ok': { requests: 100, error: null },
  'records-missing': { records: 96, requests: 100 },
  'too-few-requests': { requests: 100, concurrency: 200 },
  'tails-cached': { requests: 3, most: 2288, prefixTokens: 2000 },
  'primers-hit': { hit: 1, prefixes: 2, tokens: 2000 },
  'first-requests-hit': { hit: 1, prefixes: 3, prefix: 2, tokens: 2000 },
  failed: {
    failed: 8,
    requests: 100,
    outcomes: [
      ['timeout', 5],
      ['http_error', 3],
    ],
  },
  'cached-tokens-carried': { reported: 95, answers: 100, lacksZero: true },
  'counts-impossible': { records: 2, answers: 100, cached: 4000, prompt: 2300, prefixTokens: 2000 },
  'whole-prompts-cached': { answers: 120, whole: 118, firsts: 3, prefixes: 4, fewest: 1 },
  'repeats-missed': {
    requests: 300,
    repeats: 280,
    perPrefix: '25',
    sameWorker: true,
    prefixTokens: 2000,
    blockSize: 16,
  },
  'prompts-without-cached': { least: 32, most: 352, planned: 350 },
  'prompts-short': { least: 0, most: 2048, planned: 2300, short: 98, zero: 7, answers: 100 },
  'prompt-tokens': { least: 2300, most: 2308 },
  'other-lengths': { other: 7, answers: 100, asked: 64, least: 5, most: 63 },
  'tokens-gathered': { gathered: 90, answers: 100, perRead: 32.5, reads: 2, firstRead: 31, gapMs: 160.5 },
  drained: { share: '94 %', drainS: '5.66', durationS: '6.00', slots: 4, whole: '33.3', until: '588.2' },
  'held-after-last': { meanMs: 52.1, p50Ms: 50.2, e2eMs: 100.3, share: '34 %' },
  'whole-in-one-read': { whole: 90, answers: 100 },
  'first-tokens-held': { held: 84, answers: 120, sooner: 3, from: 39, until: 48, together: 2 },
  'client-limit': {
    lost: [{ measure: 'ttft_p50_ms', boundMs: 4.2, valueMs: 37.71 }],
    leftLateMs: 95.5,
    inFlight: { mean: 15.6, asked: 16 },
    cpuShare: 0.97,
    threads: 3,
  },
  'servers-cached': { by: 'engine', servers: 5000, answers: 4000 },
  'servers-requests': { by: 'router', servers: 130, sent: 100 },
  restarted: { servers: ['worker-1'] },
  preempted: { preemptions: 3 },
  'block-size-told': { told: 128, stated: 16 },
  'trials-kept': { kept: 2, repeats: 3, dropped: 1 },
  'said-by-grid': null,
  'grid-without': { file: 'run.json' },
  'columns-missing': { columns: ['requests', 'findings'] },
  'no-requests-file': null,
  'records-unended': { records: 20 },
  'last-line-cut': { line: 80 },
  'lines-broken': { lines: 2, first: 4 },
  differing: {
    differences: [
      { what: 'seed', sent: false, first: '1', second: '2' },
      { what: 'ignore_eos', sent: true, first: null, second: 'true' },
    ],
  },
  'hashes-differ': { first: 'abcdef012345', second: '6789abcdef01' },
  'other-salt': null,
  'conditions-changed': {
    changed: [
      { key: 'image', before: 'a:1', after: 'a:2' },
      { key: 'gpu', before: 'L4', after: null },
    ],
  },
  'same-run': null,
  'no-common-cell': null,
  'lone-cells': { cells: 1 },
  'answer-lengths': { first: '64.0', second: '50.0' },
  'ok-in-one': { differ: 6, requests: 300, failed: [0, 6] },
  'other-repeats': null,
  'single-trials': null,
  'no-requests': null,
  'cells-unmeasured': { status: 'interrupted', unmeasured: 1, cells: 6 },
  'few-ok': null,
  'zero-but-router-hits': { answers: 300, rate: '0.97' },
  'zero-and-split': { answers: 300, split: 290 },
  'short-prefix': { prefixTokens: 100, blockSize: 128 },
  'none-hit': { requests: 300, perPrefix: '25' },
  'workers-unnamed': null,
  'one-worker': { worker: 'a' },
  'one-of-several': { candidate: 'kv', worker: 'a', baseline: 'rr', workers: 6 },
  'dealt-in-turn': { candidate: 'kv', spread: '5.1', workers: 6, byChance: '5.0' },
  'placed-as-by-chance': { candidate: 'kv', spread: '5.1', workers: 6, byChance: '5.0' },
  'ratio-at-ceiling': { baseline: 'rr', ratio: '0.835', ceiling: '0.840' },
  'nothing-evicted': { baseline: 'rr', spread: '3.6', workers: 4 },
  'few-workers-met': { baseline: 'rr', spread: '1.0', workers: 4, byChance: '3.9' },
  'lost-to-eviction': { candidate: 'kv', eviction: '48.0 %', placement: '1.5 %' },
  'busiest-worker': { worker: 'a', share: '34.5 %', even: '16.7 %' },
  'slower-on-fewer': {
    change: '+40.5',
    unit: '%',
    share: '48.5 %',
    even: '25.0 %',
    cv: '0.84',
    baseline: 'rr',
    cvBefore: '0.03',
  },
  'hit-rates': { baseline: 'rr', before: '88.0 %', candidate: 'kv', after: '96.0 %' },
  'hits-wait': { usual: '210.5', best: '20.0', wait: '180.1' },
  'hit-like-miss': { hits: '100.5', misses: '101.0' },
  'change-by-client': { measure: 'ttft_p50_ms', change: '-12.5', unit: '%', margin: '9.1' },
  'change-in-noise': {
    measure: 'request_hit_rate',
    change: '+39.9',
    unit: 'pp',
    low: '-2.2',
    high: '+82.6',
  },
};

/** Three English words in a row; ids and measures come alone or in twos. */
const ENGLISH = /\b[A-Za-z]+ [A-Za-z]+ [A-Za-z]+\b/;

const figures = (text: string) => [...text.matchAll(/\d+(?:\.\d+)?/g)].map(String).sort();

describe('what was seen', () => {
  it.each(Object.keys(EXAMPLES) as (keyof AllEvidence)[])(
    'reads in Korean with the same figures: %s',
    (key) => {
      const evidence = { key, values: EXAMPLES[key] };
      const english = describeEvidence(evidence, EN.evidence);
      const korean = describeEvidence(evidence, KO.evidence);
      expect(korean).toMatch(/[가-힣]/);
      expect(korean).not.toMatch(ENGLISH);
      expect(figures(korean)).toEqual(figures(english));
    },
  );

  it('leaves out the clauses that it has no figures for, in both languages', () => {
    const inFlight = trialEvidence('client-limit', {
      lost: [],
      leftLateMs: null,
      inFlight: { mean: 15.6, asked: 16 },
      cpuShare: 0.3,
      threads: 1,
    });
    expect(describeEvidence(inFlight, EN.evidence)).toBe(
      '15.6 of 16 requests were in flight on average (CPU 0.3 of a core, 1 thread)',
    );
    expect(describeEvidence(inFlight, KO.evidence)).toBe(
      '동시 요청은 16건이어야 하나 평균 15.6건(CPU 코어의 0.3, 스레드 1개)',
    );
  });

  it('names the side where the sentence does not', () => {
    const evidence = {
      ...reasonEvidence('short-prefix', { prefixTokens: 100, blockSize: 128 }),
      label: 'kv',
    };
    expect(describeEvidence(evidence, EN.evidence)).toBe('kv: a prefix of 100 tokens, blocks of 128');
    expect(describeEvidence(evidence, KO.evidence)).toBe('kv: 프리픽스 100토큰, 블록 128토큰');
  });
});

/** A run with much to say of itself: warm, late, interrupted, on another machine. */
function spoiledRun(): RunData {
  const make = ({ cell, repeat, seq }: Planned) => ({
    ...(cell.prefixes === 2 && repeat === 1 ? { cached_tokens: 2000 } : {}),
    ...(cell.prefixes === 4 && seq % 20 === 7
      ? { outcome: 'timeout' as const, ttft_ms: null, e2e_ms: null, cached_tokens: null }
      : {}),
  });
  const data = runOf('kv', { tailTokens: 400, warmup: 5 }, make);
  const { provenance, trials } = data.run;
  const run = {
    ...data.run,
    status: 'interrupted' as const,
    provenance: { ...provenance, host: 'elsewhere' },
    trials: trials.map((trial) => ({ ...trial, client: { ...FAIR_CLIENT, loop_delay_p99_ms: 80 } })),
    record: buildExperimentRecord({ image: 'a:2' }),
  };
  return { ...data, run, notes: [trialEvidence('last-line-cut', { line: 80 })] };
}

describe('a Korean report', () => {
  const sides = buildComparedVariants([runOf('rr'), spoiledRun()]);
  const report = buildReportData(compareVariants(sides, { workerCapacity: null }), sides);
  const noticesIn = (words: Messages): Notice[] =>
    buildReport(report, words).flatMap((block) => (block.kind === 'notices' ? block.notices : []));
  const seenIn = (words: Messages) => new Map(noticesIn(words).map(({ code, seen }) => [code, seen]));

  it('says what was seen in Korean throughout', () => {
    const notices = noticesIn(KO);
    expect(notices.length).toBeGreaterThan(8);
    for (const { code, seen } of notices) {
      expect(seen, code).toMatch(/[가-힣]/);
      expect(seen, code).not.toMatch(ENGLISH);
    }
  });

  it('says it in sentences of its own', () => {
    expect(Object.fromEntries(seenIn(KO))).toMatchObject({
      contaminated: expect.stringMatching(
        /^p2-c4-r1: 프리픽스 2개 중 2개의 첫 요청이 적중함\(프리픽스 \d: 캐시 토큰 2000개\)$/,
      ),
      'missing-trials': 'p2-c4: 시행 3회 중 2회 채택, 1회 버림',
      'workload-differs': 'tailTokens: 300 대 400',
      'client-settings-differ': 'warmup: 0 대 5',
      'failed-requests': '시행 3개, 예: p4-c4-r1: 100건 중 5건 실패: timeout 5건',
      'read-with-loss': 'requests.jsonl: 마지막 줄(80)이 잘려 있어 기록 1건을 제외함',
    });
  });

  it('gives the figures of the English one', () => {
    const korean = seenIn(KO);
    for (const [code, seen] of seenIn(EN))
      expect(figures(korean.get(code) ?? ''), code).toEqual(figures(seen));
  });
});
