import { describe, expect, it } from 'vitest';
import type { RequestRecord } from '../../src/core/answer/request-record.js';
import { createRng } from '../../src/core/base/rng.js';
import { compareVariants } from '../../src/core/compare/compare.js';
import { buildComparedVariants } from '../../src/core/compare/compared-variant.js';
import type { ComparisonFindingCode } from '../../src/core/compare/comparison-finding-codes.js';
import type { ReasonCode } from '../../src/core/compare/reasons.js';
import type { CacheRules } from '../../src/core/measure/cache-counts.js';
import type { ClientCheck } from '../../src/core/measure/client-check.js';
import { buildExperimentRecord } from '../../src/core/measure/experiment-record.js';
import type { FindingCode } from '../../src/core/measure/finding-codes.js';
import { parseGridTable } from '../../src/core/measure/grid-table.js';
import type { RunFile, TargetFacts } from '../../src/core/measure/run-file.js';
import type { RunData, RunInput } from '../../src/core/measure/run-input.js';
import type { ServerCounts } from '../../src/core/measure/servers/server-counts.js';
import { findInServers } from '../../src/core/measure/servers/server-findings.js';
import { judgeTrial, summarizeCell, type TrialOutcome } from '../../src/core/measure/summaries.js';
import type { TokenReads } from '../../src/core/measure/token-reads.js';
import { trialEvidence } from '../../src/core/measure/trial-evidence.js';
import { findWorkerChange } from '../../src/core/measure/worker-changes.js';
import type { PartialScenario } from '../../src/core/scenario/settings.js';
import { createCell } from '../../src/core/workload/plan.js';
import { FAIR_CLIENT, RULES, recordOf } from '../support/records.js';
import { type Planned, runOf } from '../support/runs.js';
import { drawFirstTrial } from '../support/trials.js';

/**
 * For every code a run in which it appears, and a near miss in which it does not. A code without its pair does not compile.
 */
type Pairs<C extends string> = Readonly<
  Record<C, { readonly appears: () => readonly string[]; readonly nearMiss: () => readonly string[] }>
>;

function check<C extends string>(pairs: Pairs<C>): void {
  for (const [code, { appears, nearMiss }] of Object.entries<Pairs<C>[C]>(pairs)) {
    it(code, () => {
      expect(appears()).toContain(code);
      expect(nearMiss()).not.toContain(code);
    });
  }
}

// ---- trials

const CONTEXT = { variant: 'kv', rules: RULES, outputTokens: 64, repeats: 1 };
const RAN: TrialOutcome = { interrupted: false, client: null };

function planOf(requests: number, concurrency = 1, group?: string) {
  const settings = { seed: '1', prefixes: [2], concurrency: [concurrency], rate: [], requests, repeats: 1 };
  const plan = drawFirstTrial(settings);
  return group === undefined ? plan : { ...plan, cell: createCell(2, plan.cell.load, group) };
}

/** Codes of a trial of `count` requests of two prefixes, one after the other; the first of each prefix misses, the others hit. */
function trial(
  count: number,
  make: (seq: number) => Partial<RequestRecord> = () => ({}),
  {
    ran = RAN,
    plan = planOf(count),
    rules = RULES,
  }: {
    readonly ran?: TrialOutcome;
    readonly plan?: ReturnType<typeof planOf>;
    readonly rules?: CacheRules;
  } = {},
): string[] {
  const records = Array.from({ length: count }, (_, seq) =>
    recordOf({ seq, prefix: seq % 2, sent_ms: seq * 1000, cached_tokens: seq < 2 ? 0 : 2000, ...make(seq) }),
  );
  return judgeTrial(plan, records, { ...CONTEXT, rules }, ran).summary.findings.map(({ code }) => code);
}

/** Text that was never sent before. */
const FRESH: CacheRules = { ...RULES, salt: 'fresh' };

const FAILED: Partial<RequestRecord> = {
  outcome: 'http_error',
  error: { code: 'http_500', message: 'no' },
  ttft_ms: null,
  e2e_ms: null,
  tpot_ms: null,
  cached_tokens: null,
  chunks: 0,
};

