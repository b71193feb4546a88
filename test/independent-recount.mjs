#!/usr/bin/env node
// Recomputes every number in a report's tables and answer from the records alone, and compares them with what the
// report says. Shares no code with src/: the definitions are those of docs/metrics.md and docs/statistics.md, written
// down a second time.
//
//   node test/independent-recount.mjs report.md BASELINE-RUN [CANDIDATE-RUN…] [--worker-capacity N]
//
// A printed number must be the recomputed one rounded to its digits. Intervals hold random draws: their ends may be off
// by a share of their width, and a verdict may differ only where its adjusted p is close to 0.05.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';

/**
 * @param {string} markdown an English report
 * @param {readonly string[]} directories of the runs, the baseline first; requests.jsonl may be gzipped there
 * @param {number | null} workerCapacity as the report was given it
 * @returns {{ checked: number, tables: string[], problems: string[] }}
 */
export function recount(markdown, directories, workerCapacity = null) {
  const sides = directories.flatMap(readSides);
  const check = createCheck();
  const tables = readTables(markdown);
  for (const table of tables) checkTable(table, sides, check, workerCapacity);
  checkAnswer(markdown, sides, check);
  return { checked: check.count(), tables: tables.map((table) => table.heading), problems: check.problems };
}

// ---------------------------------------------------------------- runs

