// Measures how well the intervals and verdicts of `kvbench diff` hold, on the simulated cluster, and writes the tables
// of docs/statistics.md: `npm run calibrate`.

import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { studentQuantile, studentTwoSidedP } from '../dist/core/base/student-t.js';
import { COMPARED_KEYS, measureOf } from '../dist/core/measure/measures.js';
import { fillMark } from '../docs/fill-mark.mjs';
import { judgePair } from './calibration/judge.mjs';
import { makeLate } from './calibration/late-client.mjs';
import { excludesNothing, percent, renderNulls, table } from './calibration/render.mjs';
import { simulate } from './calibration/simulate.mjs';

const HELP = `usage: npm run calibrate -- [--pairs N]

  --pairs N   pairs of runs for each comparison, each pair with a plan of its own (20)
`;
const { values } = parseArgs({
  options: { pairs: { type: 'string', default: '20' }, help: { type: 'boolean' } },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}

const PAIRS = Number(values.pairs);
const GRID = {
  prefixes: [2, 7, 12, 24],
  concurrency: [4, 8, 16],
  requests: 240,
  repeats: 3,
  outputTokens: 16,
};
/** Degrees of freedom of three repeats with other cells to borrow from. */
const DF = 6;

/** Runs of each pair: the same plan, a salt and a cluster seed of their own. */
const RUNS = {
  kv: 'sim:kv?workers=6',
  'kv again': 'sim:kv?workers=6',
  random: 'sim:random?workers=6',
  'random again': 'sim:random?workers=6',
  'more cache': 'sim:kv?workers=6&capacity-requests=5',
  'slower router': 'sim:kv?workers=6&router-overhead-ms=6',
  'less overlap weight': 'sim:kv?workers=6&overlap-score-credit=0.5',
};
const NULLS = [
  ['kv', 'kv again', 'kv routing against itself'],
  ['random', 'random again', 'a Service (a random worker for each connection) against itself'],
];
/** Of a client late by this much on average, in the candidate's run alone. */
const LATE_MS = 3;
const LATE = [
  ['the client knows how late it was', true],
  ['the same, its lateness ignored', false],
];
const EFFECTS = [
  ['kv', 'more cache', 'cache of a worker: 3.95 → 5 prompts'],
  ['kv', 'slower router', 'delay of the router: 3 → 6 ms'],
  ['kv', 'less overlap weight', 'overlap-score-credit: 1 → 0.5'],
  ['random', 'kv', 'a Service → kv routing'],
];

const cpu = process.cpuUsage();
const judged = new Map([...NULLS, ...EFFECTS].map(([, , title]) => [title, []]));
for (const [title] of LATE) judged.set(title, []);
for (let pair = 1; pair <= PAIRS; pair++) {
  const runs = {};
  for (const [name, url] of Object.entries(RUNS)) {
    const settings = { ...GRID, seed: `calibrate-${pair}`, salt: `${name} ${pair}` };
    runs[name] = await simulate(name, `${url}&seed=${encodeURIComponent(`${name} ${pair}`)}`, settings);
  }
  for (const [baseline, candidate, title] of [...NULLS, ...EFFECTS]) {
    judged.get(title).push(judgePair(runs[baseline], runs[candidate]));
  }
  for (const [title, isKnown] of LATE) {
    const late = makeLate(runs['kv again'], LATE_MS, String(pair), isKnown);
    judged.get(title).push(judgePair(runs.kv, late));
  }
  process.stderr.write(`pair ${pair} of ${PAIRS}: done\n`);
}
const minutes = process.cpuUsage(cpu).user / 60e6;

const page = fileURLToPath(new URL('../docs/statistics.md', import.meta.url));
fillMark(
  page,
  'calibration-size',
  `${PAIRS} pairs of runs for each line (12 cells x 3 repeats x 240 requests; ${COMPARED_KEYS.length} measures, so ${12 * COMPARED_KEYS.length} comparisons a pair), ${minutes.toFixed(0)} minutes of one core.`,
);
fillMark(page, 'calibration-null', renderNulls(NULLS.map(([, , title]) => [title, judged.get(title)])));
fillMark(page, 'calibration-late', renderNulls(LATE.map(([title]) => [title, judged.get(title)])));
fillMark(page, 'calibration-measures', renderMeasures());
fillMark(page, 'calibration-effects', renderEffects());

function renderMeasures() {
  const rows = COMPARED_KEYS.map((measure) => [
    labelOf(measure),
    ...NULLS.map(([, , title]) => {
      const own = judged.get(title).flatMap((pair) => pair.filter((one) => one.measure === measure));
      return percent(own, excludesNothing);
    }),
  ]);
  return table(['measure', ...NULLS.map(([, , title]) => title)], rows);
}

/** The truth of a cell and measure is the mean over all pairs. */
function renderEffects() {
  const rows = EFFECTS.flatMap(([, , title]) => {
    const all = judged.get(title).flat();
    const truth = new Map();
    for (const one of all) {
      const key = `${one.cell} ${one.measure}`;
      const sum = truth.get(key) ?? { sum: 0, count: 0 };
      truth.set(key, { sum: sum.sum + one.change, count: sum.count + 1 });
    }
    const truthOf = (one) => {
      const { sum, count } = truth.get(`${one.cell} ${one.measure}`);
      return sum / count;
    };
    const line = (name, own) => [
      name,
      String(own.length),
      percent(own, (one) => one.low - 1e-9 <= truthOf(one) && truthOf(one) <= one.high + 1e-9),
      `${((100 * own.reduce((sum, one) => sum + promised(one, truthOf(one)), 0)) / own.length).toFixed(1)} %`,
      percent(own, excludesNothing),
      percent(own, (one) => one.called),
    ];
    const rates = all.filter(({ measure }) => measure === 'request_hit_rate');
    const times = all.filter(({ measure }) => measure === 'ttft_p50_ms');
    return [
      line(`**${title}**, all measures`, all),
      line('request hit rate', rates),
      line('TTFT p50', times),
    ];
  });
  return table(
    [
      'what changed',
      'comparisons',
      'interval holds the true change',
      'promised to exclude 0',
      'excludes 0',
      'called different',
    ],
    rows,
  );
}

/** How likely an interval as wide as this one excludes 0 when the true change is `truth`. */
function promised({ low, high }, truth) {
  const limit = studentQuantile(0.95, DF);
  const shift = Math.abs(truth) / ((high - low) / 2 / limit);
  const above = (t) => (t >= 0 ? studentTwoSidedP(t, DF) / 2 : 1 - studentTwoSidedP(t, DF) / 2);
  return above(limit - shift) + above(limit + shift);
}

function labelOf(key) {
  return measureOf(key).label;
}