const client = (over: Partial<ClientCheck>): TrialOutcome => ({
  interrupted: false,
  client: { ...FAIR_CLIENT, ...over },
});
/** How the answers of 4 requests came. */
const gathered = (over: Partial<TokenReads>): TrialOutcome => ({
  ...RAN,
  token_reads: {
    ...{ answers: 4, whole: 0, bursts: 0, tokens_per_read_p50: 8, reads_p50: 8 },
    ...{ first_read_tokens_p50: 8, gap_p50_ms: 40 },
    ...over,
  },
});
const heldFor = (ms: number): TrialOutcome => ({
  ...RAN,
  after_last_token: { answers: 4, mean_ms: ms, p50_ms: ms, p99_ms: ms },
});
const wait = (held: number, sooner: number): TrialOutcome => ({
  ...RAN,
  first_token: { answers: 100, held, sooner },
});

const cellCodes = (kept: number) => {
  const plan = planOf(4);
  const { summary: one } = judgeTrial(
    plan,
    [0, 1, 2, 3].map((seq) => recordOf({ seq, prefix: seq % 2, sent_ms: seq * 1000 })),
    CONTEXT,
    RAN,
  );
  const trials = Array.from({ length: kept }, (_, i) => ({ ...one, repeat: i + 1 }));
  return summarizeCell(plan.cell, trials, { ...CONTEXT, repeats: 3 }).findings.map(({ code }) => code);
};

/** Codes of what the servers counted over 100 requests of 200 tokens, 160 of them cached. */
function servers(over: Partial<ServerCounts>, blockSize: number | null = null): string[] {
  const counts: ServerCounts = {
    ...{ server: 'a', kind: 'vllm', role: 'engine', worker: null, restarted: false },
    ...{ requests: 100, prompt_tokens: 20_000, cached_tokens: 16_000, output_tokens: null, preemptions: 0 },
    ...{ running_max: null, waiting_max: null, kv_usage_max: null },
    ...over,
  };
  const sent = Array.from({ length: 100 }, (_, seq) =>
    recordOf({ seq, cached_tokens: 160, prompt_tokens: 200, sent_ms: seq }),
  );
  return findInServers({ servers: [counts], unread: [], settled: true }, sent, RULES, blockSize).map(
    ({ code }) => code,
  );
}

/** Codes of a run whose trials are each served by so many workers, every prefix by each of them. */
function workersOf(counts: readonly number[], prefixes = 8): string[] {
  const trials = counts.map((count, index) => ({
    trial: `p${prefixes}-c4-r${index + 1}`,
    requests: 40,
    prefixesOf: new Map(['a', 'b', 'c', 'd'].slice(0, count).map((worker) => [worker, prefixes])),
  }));
  return findWorkerChange(trials, false) === null ? [] : ['workers-changed'];
}