function readSides(directory) {
  const run = JSON.parse(readFileSync(join(directory, 'run.json'), 'utf8'));
  const plain = join(directory, 'requests.jsonl');
  const text = existsSync(plain) ? readFileSync(plain) : gunzipSync(readFileSync(`${plain}.gz`));
  const records = text
    .toString('utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line));
  return run.variants.map((variant) => {
    const trials = run.trials
      .filter((trial) => trial.variant === variant.name)
      .map((trial) => {
        const all = records.filter((r) => r.variant === variant.name && r.trial === trial.id);
        return makeTrial(run, variant, trial, all);
      });
    const cells = new Map();
    for (const trial of trials) {
      const list = cells.get(trial.cell) ?? [];
      list.push(trial);
      cells.set(
        trial.cell,
        list.sort((a, b) => a.repeat - b.repeat),
      );
    }
    return { name: variant.name, run, variant, cells, trials };
  });
}

function makeTrial(run, variant, trial, all) {
  const { prefixTokens, tailTokens, start } = run.scenario;
  const blockSize = run.scenario.blockSize === 'auto' ? 16 : run.scenario.blockSize;
  const planned = all.filter((r) => r.phase === 'measure').sort((a, b) => a.seq - b.seq);
  const ok = planned.filter((r) => r.outcome === 'ok');
  const cachedOf = (r) =>
    r.cached_tokens ?? (variant.target.cached_tokens === 'omits-zero' && r.outcome === 'ok' ? 0 : null);
  const template = Math.max(
    0,
    Math.min(
      ...planned
        .filter((r) => r.prompt_tokens !== null)
        .map((r) => r.prompt_tokens - prefixTokens - tailTokens),
    ),
  );
  const extra = Number.isFinite(template) ? template : 0;
  const whole = Math.floor((prefixTokens + extra) / blockSize) * blockSize;
  const firsts = new Map();
  for (const r of [...planned]
    .filter((r) => r.sent_ms !== null)
    .sort((a, b) => a.sent_ms - b.sent_ms || a.seq - b.seq)) {
    if (!firsts.has(r.prefix)) firsts.set(r.prefix, r);
  }
  const [cell, repeat] = trial.id.split(/-r(?=\d+$)/);
  const reported = ok.filter((r) => cachedOf(r) !== null);
  // Blocks of a chat template that every prompt shares are no hit: they show on first requests too.
  const onFirsts = [...firsts.values()]
    .slice(1)
    .map(cachedOf)
    .filter((c) => c !== null);
  const most = Math.max(0, ...onFirsts);
  const shared = extra + 1 >= blockSize && most <= extra + 1 && most < prefixTokens / 2 ? most : 0;
  const promptOf = (r) => r.prompt_tokens ?? prefixTokens + tailTokens;
  const firstSet = new Set(start === 'cold' ? firsts.values() : []);
  const longest = prefixTokens + extra + 1;
  const self = {
    cell,
    repeat: Number(repeat),
    planned,
    ok,
    reported,
    cachedOf,
    promptOf,
    whole,
    longest,
    shared,
    firsts,
    all,
  };
  const span = spanOf(planned, ok);
  const sum = (list, of) => list.reduce((total, r) => total + of(r), 0);
  const prompts = sum(reported, promptOf);
  self.values = {
    request_hit_rate: ratio(reported.filter((r) => cachedOf(r) > shared).length, reported.length),
    cached_token_ratio: ratio(sum(reported, cachedOf), prompts),
    cached_token_ceiling: ratio(
      sum(reported, (r) => (firstSet.has(r) ? 0 : Math.min(whole, promptOf(r)))),
      prompts,
    ),
    ttft_mean_ms: ok.length === 0 ? null : mean(ok.map((r) => r.ttft_ms)),
    ttft_p50_ms: rank(
      ok.map((r) => r.ttft_ms),
      0.5,
    ),
    ttft_p90_ms: rank(
      ok.map((r) => r.ttft_ms),
      0.9,
    ),
    ttft_p99_ms: rank(
      ok.map((r) => r.ttft_ms),
      0.99,
    ),
    tpot_p50_ms: rank(
      ok.map((r) => r.tpot_ms),
      0.5,
    ),
    e2e_p50_ms: rank(
      ok.map((r) => r.e2e_ms),
      0.5,
    ),
    e2e_p99_ms: rank(
      ok.map((r) => r.e2e_ms),
      0.99,
    ),
    throughput_rps: ratio(ok.length, span),
    output_tokens_per_s: ok.some((r) => r.output_tokens === null)
      ? null
      : ratio(
          sum(ok, (r) => r.output_tokens),
          span,
        ),
    ...workerMeasures(ok),
  };
  self.client = trial.client;
  self.kept = !trial.interrupted && ok.length > 0 && !isContaminated(self, start);
  return self;
}

function spanOf(planned, ok) {
  const first = Math.min(...planned.filter((r) => r.sent_ms !== null).map((r) => r.sent_ms));
  const last = Math.max(...ok.map((r) => r.sent_ms + r.e2e_ms));
  return last > first ? (last - first) / 1000 : null;
}

function workerMeasures(ok) {
  const named = ok.filter((r) => r.worker !== null && r.prefix !== null);
  if (named.length === 0) return { workers_per_prefix: null, workers_seen: null };
  const pairs = new Set(named.map((r) => `${r.prefix} ${r.worker}`));
  return {
    workers_per_prefix: pairs.size / new Set(named.map((r) => r.prefix)).size,
    workers_seen: new Set(named.map((r) => r.worker)).size,
  };
}

/** A first-sent request hit although no request that overlapped it had missed, or more was cached than a prefix has. */
function isContaminated(trial, start) {
  if (trial.reported.some((r) => trial.cachedOf(r) > trial.longest)) return true;
  if (start === 'primed') return false;
  return [...trial.firsts.values()].some(
    (first) =>
      (trial.cachedOf(first) ?? 0) > trial.shared &&
      !trial.planned.some(
        (other) =>
          other !== first &&
          other.prefix === first.prefix &&
          other.sent_ms !== null &&
          other.sent_ms < first.sent_ms + (first.ttft_ms ?? 0) &&
          (trial.cachedOf(other) ?? 0) <= trial.shared,
      ),
  );
}

// ---------------------------------------------------------------- arithmetic

function ratio(part, whole) {
  return whole === null || whole === 0 ? null : part / whole;
}

function rank(values, p) {
  const sorted = values.filter((v) => v !== null).sort((a, b) => a - b);
  return sorted.length === 0 ? null : sorted[Math.max(0, Math.ceil(p * sorted.length - 1e-9) - 1)];
}

function middle(values) {
  if (values.length === 0 || values.some((v) => v === null)) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;

function keptOf(side, cell) {
  return (side.cells.get(cell) ?? []).filter((trial) => trial.kept);
}

function cellValue(side, cell, key) {
  return middle(keptOf(side, cell).map((trial) => trial.values[key]));
}

function bandOf(side, cell, key) {
  const values = keptOf(side, cell).map((trial) => trial.values[key]);
  return [Math.min(...values), Math.max(...values)];
}

// ---------------------------------------------------------------- lost tokens

const CAUSES = ['first touch', 'eviction', 'in flight', 'placement', 'lost, cause not known'];

/** Where the whole-block hits went that a trial's requests did not get (DESIGN: the lost hits, explained). */
function lostOf(trial) {
  const lost = {
    expected: 0,
    cached: 0,
    missing: 0,
    ...Object.fromEntries(CAUSES.map((cause) => [cause, 0])),
  };
  const us = (ms) => Math.round(ms * 1000);
  const primed = trial.all.filter((r) => r.phase === 'prime');
  const sent = trial.planned
    .filter((r) => r.sent_ms !== null)
    .sort((a, b) => a.sent_ms - b.sent_ms || a.seq - b.seq);
  const earlier = primed
    .filter((r) => r.ttft_ms !== null)
    .map((r) => ({ prefix: r.prefix, worker: r.worker, firstToken: Number.NEGATIVE_INFINITY }));
  for (const r of sent) {
    const cached = r.outcome === 'ok' ? trial.cachedOf(r) : null;
    if (cached !== null) {
      const expected = Math.min(trial.whole, r.prompt_tokens ?? trial.whole);
      const missing = Math.max(0, expected - cached);
      lost.expected += expected;
      lost.cached += Math.min(cached, expected);
      lost.missing += missing;
      lost[
        cause(
          r,
          earlier.filter((e) => e.prefix === r.prefix),
        )
      ] += missing;
    }
    if (r.ttft_ms !== null)
      earlier.push({ prefix: r.prefix, worker: r.worker, firstToken: us(r.sent_ms) + us(r.ttft_ms) });
  }
  return lost;

  function cause(r, before) {
    if (before.length === 0) return 'first touch';
    if (r.worker === null) return 'lost, cause not known';
    const ready = (e) => e.firstToken <= us(r.sent_ms);
    const here = before.filter((e) => e.worker === r.worker);
    if (here.some(ready)) return 'eviction';
    if (before.some((e) => e.worker === null)) return 'lost, cause not known';
    return here.length > 0 || !before.some(ready) ? 'in flight' : 'placement';
  }
}

function lostOfCell(side, cell) {
  const total = {};
  for (const trial of keptOf(side, cell)) {
    for (const [key, tokens] of Object.entries(lostOf(trial))) total[key] = (total[key] ?? 0) + tokens;
  }
  return total;
}

// ---------------------------------------------------------------- changes

const POINTS = new Set(['request_hit_rate', 'cached_token_ratio']);
const HIGHER = new Set(['request_hit_rate', 'cached_token_ratio', 'throughput_rps', 'output_tokens_per_s']);
const COMPARED = {
  'Request hit rate': 'request_hit_rate',
  'Cached-token ratio': 'cached_token_ratio',
  'TTFT mean': 'ttft_mean_ms',
  'TTFT p50': 'ttft_p50_ms',
  'TTFT p99': 'ttft_p99_ms',
  'TPOT p50': 'tpot_p50_ms',
  'E2E p50': 'e2e_p50_ms',
  'E2E p99': 'e2e_p99_ms',
  Throughput: 'throughput_rps',
  'Output tokens': 'output_tokens_per_s',
};
const DRAWS = 100;
const judgedBefore = new Map();

/** Change, interval and adjusted p of every cell and measure of a candidate; `cells` in the report's order. */
function judge(base, candidate) {
  const known = judgedBefore.get(candidate);
  if (known !== undefined) return known;
  const ids = [...base.cells.keys()].filter((cell) => candidate.cells.has(cell));
  const weights = new Map(ids.map((cell) => [cell, resample(base, candidate, cell)]));
  const judged = [];
  for (const key of Object.values(COMPARED)) {
    const points = POINTS.has(key);
    const scale = (a, b) => (points ? b - a : Math.log(b / a));
    const rows = ids.map((cell) => {
      const pairs = keptOf(base, cell).flatMap((a) => {
        const b = keptOf(candidate, cell).find((trial) => trial.repeat === a.repeat);
        return b === undefined ? [] : [[round6(a.values[key]), round6(b.values[key]), a, b]];
      });
      const bounds = (side, sign) =>
        middle(pairs.map((pair) => pair[side] + sign * lateBy(pair[side + 2], key)[sign < 0 ? 0 : 1]));
      const changes = pairs.map(([a, b]) => scale(a, b));
      const least = points ? (1 / keptOf(base, cell)[0].planned.length) ** 2 : 1e-6;
      const between =
        changes.length < 2
          ? 0
          : changes.reduce((t, c) => t + (c - mean(changes)) ** 2, 0) / (changes.length - 1);
      const within = Math.max(weights.get(cell)[key], least);
      const shown = [middle(pairs.map(([a]) => a)), middle(pairs.map(([, b]) => b))];
      return {
        cell,
        key,
        df: changes.length - 1,
        between,
        within,
        least,
        shown,
        change: scale(...shown),
        lowest: scale(bounds(0, 1), bounds(1, -1)),
        highest: scale(bounds(0, -1), bounds(1, 1)),
        n: pairs.length,
      };
    });
    const slope = clamp(
      slopeOf(
        rows.map((r) => Math.log(r.within)),
        rows.map((r) => Math.log(Math.max(r.between, r.least))),
      ),
    );
    const df = rows.reduce((t, r) => t + r.df, 0);
    const factor = rows.reduce((t, r) => t + (r.df * r.between) / r.within ** slope, 0) / df;
    const noisiest = Math.max(...rows.map((r) => r.between));
    for (const r of rows) {
      const borrowed = Math.min(4, df - r.df);
      const predicted = Math.min(factor * r.within ** slope, noisiest);
      const variance = Math.max((borrowed * predicted + r.df * r.between) / (borrowed + r.df), r.least);
      const error = MEDIAN_ERROR[r.n] * Math.sqrt(variance);
      const margin = tQuantile(0.975, borrowed + r.df) * error;
      const unit = (c) => (points ? 100 * c : 100 * (Math.exp(c) - 1));
      judged.push({
        ...r,
        percent: points ? 100 * (r.shown[1] - r.shown[0]) : 100 * (r.shown[1] / r.shown[0] - 1),
        low: unit(r.lowest - margin),
        high: unit(r.highest + margin),
        p: 2 * (1 - tCdf(nearestToNone(r.lowest, r.highest) / error, borrowed + r.df)),
      });
    }
  }
  const order = [...judged].sort((a, b) => b.p - a.p);
  let least = 1;
  order.forEach((entry, i) => {
    least = Math.min(least, (entry.p * judged.length) / (judged.length - i));
    entry.adjusted = least;
  });
  judgedBefore.set(candidate, judged);
  return judged;
}

/** The smallest size of a change that is known only to lie between two ends. */
function nearestToNone(lowest, highest) {
  return lowest > 0 ? lowest : highest < 0 ? -highest : 0;
}

/** How much too large, and how much too small, a trial's value may be because its client was late (docs/client.md). */
function lateBy(trial, key) {
  const { client } = trial;
  if (client === null || POINTS.has(key)) return [0, 0];
  const lag = (name) => Math.max(client[`stamp_lag_${name}_ms`] ?? 0, client[`loop_delay_${name}_ms`] ?? 0);
  const known = (name) => (client[`stamp_lag_${name}_ms`] === undefined ? lag('p99') : lag(name));
  const average = known('mean');
  if (key === 'throughput_rps' || key === 'output_tokens_per_s') {
    const sent = client.send_lag_mean_ms ?? client.send_lag_p99_ms ?? 0;
    const idle = average + (client.concurrency_asked === null ? 0 : sent);
    return [0, (trial.values[key] * idle) / mean(trial.ok.map((r) => r.e2e_ms))];
  }
  if (key.startsWith('tpot')) {
    const each = Math.max(lag('p50'), average) / Math.max(1, mean(trial.ok.map((r) => r.output_tokens)) - 1);
    return [each, each];
  }
  if (key.includes('mean')) return [average, 0];
  if (key.includes('p50')) return [Math.max(lag('p50'), average), 0];
  return key.includes('p90') ? [Math.max(known('p90'), average), 0] : [lag('p99'), 0];
}

/** Standard deviation of the median of n standard normal values. */
const MEDIAN_ERROR = { 1: 1, 2: Math.SQRT1_2, 3: 0.6698, 4: 0.5461, 5: 0.5356 };
const clamp = (value) => Math.min(1, Math.max(0, value));
const round6 = (value) => (value === null ? null : Number(value.toFixed(6)));

function slopeOf(x, y) {
  const sxx = x.reduce((t, v) => t + (v - mean(x)) ** 2, 0);
  return sxx > 0 ? x.reduce((t, v, i) => t + (v - mean(x)) * (y[i] - mean(y)), 0) / sxx : 1;
}

/** Mean over repeats of the variance of the change when the trial's requests are drawn anew, the same of both sides. */
function resample(base, candidate, cell) {
  const variances = {};
  let state = 0x2545f491;
  const random = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  for (const a of keptOf(base, cell)) {
    const b = keptOf(candidate, cell).find((trial) => trial.repeat === a.repeat);
    if (b === undefined) continue;
    const draws = Array.from({ length: DRAWS }, () => {
      const picks = Array.from(a.planned, () => Math.floor(random() * a.planned.length));
      return [measuresOf(a, picks), measuresOf(b, picks)];
    });
    for (const key of Object.values(COMPARED)) {
      const changes = draws
        .map(([x, y]) => (POINTS.has(key) ? y[key] - x[key] : Math.log(y[key] / x[key])))
        .filter(Number.isFinite);
      const variance = changes.reduce((t, c) => t + (c - mean(changes)) ** 2, 0) / (changes.length - 1);
      variances[key] = [...(variances[key] ?? []), variance];
    }
  }
  return Object.fromEntries(Object.entries(variances).map(([key, list]) => [key, mean(list)]));
}

function measuresOf(trial, picks) {
  trial.gaps ??= gapsOf(trial);
  const drawn = picks.map((i) => trial.planned[i]).filter((r) => r.outcome === 'ok');
  const reported = drawn.filter((r) => trial.cachedOf(r) !== null);
  const spanS = drawn.reduce((t, r) => t + trial.gaps.get(r), 0) / 1000;
  return {
    request_hit_rate: reported.filter((r) => trial.cachedOf(r) > trial.shared).length / reported.length,
    cached_token_ratio:
      reported.reduce((t, r) => t + trial.cachedOf(r), 0) /
      reported.reduce((t, r) => t + trial.promptOf(r), 0),
    ttft_mean_ms: mean(drawn.map((r) => r.ttft_ms)),
    ttft_p50_ms: rank(
      drawn.map((r) => r.ttft_ms),
      0.5,
    ),
    ttft_p99_ms: rank(
      drawn.map((r) => r.ttft_ms),
      0.99,
    ),
    tpot_p50_ms: rank(
      drawn.map((r) => r.tpot_ms),
      0.5,
    ),
    e2e_p50_ms: rank(
      drawn.map((r) => r.e2e_ms),
      0.5,
    ),
    e2e_p99_ms: rank(
      drawn.map((r) => r.e2e_ms),
      0.99,
    ),
    throughput_rps: drawn.length / spanS,
    output_tokens_per_s: drawn.reduce((t, r) => t + (r.output_tokens ?? 0), 0) / spanS,
  };
}

/** The time each completion came after the one before it; they sum up to the trial's span. */
function gapsOf(trial) {
  let before = Math.min(...trial.planned.filter((r) => r.sent_ms !== null).map((r) => r.sent_ms));
  const gaps = new Map();
  for (const r of [...trial.ok].sort((a, b) => a.sent_ms + a.e2e_ms - (b.sent_ms + b.e2e_ms))) {
    gaps.set(r, r.sent_ms + r.e2e_ms - before);
    before = r.sent_ms + r.e2e_ms;
  }
  return gaps;
}

/** Student's t by Simpson's rule over its density: slow, and nothing like the way src/ does it. */
function tCdf(t, df) {
  const density = (x) => (1 + (x * x) / df) ** (-(df + 1) / 2);
  const area = (from, to, steps) => {
    const h = (to - from) / steps;
    let total = density(from) + density(to);
    for (let i = 1; i < steps; i++) total += density(from + i * h) * (i % 2 === 1 ? 4 : 2);
    return (total * h) / 3;
  };
  // Substituting x = tan(u) makes the whole line finite.
  const line = (to) => {
    const f = (u) => density(Math.tan(u)) / Math.cos(u) ** 2;
    const steps = 2000;
    const h = to / steps;
    let total = f(0) + (to < Math.PI / 2 ? f(to) : 0);
    for (let i = 1; i < steps; i++) total += f(i * h) * (i % 2 === 1 ? 4 : 2);
    return (total * h) / 3;
  };
  return 0.5 + (0.5 * (t < 1 ? area(0, t, 400) : line(Math.atan(t)))) / line(Math.PI / 2 - 1e-9);
}

const quantiles = new Map();

function tQuantile(p, df) {
  const known = quantiles.get(df);
  if (known !== undefined) return known;
  let [low, high] = [0, 100];
  for (let i = 0; i < 60; i++) {
    const between = (low + high) / 2;
    if (tCdf(between, df) < p) low = between;
    else high = between;
  }
  quantiles.set(df, low);
  return low;
}

// ---------------------------------------------------------------- the report

function readTables(markdown) {
  const tables = [];
  const headings = ['', '', ''];
  const lines = markdown.split('\n');
  for (let i = 0; i < lines.length; i++) {
    const heading = /^(#{1,3}) (.*)$/.exec(lines[i]);
    if (heading !== null) {
      headings.fill('', heading[1].length - 1);
      headings[heading[1].length - 1] = heading[2].replace(/\\/g, '');
    }
    if (!lines[i].startsWith('|') || !/^\|[ :|-]+\|$/.test(lines[i + 1] ?? '')) continue;
    const cells = (line) =>
      line
        .slice(2, -2)
        .split(' | ')
        .map((cell) => cell.replace(/\\/g, ''));
    const rows = [];
    let end = i + 2;
    for (; lines[end]?.startsWith('|'); end++) rows.push(cells(lines[end]));
    tables.push({ section: headings[1], heading: headings[2], head: cells(lines[i]), rows });
    i = end;
  }
  return tables;
}

const FAMILIES = {
  'Request hit rate, %': { keys: ['request_hit_rate'], scale: 100, band: true },
  'Cached-token ratio': { keys: ['cached_token_ratio'], scale: 1, band: true, ceiling: true },
  'TTFT mean / TTFT p50 / TTFT p99, ms': { keys: ['ttft_mean_ms', 'ttft_p50_ms', 'ttft_p99_ms'], scale: 1 },
  'Throughput, req/s': { keys: ['throughput_rps'], scale: 1, band: true },
  'Workers per prefix / Workers seen, workers': { keys: ['workers_per_prefix', 'workers_seen'], scale: 1 },
};

function checkTable(table, sides, check, workerCapacity) {
  const family = FAMILIES[table.heading];
  if (table.section === 'Results' && family !== undefined) return checkFamily(table, family, sides, check);
  if (table.heading === 'Request hit rate against its capacity ceiling, %' && workerCapacity !== null) {
    return checkCapacity(table, sides, check, workerCapacity);
  }
  if (table.section === 'The answer') return checkAnswerTable(table, sides, check);
  if (table.section === 'Changes and verdicts') return checkChanges(table, sides, check);
  if (table.heading === 'Lost cached tokens by cause') return checkLosses(table, sides, check);
  if (table.heading === 'Load over the workers') return checkLoads(table, sides, check);
  if (table.section === 'Provenance') return checkProvenance(table, sides, check);
  if (table.section === 'Experiment record') return checkRecord(table, sides, check);
  check.fail(`${table.section} / ${table.heading}: a table that the recount does not know`);
}

/** `4 in flight`, `12` → `p12-c4`; `20 req/s` → `p12-q20`. */
function cellId([load, prefixes]) {
  const amount = load.split(' ')[0];
  return `p${prefixes}-${load.endsWith('in flight') ? 'c' : 'q'}${amount}`;
}

function checkFamily(table, family, sides, check) {
  for (const row of table.rows) {
    const cell = cellId(row);
    let column = 2;
    if (family.ceiling) {
      const ceilings = sides.map((side) => cellValue(side, cell, 'cached_token_ceiling'));
      check.numbers(`${table.heading}, ${cell}, ceiling`, row[column++], [ceilings[0]]);
    }
    for (const side of sides) {
      const where = `${table.heading}, ${cell}, ${side.name}`;
      const values = family.keys.map((key) => cellValue(side, cell, key));
      const text = row[column++];
      if (values[0] === null) {
        check.text(where, text, side.cells.has(cell) ? 'not reported' : 'not measured');
        continue;
      }
      const band = family.band && keptOf(side, cell).length > 1 ? bandOf(side, cell, family.keys[0]) : [];
      check.numbers(
        where,
        text,
        [...values, ...band].map((value) => value * family.scale),
      );
    }
  }
}

function checkChanges(table, sides, check) {
  const [base, ...others] = sides;
  const candidate = others.find((side) => table.heading === `${side.name} against ${base.name}`);
  if (candidate === undefined) return check.fail(`no run for "${table.heading}"`);
  const judged = judge(base, candidate);
  for (const row of table.rows) {
    const cell = cellId(row);
    table.head.slice(2).forEach((label, column) => {
      const text = row[column + 2];
      const entry = judged.find((one) => one.cell === cell && one.key === COMPARED[label]);
      const where = `${table.heading}, ${cell}, ${label}`;
      if (entry === undefined) {
        check.fail(`${where}: nothing to compare, the report says ${text}`);
        return;
      }
      const [change, low, high] = numbersOf(text);
      check.number(`${where}: change`, change, entry.percent);
      const width = entry.high - entry.low;
      // A median between hits and misses jumps from draw to draw, so its spread is known less well than that of a sum.
      const tolerance = (/p50|p99/.test(label) ? 0.35 : 0.15) * width + 0.1;
      check.near(`${where}: low end`, low, entry.low, tolerance);
      check.near(`${where}: high end`, high, entry.high, tolerance);
      const better = entry.percent > 0 === HIGHER.has(entry.key) ? '▲' : '▼';
      const mark = entry.adjusted <= 0.05 ? better : '≈';
      const close = entry.adjusted > 0.03 && entry.adjusted < 0.08;
      if (!close || (text[0] !== better && text[0] !== '≈')) check.text(`${where}: verdict`, text[0], mark);
    });
  }
}

function checkLosses(table, sides, check) {
  for (const row of table.rows) {
    const side = sides.find((one) => one.name === row[2]);
    const lost = lostOfCell(side, cellId(row));
    const where = `${table.heading}, ${cellId(row)}, ${row[2]}`;
    table.head.slice(3).forEach((name, column) => {
      const tokens = name === 'expected, tokens' ? lost.expected : (100 * lost[name]) / lost.expected;
      check.numbers(`${where}, ${name}`, row[column + 3], [tokens]);
    });
    const named = table.head.slice(5).reduce((total, name) => total + lost[name], 0);
    if (named !== lost.missing)
      check.fail(`${where}: ${named} tokens have a cause, ${lost.missing} are missing`);
  }
}

/**
 * Workers that were there at the same time as a trial: those of its repeat, and of every repeat that shares one with
 * them. A target started anew between repeats has other ids in each.
 */
function workersAround(side, repeat) {
  const of = (repeats) =>
    new Set(
      side.trials
        .filter((t) => repeats.has(t.repeat))
        .flatMap((t) => t.ok.map((r) => r.worker))
        .filter((w) => w !== null),
    );
  let repeats = new Set([repeat]);
  for (;;) {
    const workers = of(repeats);
    const wider = new Set(
      side.trials
        .filter((t) => repeats.has(t.repeat) || t.ok.some((r) => workers.has(r.worker)))
        .map((t) => t.repeat),
    );
    if (wider.size === repeats.size) return [...workers].sort();
    repeats = wider;
  }
}

function mostWorkers(side) {
  return Math.max(...side.trials.map((t) => workersAround(side, t.repeat).length));
}

function checkCapacity(table, sides, check, workerCapacity) {
  for (const row of table.rows) {
    const cell = cellId(row);
    sides.forEach((side, column) => {
      const ceiling = Math.min(1, (mostWorkers(side) * workerCapacity) / Number(row[1]));
      check.numbers(`${table.heading}, ${cell}, ${side.name}`, row[column + 2], [
        100 * cellValue(side, cell, 'request_hit_rate'),
        100 * ceiling,
      ]);
    });
  }
}

function checkLoads(table, sides, check) {
  for (const row of table.rows) {
    sides.forEach((side, column) => {
      const trials = keptOf(side, cellId(row));
      const counts = trials.map((t) =>
        workersAround(side, t.repeat).map(
          (w) => t.ok.filter((r) => r.worker === w && r.prefix !== null).length,
        ),
      );
      const cvs = counts.map((list) => Math.sqrt(mean(list.map((n) => (n - mean(list)) ** 2))) / mean(list));
      const served = middle(counts.map((list) => list.reduce((a, b) => a + b, 0)));
      // Of each set of workers the busiest, over the trials that met it.
      const sets = new Map();
      trials.forEach((t, i) => {
        const set = workersAround(side, t.repeat).join();
        sets.set(set, [...(sets.get(set) ?? []), counts[i]]);
      });
      const most = [...sets.values()].map((lists) =>
        Math.max(...lists[0].map((_, w) => lists.reduce((sum, list) => sum + list[w], 0))),
      );
      const all = counts.flat().reduce((a, b) => a + b, 0);
      const busiest = (100 * most.reduce((a, b) => a + b, 0)) / all;
      check.numbers(`${table.heading}, ${cellId(row)}, ${side.name}`, row[column + 2], [
        middle(cvs),
        Math.sqrt((mostWorkers(side) - 1) / served),
        busiest,
      ]);
    });
  }
}

function checkProvenance(table, sides, check) {
  for (const [name, ...values] of table.rows) {
    sides.forEach((side, index) => {
      const { run, variant } = side;
      const expected = {
        model: variant.target.model,
        dialect: variant.target.dialect,
        target: variant.target.url,
        'workload, SHA-256': run.workload.sha256.slice(0, 16),
        kvbench: run.provenance.kvbench,
        status: run.status,
      }[name];
      if (expected !== undefined) check.text(`${name}, ${side.name}`, values[index], expected);
    });
  }
}

function checkRecord(table, sides, check) {
  for (const [name, ...values] of table.rows) {
    sides.forEach((side, index) => {
      const where = `${name}, ${side.name}`;
      const ok = side.trials.flatMap((trial) => trial.ok);
      const text = values[index];
      if (name === 'load per candidate') {
        for (const [, worker, share] of text.matchAll(/(\S+): ([\d.]+) %/g)) {
          const own = ok.filter((r) => r.worker === worker).length;
          const trial = side.trials.find((t) => t.ok.some((r) => r.worker === worker));
          const around = new Set(workersAround(side, trial.repeat));
          check.number(
            `${where}, ${worker}`,
            share,
            (100 * own) / ok.filter((r) => around.has(r.worker)).length,
          );
        }
      }
      if (name === 'locality per candidate') {
        for (const [, worker, cached] of text.matchAll(/(\S+): ([\d.]+)(?=,|$)/g)) {
          const own = side.trials.flatMap((t) =>
            t.reported.filter((r) => r.worker === worker).map((r) => [t.cachedOf(r), r.prompt_tokens]),
          );
          const [c, p] = own.reduce(([x, y], [a, b]) => [x + a, y + b], [0, 0]);
          check.number(`${where}, ${worker}`, cached, c / p);
        }
      }
      if (name === 'completed load') {
        const rates = [...side.cells.keys()].map((cell) => cellValue(side, cell, 'throughput_rps'));
        check.numbers(where, text.split(' req/s')[0], [Math.min(...rates), Math.max(...rates)]);
      }
      if (name === 'segments until the first token') {
        const of = {
          'waiting in the client': (r) => r.send_lag_ms,
          connecting: (r) => r.connect_ms,
          'queue before prefill': (r) => r.server?.prefill_wait_ms ?? null,
          prefill: (r) => r.server?.prefill_ms ?? null,
          'KV transfer': (r) => r.server?.kv_transfer_ms ?? null,
          'TTFT at the client': (r) => r.ttft_ms,
        };
        for (const [, segment, ms] of text
          .replace(/^.*?: /, '')
          .matchAll(/([A-Za-z][A-Za-z ]*?) ([\d.]+) ms/g)) {
          check.number(`${where}, ${segment}`, ms, rank(ok.map(of[segment]), 0.5));
        }
      }
    });
  }
}

/** The counts of verdicts, the median changes and the lost shares in the three sentences. */
function checkAnswer(markdown, sides, check) {
  const [base, ...others] = sides;
  const answer = markdown
    .split('\n')
    .filter((line) => line.startsWith('> '))
    .join(' ')
    .replace(/\\/g, '');
  for (const candidate of others) {
    const sentence = new RegExp(`With ${candidate.name}, (.*?)\\.(?= |$)`).exec(answer);
    if (sentence === null) {
      check.fail(`answer: nothing on ${candidate.name}`);
      continue;
    }
    for (const clause of sentence[1].split('; '))
      checkClause(clause, judge(base, candidate), candidate, check);
  }
  for (const side of sides) {
    const said = new RegExp(`${side.name} lost ([\\d.]+) %, the largest part \\(([\\d.]+) %\\)`).exec(answer);
    if (said === null) {
      check.fail(`answer: nothing on what ${side.name} lost`);
      continue;
    }
    const total = {};
    for (const cell of side.cells.keys()) {
      for (const [key, tokens] of Object.entries(lostOfCell(side, cell)))
        total[key] = (total[key] ?? 0) + tokens;
    }
    check.number(`answer, ${side.name}: lost`, said[1], (100 * total.missing) / total.expected);
    check.number(
      `answer, ${side.name}: main cause`,
      said[2],
      (100 * Math.max(...CAUSES.map((c) => total[c]))) / total.expected,
    );
  }
}

/** `TTFT p50 is 33.3 % lower in 3 of 8 cells`, of a rate with `(medians over the cells: 41.3 → 70.8 %)` behind it. */
function checkClause(clause, judged, candidate, check) {
  const key = Object.entries(COMPARED).find(([label]) =>
    clause.toLowerCase().includes(label.toLowerCase()),
  )?.[1];
  const where = `answer, ${candidate.name}, ${key}`;
  const entries = judged.filter((entry) => entry.key === key);
  if (entries.length === 0) return check.fail(`${where}: nothing to compare, the report says ${clause}`);
  const rate = /\(medians over the cells: ([\d.]+) → ([\d.]+) %\)/.exec(clause);
  if (rate !== null) {
    check.number(`${where}: before`, rate[1], 100 * middle(entries.map((entry) => entry.shown[0])));
    check.number(`${where}: after`, rate[2], 100 * middle(entries.map((entry) => entry.shown[1])));
  }
  for (const direction of ['higher', 'lower']) {
    const rises = direction === 'higher';
    const called = entries.filter((entry) => entry.adjusted <= 0.05 && entry.percent > 0 === rises);
    const said = new RegExp(`([\\d.]+) (?:points|%) ${direction} in (\\d+)`).exec(clause);
    if (entries.some((entry) => entry.adjusted > 0.03 && entry.adjusted < 0.08)) continue;
    check.text(`${where}: ${direction}`, said?.[2] ?? '0', String(called.length));
    if (called.length > 0)
      check.number(
        `${where}: how much ${direction}`,
        said?.[1],
        middle(called.map((entry) => Math.abs(entry.percent))),
      );
  }
}

/** Before → after of each measure, as the answer's tables have them. */
function checkAnswerTable(table, sides, check) {
  const [base, ...others] = sides;
  const candidate = others.find((side) => table.heading === `${side.name} against ${base.name}`);
  if (candidate === undefined) return check.fail(`no run for "${table.heading}"`);
  const judged = judge(base, candidate);
  for (const [cell, ...values] of table.rows) {
    values.forEach((text, column) => {
      const label = table.head[column + 1].split(',')[0];
      const entry = judged.find((one) => one.cell === cell && one.key === COMPARED[label]);
      const where = `${table.heading}, ${cell}, ${label}`;
      if (entry === undefined) {
        check.fail(`${where}: nothing to compare, the report says ${text}`);
        return;
      }
      const scale = POINTS.has(entry.key) ? 100 : 1;
      check.numbers(where, text.replace('→', ' '), [scale * entry.shown[0], scale * entry.shown[1]]);
    });
  }
}

// ---------------------------------------------------------------- checks

function numbersOf(text) {
  return [...text.matchAll(/(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?/g)].map(([number]) => number);
}

function createCheck() {
  const problems = [];
  let count = 0;
  const fail = (problem) => problems.push(problem);
  const near = (where, shown, exact, tolerance) => {
    count++;
    const read = Number(String(shown).replaceAll(',', ''));
    if (!(Math.abs(read - exact) <= tolerance))
      fail(`${where}: the report says ${shown}, the records ${exact}`);
  };
  const number = (where, shown, exact) => {
    const decimals = (String(shown).split('.')[1] ?? '').length;
    near(where, shown, exact, 0.5 * 10 ** -decimals + 1e-6);
  };
  return {
    problems,
    fail,
    near,
    number,
    count: () => count,
    text: (where, shown, exact) => {
      count++;
      if (shown !== exact) fail(`${where}: the report says ${shown}, the records ${exact}`);
    },
    numbers: (where, text, exact) => {
      const shown = numbersOf(text.replaceAll('–', ' '));
      if (shown.length !== exact.length)
        return fail(`${where}: the report says ${text}, the records ${exact.join(', ')}`);
      exact.forEach((value, i) => {
        number(where, shown[i], value);
      });
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { 'worker-capacity': { type: 'string' } },
  });
  const [report, ...runs] = positionals;
  const capacity = values['worker-capacity'];
  const { checked, tables, problems } = recount(
    readFileSync(report, 'utf8'),
    runs,
    capacity === undefined ? null : Number(capacity),
  );
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  process.stdout.write(
    `${checked} values in ${tables.length} tables recomputed, ${problems.length} differ\n`,
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
}
