// The comparison with a real router, from what bench/real-router.mjs measured and what the publication's data holds.

import { table } from './render.mjs';

const MODES = ['round-robin', 'kv'];
const AIM_POINTS = 6;

/** `also` is the earlier measurement of the same set-up at concurrency 8. */
export function renderRealRouter(measured, also) {
  const cells = measured.rows.flatMap((row) => MODES.map((mode) => ({ ...row, mode, ...row[mode] })));
  return [
    '## Against the real router',
    `Dynamo 1.6.1's frontend over six of its mock workers (600 blocks of 16 tokens, 16 requests at once), prompts of 2,300 tokens, 16
output tokens, 120 requests a trial, median of three trials; beside it \`sim:\` with the same workload, workers, cache and the
mock workers' timing. Written by bench/real-router.mjs. Each cell: real → simulated.`,
    renderMeasured(measured.rows),
    renderWithin(cells),
    renderTimes(measured.rows),
    `The same set-up measured earlier, at concurrency 8 only (bench/reproduction/dynamo-adoption.json):`,
    renderEarlier(measured.rows, also),
  ].join('\n\n');
}

function renderMeasured(rows) {
  return modeTable(
    'prefixes, concurrency',
    ['hit rate, %', 'off, points', 'workers per prefix'],
    rows,
    load,
    ({ real, simulated }) => [
      `${percent(real)} → ${percent(simulated)}`,
      signed(points(real, simulated)),
      `${real.workers_per_prefix.toFixed(2)} → ${simulated.workers_per_prefix.toFixed(2)}`,
    ],
  );
}

function renderWithin(cells) {
  const lines = MODES.map((mode) => {
    const own = cells.filter((cell) => cell.mode === mode);
    const off = own.map(({ real, simulated }) => Math.abs(points(real, simulated)));
    const within = off.filter((value) => value <= AIM_POINTS).length;
    return `${mode}: ${within} of ${own.length} cells within ${AIM_POINTS} points, ${Math.max(...off).toFixed(1)} at most`;
  });
  return `${lines.join('; ')}.`;
}

function renderTimes(rows) {
  const times = modeTable(
    'prefixes, concurrency',
    ['TTFT p50, ms', 'requests/s'],
    rows,
    load,
    ({ real, simulated }) => [
      `${(real.ttft_p50_ms / real.slow).toFixed(0)} → ${simulated.ttft_p50_ms.toFixed(0)}`,
      `${(real.throughput_rps * real.slow).toFixed(1)} → ${simulated.throughput_rps.toFixed(1)}`,
    ],
    {
      head: 'mock workers slowed',
      cell: (row) =>
        MODES.map((mode) => (row[mode].real.slow === 1 ? 'no' : `${row[mode].real.slow} ×`)).join(', '),
    },
  );
  return `Times are not compared: the real frontend, its workers and the client share two cores, and nothing of the real one's own
work (HTTP, tokens, events) is in the model. Besides, Dynamo 1.6.1's frontend leaves Nagle's algorithm on, so that the first token
of a hit comes 40 ms after the head of its answer, ready or not (docs/client.md): hence some 65 to 75 ms where hits prevail.

${times}`;
}

function renderEarlier(rows, also) {
  return modeTable(
    'prefixes',
    ['hit rate, %', 'off, points'],
    rows.filter(({ concurrency }) => concurrency === 8),
    ({ prefixes }) => String(prefixes),
    ({ simulated }, mode, { prefixes }) => {
      const real = also[mode].request_hit_rate[prefixes];
      const hits = 100 * simulated.request_hit_rate;
      return [`${real.toFixed(1)} → ${hits.toFixed(1)}`, signed(hits - real)];
    },
  );
}

/** One line for each row, `headings` for each mode; the first heading of a mode names it. `last` is a column for all modes. */
function modeTable(rowHead, [first, ...others], rows, nameOf, cellsOf, last = null) {
  return table(
    [
      rowHead,
      ...MODES.flatMap((mode) => [`${mode}: ${first}`, ...others]),
      ...(last === null ? [] : [last.head]),
    ],
    rows.map((row) => [
      nameOf(row),
      ...MODES.flatMap((mode) => cellsOf(row[mode], mode, row)),
      ...(last === null ? [] : [last.cell(row)]),
    ]),
  );
}

function load({ prefixes, concurrency }) {
  return `${prefixes}, ${concurrency}`;
}

function points(real, simulated) {
  return 100 * (simulated.request_hit_rate - real.request_hit_rate);
}

function percent(measures) {
  return (100 * measures.request_hit_rate).toFixed(1);
}

function signed(value) {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(1)}`;
}