const TRIAL: Pairs<FindingCode> = {
  contaminated: {
    appears: () => [
      ...trial(4, (seq) => (seq === 1 ? { cached_tokens: 2000 } : {})),
      ...trial(4, (seq) => (seq < 2 ? {} : { cached_tokens: 2002 })),
    ],
    nearMiss: () => [
      ...trial(4),
      // A template's token, or a first token that two tails share.
      ...trial(4, (seq) => (seq < 2 ? {} : { cached_tokens: 2001 })),
    ],
  },
  'warm-despite-salt': {
    appears: () => trial(4, (seq) => (seq === 1 ? { cached_tokens: 2000 } : {}), { rules: FRESH }),
    nearMiss: () => [
      ...trial(4, () => ({}), { rules: FRESH }),
      ...trial(4, (seq) => (seq === 1 ? { cached_tokens: 2000 } : {})),
    ],
  },
  'cached-tokens-from-decode': {
    appears: () => trial(4, () => ({ cached_tokens: 2299 }), { rules: FRESH }),
    // Without a salt of its own the text may be known from another run.
    nearMiss: () => trial(4, () => ({ cached_tokens: 2299 })),
  },
  'cached-tokens-impossible': {
    appears: () => trial(4, (seq) => (seq === 3 ? { cached_tokens: 4000 } : {})),
    nearMiss: () => trial(4, (seq) => (seq === 3 ? { cached_tokens: 2288 } : {})),
  },
  'impossible-counts': {
    appears: () => trial(20, (seq) => (seq === 9 ? { cached_tokens: 4000 } : {})),
    nearMiss: () => trial(19, (seq) => (seq === 9 ? { cached_tokens: 4000 } : {})),
  },
  'prompt-tokens-without-cached': {
    appears: () => trial(4, (seq) => (seq < 2 ? {} : { prompt_tokens: 300 })),
    nearMiss: () => trial(4, (seq) => (seq < 2 ? {} : { prompt_tokens: 305 })),
  },
  'prompt-tokens-short': {
    appears: () => trial(4, () => ({ prompt_tokens: 2048 })),
    nearMiss: () => trial(4, () => ({ prompt_tokens: 2296 })),
  },
  'nothing-cached': {
    appears: () => trial(4, () => ({ cached_tokens: 0 })),
    nearMiss: () => [
      ...trial(4, (seq) => ({ cached_tokens: seq === 3 ? 2000 : 0 })),
      // Each on a worker that never had its prefix.
      ...trial(4, (seq) => ({ cached_tokens: 0, worker: `w${seq}` })),
      // All before the first answer.
      ...trial(4, () => ({ cached_tokens: 0, sent_ms: 0 })),
      // Nobody says where: three of a prefix may have met three workers.
      ...trial(6, () => ({ cached_tokens: 0, worker: null })),
    ],
  },
  interrupted: {
    appears: () => trial(4, () => ({}), { ran: { interrupted: true, client: null } }),
    nearMiss: () => trial(4),
  },
  'no-ok-request': {
    appears: () => trial(4, () => FAILED),
    nearMiss: () => trial(4, (seq) => (seq < 3 ? FAILED : { cached_tokens: 0 })),
  },
  'missing-records': {
    appears: () => trial(3, () => ({}), { plan: planOf(4) }),
    nearMiss: () => trial(4, () => ({}), { plan: planOf(4) }),
  },
  'missing-trials': { appears: () => cellCodes(2), nearMiss: () => cellCodes(3) },
  'mixed-cached-tokens': {
    appears: () => trial(4, (seq) => ({ cached_tokens: seq < 2 ? null : 2000 })),
    nearMiss: () => trial(4, (seq) => ({ cached_tokens: seq === 0 ? null : seq === 1 ? 0 : 2000 })),
  },
  'not-streamed': {
    appears: () => [
      ...trial(4, (seq) => (seq < 3 ? { ttft_ms: 400, e2e_ms: 400, chunks: 1 } : {})),
      ...trial(4, () => ({}), { ran: gathered({ whole: 3 }) }),
    ],
    nearMiss: () => [
      ...trial(4, (seq) => (seq < 2 ? { ttft_ms: 400, e2e_ms: 400, chunks: 1 } : {})),
      ...trial(4, () => ({}), { ran: gathered({ whole: 2 }) }),
    ],
  },
  'stream-gathered': {
    appears: () => trial(4, () => ({}), { ran: gathered({ bursts: 3 }) }),
    nearMiss: () => [
      ...trial(4, () => ({}), { ran: gathered({ bursts: 2 }) }),
      // The client itself was late by as much.
      ...trial(4, () => ({}), { ran: { ...gathered({ bursts: 3 }), ...client({ loop_delay_p90_ms: 10 }) } }),
    ],
  },
  'long-drain': {
    appears: () => trial(40, (seq) => (seq === 39 ? { e2e_ms: 7000 } : {}), { plan: planOf(40, 2) }),
    nearMiss: () => [
      ...trial(40, (seq) => (seq === 39 ? { e2e_ms: 3000 } : {}), { plan: planOf(40, 2) }),
      ...trial(40, (seq) => (seq === 9 ? { e2e_ms: 7000 } : {}), { plan: planOf(40, 2) }),
    ],
  },
  'slots-held': {
    appears: () => trial(4, () => ({}), { ran: heldFor(46) }),
    nearMiss: () => trial(4, () => ({}), { ran: heldFor(44) }),
  },
  'concurrency-not-reached': {
    appears: () => trial(10, () => ({}), { plan: planOf(10, 16) }),
    nearMiss: () => [
      ...trial(10, () => ({}), { plan: planOf(10, 10) }),
      // One group of several is not asked for the whole concurrency.
      ...trial(10, () => ({}), { plan: planOf(10, 16, 'long') }),
    ],
  },
  'failed-requests': {
    appears: () => trial(4, (seq) => (seq === 3 ? FAILED : {})),
    nearMiss: () => trial(4),
  },
  'prompt-tokens-spread': {
    appears: () => trial(4, (seq) => ({ prompt_tokens: seq === 3 ? 2305 : 2300 })),
    nearMiss: () => trial(4, (seq) => ({ prompt_tokens: seq === 3 ? 2304 : 2300 })),
  },
  'output-tokens-differ': {
    appears: () => trial(4, (seq) => ({ output_tokens: seq === 3 ? 63 : 64 })),
    nearMiss: () => trial(4),
  },
  'cached-tokens-not-reported': {
    appears: () => trial(4, () => ({ cached_tokens: null })),
    nearMiss: () => trial(4, (seq) => ({ cached_tokens: seq === 0 ? 0 : null })),
  },
  'cached-tokens-partly-reported': {
    appears: () => trial(4, (seq) => ({ cached_tokens: seq === 3 ? null : 0 })),
    nearMiss: () => trial(4, () => ({ cached_tokens: 0 })),
  },
  'held-first-token': {
    appears: () => trial(4, () => ({}), { ran: wait(10, 1) }),
    nearMiss: () => [
      ...trial(4, () => ({}), { ran: wait(9, 0) }),
      ...trial(4, () => ({}), { ran: wait(10, 2) }),
    ],
  },
  'client-limited': {
    appears: () => trial(4, () => ({}), { ran: client({ stamp_lag_p50_ms: 10.1 }) }),
    nearMiss: () => trial(4, () => ({}), { ran: client({ stamp_lag_p50_ms: 9.9 }) }),
  },
  'workers-changed': {
    appears: () => workersOf([2, 2, 2, 4, 4, 4]),
    // One worker alone says nothing of the others: the router may concentrate its load.
    nearMiss: () => [...workersOf([4, 4, 4]), ...workersOf([2, 2, 1])],
  },
  'servers-disagree': {
    appears: () => servers({ cached_tokens: 16_101 }),
    nearMiss: () => servers({ cached_tokens: 16_100 }),
  },
  'server-restarted': { appears: () => servers({ restarted: true }), nearMiss: () => servers({}) },
  'requests-preempted': { appears: () => servers({ preemptions: 1 }), nearMiss: () => servers({}) },
  'block-size-differs': { appears: () => servers({}, 128), nearMiss: () => servers({}, 16) },
};

describe('a finding of a trial appears, and not in its near miss', () => check(TRIAL));

// ---- comparisons

const RR = runOf('rr');
const KV = runOf('kv');
const withRun = (data: RunData, over: Partial<RunFile>): RunData => ({
  ...data,
  run: { ...data.run, ...over },
});
const withTarget = (data: RunData, over: Partial<TargetFacts>): RunData =>
  withRun(data, {
    variants: data.run.variants.map((variant) => ({ ...variant, target: { ...variant.target, ...over } })),
  });
const compare = (...inputs: readonly RunInput[]) =>
  compareVariants(buildComparedVariants(inputs), { workerCapacity: null });
const found = (candidate: RunInput, baseline: RunInput = RR) =>
  compare(baseline, candidate).findings.map(({ code }) => code);
const clean = () => found(KV);

const timeouts = (count: number, requests: number) =>
  runOf('kv', { requests }, ({ seq, repeat, cell }) =>
    seq < count && repeat === 1 && cell.prefixes === 2
      ? { outcome: 'timeout', ttft_ms: null, e2e_ms: null, cached_tokens: null }
      : {},
  );
const stated = (image: string) => ({ record: buildExperimentRecord({ image }) });
const GRID_CSV =
  'variant,prefixes,concurrency,rate,repeats_kept,repeats_dropped,requests,ok,failed\nkv,2,4,,3,0,300,300,0\n';

const COMPARISON: Pairs<ComparisonFindingCode> = {
  'workload-differs': { appears: () => found(runOf('kv', { seed: '2' })), nearMiss: clean },
  'model-differs': { appears: () => found(withTarget(KV, { model: 'other' })), nearMiss: clean },
  'output-lengths-differ': {
    appears: () => found(runOf('kv', {}, () => ({ output_tokens: 63 }))),
    nearMiss: () => found(runOf('kv', {}, ({ seq }) => (seq % 2 === 0 ? { output_tokens: 63 } : {}))),
  },
  'client-settings-differ': { appears: () => found(runOf('kv', { warmup: 5 })), nearMiss: clean },
  'clock-differs': {
    appears: () => found(withRun(KV, { provenance: { ...KV.run.provenance, clock: 'virtual' } })),
    nearMiss: clean,
  },
  'success-sets-differ': {
    appears: () => found(timeouts(3, 100)),
    nearMiss: () => found(timeouts(1, 200), runOf('rr', { requests: 200 })),
  },
  'no-common-cell': {
    appears: () => found(runOf('kv', { prefixes: [8] })),
    nearMiss: () => found(runOf('kv', { prefixes: [4, 8] })),
  },
  'percentile-unsupported': {
    appears: () => found(runOf('kv', { requests: 99 }), runOf('rr', { requests: 99 })),
    nearMiss: () => found(runOf('kv', { requests: 100 }), runOf('rr', { requests: 100 })),
  },
  'run-incomplete': { appears: () => found(withRun(KV, { status: 'interrupted' })), nearMiss: clean },
  'few-failures-differ': {
    appears: () => found(timeouts(1, 200), runOf('rr', { requests: 200 })),
    nearMiss: () => found(timeouts(3, 100)),
  },
  'conditions-changed': {
    appears: () => found(withRun(KV, stated('a:2')), withRun(RR, stated('a:1'))),
    nearMiss: () => found(withRun(KV, stated('a:1')), withRun(RR, stated('a:1'))),
  },
  'versions-differ': {
    appears: () => found(withRun(KV, { provenance: { ...KV.run.provenance, node: 'v24.0.0' } })),
    nearMiss: clean,
  },
  'reading-differs': {
    appears: () => found(withTarget(KV, { cached_tokens: 'omits-zero' })),
    nearMiss: clean,
  },
  'asked-differently': {
    appears: () => found(withTarget(KV, { sent: { nvext: {} } })),
    nearMiss: () => found(withTarget(KV, { sent: { ignore_eos: true } })),
  },
  'cells-differ': { appears: () => found(runOf('kv', { prefixes: [4, 8] })), nearMiss: clean },
  'repeats-left-out': {
    appears: () => found(runOf('kv', {}, ({ repeat }) => (repeat === 1 ? { cached_tokens: 2000 } : {}))),
    nearMiss: clean,
  },
  'one-repeat': {
    appears: () => found(runOf('kv', { repeats: 1 }), runOf('rr', { repeats: 1 })),
    nearMiss: () => found(runOf('kv', { repeats: 2 }), runOf('rr', { repeats: 2 })),
  },
  'same-run': { appears: () => found(RR), nearMiss: clean },
  'grid-only': { appears: () => found(parseGridTable(GRID_CSV, 'kv/grid.csv')), nearMiss: clean },
  'read-with-loss': {
    appears: () => found({ ...KV, notes: [trialEvidence('last-line-cut', { line: 80 })] }),
    nearMiss: clean,
  },
  'salt-differs': { appears: () => found(runOf('kv', { salt: 'x' })), nearMiss: clean },
};

describe('a finding of a comparison appears, and not in its near miss', () => check(COMPARISON));

// ---- reasons

type Make = (planned: Planned) => Partial<RequestRecord>;

function why(
  baseline: Make,
  candidate: Make = baseline,
  given: PartialScenario = { prefixes: [4] },
  over: Partial<RunFile> = {},
) {
  const comparison = compare(runOf('rr', given, baseline), runOf('kv', given, candidate, over));
  return (comparison.candidates[0]?.explanations ?? []).map(({ code }) => code);
}

const WORKERS = ['a', 'b', 'c', 'd'];
const luck = ({ repeat, seq }: Planned, of = '') => createRng(`${of}${repeat}/${seq}`).next();
const turn: Make = ({ seq }) => ({ worker: WORKERS[seq % 4] ?? null });
const hits =
  (share: number, more: Make = () => ({})): Make =>
  (planned) => ({ cached_tokens: planned.again && luck(planned) < share ? 2000 : 0, ...more(planned) });
const timed =
  (share: number): Make =>
  (planned) => {
    const hit = planned.again && luck(planned) < share;
    return { cached_tokens: hit ? 2000 : 0, ttft_ms: (hit ? 30 : 100) + luck(planned), worker: 'a' };
  };
const noServer = {
  prefill_wait_ms: null,
  prefill_ms: null,
  ttft_ms: null,
  total_ms: null,
  kv_transfer_ms: null,
  queue_depth: null,
};
/** A prefix is on `workers` workers by chance; a worker that has it hits. */
const placed = (of: string, evicts = false): Make => {
  const held = new Set<string>();
  return (planned) => {
    const worker = WORKERS[Math.floor(4 * luck(planned, of))] ?? 'a';
    const key = `${planned.cell.id} ${planned.repeat} ${planned.prefix} ${worker}`;
    const hit = held.has(key) && !(evicts && luck(planned, 'evict') < 0.1);
    held.add(key);
    return { worker, cached_tokens: hit ? 2000 : 0 };
  };
};
const lateBy = (ms: number) => (data: RunData) =>
  withRun(data, {
    trials: data.run.trials.map((one) => ({
      ...one,
      client: {
        ...FAIR_CLIENT,
        stamp_lag_mean_ms: ms,
        stamp_lag_p50_ms: ms,
        stamp_lag_p90_ms: ms,
        stamp_lag_p99_ms: ms,
      },
    })),
  });
const whyLate = (ms: number) => {
  const slow = hits(0.4, (planned) => ({ ttft_ms: 100 + 5 * luck(planned), worker: 'a' }));
  const fast = hits(0.9, (planned) => ({ ttft_ms: 90 + 5 * luck(planned), worker: 'a' }));
  const comparison = compare(
    lateBy(ms)(runOf('rr', { prefixes: [4] }, slow)),
    runOf('kv', { prefixes: [4] }, fast),
  );
  return (comparison.candidates[0]?.explanations ?? []).map(({ code }) => code);
};
/** Hits more than the baseline; its TTFT is that of its repeat. */
const timedByRepeat = (...ms: readonly number[]): Make =>
  hits(0.9, (one) => ({ worker: 'a', ttft_ms: (ms[one.repeat - 1] ?? 0) + luck(one) }));
const SLOW = hits(0.3, (one) => ({ worker: 'a', ttft_ms: 100 + luck(one) }));

const REASON: Pairs<ReasonCode> = {
  'cached-tokens-not-reported': {
    appears: () => why(turn, () => ({ cached_tokens: null })),
    nearMiss: () => why(turn, () => ({ cached_tokens: 0 })),
  },
  'cached-tokens-from-decode': {
    appears: () => why(turn, () => ({ cached_tokens: 0, server: { ...noServer, kv_hit_rate: 0.97 } })),
    nearMiss: () => why(turn, () => ({ cached_tokens: 0, server: { ...noServer, kv_hit_rate: 0 } })),
  },
  'prefix-below-block': {
    appears: () =>
      why(() => ({ cached_tokens: 0, prompt_tokens: 400 }), undefined, {
        prefixes: [4],
        prefixTokens: 100,
        blockSize: 128,
      }),
    nearMiss: () =>
      why(() => ({ cached_tokens: 0, prompt_tokens: 400 }), undefined, {
        prefixes: [4],
        prefixTokens: 128,
        blockSize: 128,
      }),
  },
  'everything-missed': {
    appears: () => why(turn, () => ({ cached_tokens: 0 })),
    nearMiss: () => why(turn, ({ seq }) => ({ cached_tokens: seq === 99 ? 2000 : 0 })),
  },
  'one-worker': { appears: () => why(() => ({ worker: 'a' })), nearMiss: () => why(turn) },
  'all-on-one-worker': {
    appears: () => why(hits(0.9, turn), () => ({ worker: 'a' })),
    nearMiss: () => why(() => ({ worker: 'a' })),
  },
  'deals-in-turn': {
    appears: () => why(hits(0.9, turn)),
    nearMiss: () => why(hits(0.9, turn), placed('y')),
  },
  'placed-by-chance': {
    appears: () => why(placed('x'), placed('y')),
    // Each prefix on a worker of its own.
    nearMiss: () => why(placed('x'), ({ prefix }) => ({ worker: WORKERS[prefix % 4] ?? null })),
  },
  'workers-not-reported': { appears: () => why(() => ({ worker: null })), nearMiss: () => why(turn) },
  'at-the-ceiling': { appears: () => why(turn), nearMiss: () => why(hits(0.9, turn)) },
  'fits-in-one-worker': {
    appears: () => why(placed('x'), placed('y'), { prefixes: [8] }),
    nearMiss: () => why(placed('x', true), placed('y', true), { prefixes: [8] }),
  },
  'round-robin-in-phase': {
    appears: () =>
      why(({ seq }) => ({ ...turn({ seq } as Planned), prefix: seq % 4, cached_tokens: seq < 4 ? 0 : 2000 })),
    nearMiss: () => why(turn),
  },
  'capacity-short': {
    appears: () =>
      why(({ seq, again }) => ({
        ...turn({ seq } as Planned),
        cached_tokens: again && seq % 2 === 0 ? 2000 : 0,
      })),
    nearMiss: () => why(turn),
  },
  'hot-worker': {
    appears: () =>
      why(
        hits(0.66, turn),
        hits(0.66, ({ seq }) => ({ worker: seq % 10 < 7 ? 'a' : (WORKERS[seq % 4] ?? null) })),
      ),
    nearMiss: () => why(hits(0.66, turn)),
  },
  'load-concentrated': {
    appears: () =>
      why(
        hits(0.3, (one) => ({ ...turn(one), ttft_ms: 100 + luck(one), tpot_ms: 10 + luck(one) })),
        ({ again, seq, ...one }) => ({
          worker: seq % 20 === 0 ? 'c' : seq % 40 === 1 ? 'd' : (WORKERS[seq % 2] ?? null),
          cached_tokens: again ? 2000 : 0,
          ttft_ms: again ? 30 : 100,
          tpot_ms: 15 + luck({ again, seq, ...one }),
        }),
      ),
    nearMiss: () =>
      why(
        hits(0.3, (one) => ({ ...turn(one), ttft_ms: 100 + luck(one), tpot_ms: 10 + luck(one) })),
        (one) => ({
          ...turn(one),
          cached_tokens: one.again ? 2000 : 0,
          ttft_ms: one.again ? 30 : 100,
          tpot_ms: 10 + luck(one),
        }),
      ),
  },
  'queueing-hides-gain': {
    appears: () =>
      why(
        hits(0.3, ({ seq }) => ({ worker: 'a', ttft_ms: 100 + seq })),
        hits(0.9, ({ seq }) => ({ worker: 'b', ttft_ms: seq < 12 ? 20 : 100 + seq })),
      ),
    nearMiss: () =>
      why(
        hits(0.3, ({ seq }) => ({ worker: 'a', ttft_ms: 100 + seq / 10 })),
        hits(0.9, ({ seq }) => ({ worker: 'b', ttft_ms: 100 + seq / 10 })),
      ),
  },
  'hit-saves-little': {
    appears: () =>
      why(
        hits(0.3, ({ seq }) => ({ worker: 'a', ttft_ms: 100 + seq / 10 })),
        hits(0.9, ({ seq }) => ({ worker: 'a', ttft_ms: 100 + seq / 10 })),
      ),
    nearMiss: () => why(timed(0.1), timed(0.4)),
  },
  'median-hits-in-both': {
    appears: () => why(timed(0.55), timed(1)),
    nearMiss: () => why(timed(0.1), timed(0.95)),
  },
  'median-misses-in-both': {
    appears: () => why(timed(0.1), timed(0.4)),
    nearMiss: () => why(timed(0.1), timed(0.95)),
  },
  'client-late': { appears: () => whyLate(15), nearMiss: () => whyLate(1) },
  'repeats-differ': {
    appears: () => why(SLOW, timedByRepeat(50, 90, 160)),
    nearMiss: () => why(SLOW, timedByRepeat(97, 97, 97)),
  },
};

describe('a reason appears, and not in its near miss', () => check(REASON));
