// Measures how often `kvbench diff` calls two runs of the same router mode different, on Dynamo's own router over its mock
// workers, and writes the table into docs/statistics.md: `npm run build && node bench/calibrate-dynamo.mjs DYNAMO_DIR
// [--pairs N]`. DYNAMO_DIR is what test/real/dynamo/setup.sh installed. On an otherwise idle machine.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { COMPARED_KEYS } from '../dist/core/measure/measures.js';
import { readRun } from '../dist/io/read-run.js';
import { fillMark } from '../docs/fill-mark.mjs';
import { judgePair } from './calibration/judge.mjs';
import { renderNulls } from './calibration/render.mjs';
import { startDynamo } from './dynamo.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { pairs: { type: 'string', default: '12' } },
});
const [dynamoDir] = positionals;
if (dynamoDir === undefined) {
  process.stderr.write('usage: node bench/calibrate-dynamo.mjs DYNAMO_DIR [--pairs 12]\n');
  process.exit(2);
}
const PAIRS = Number(options.pairs);
const PORT = 18_471;
/** A worker holds four prompts, as in the published experiment; short ones, so that a run takes seconds. */
const CLUSTER = { WORKERS: '6', BLOCKS: '100', SEQS: '16' };
const WORKLOAD = {
  prefixes: [2, 12],
  concurrency: [4, 8],
  requests: 100,
  repeats: 3,
  'prefix-tokens': 320,
  'tail-tokens': 64,
  'output-tokens': 8,
};
const MODES = [
  ['kv', 'Dynamo 1.6.1, kv routing against itself'],
  ['random', 'Dynamo 1.6.1, a random worker for each request against itself'],
];
const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const out = mkdtempSync(join(tmpdir(), 'kvbench-calibrate-'));

const judged = [];
const startedMs = performance.now();
try {
  for (const [mode, title] of MODES) {
    const stop = await startDynamo(dynamoDir, mode, PORT, CLUSTER);
    try {
      // The first run after the start would find caches empty that later ones find full.
      await measure(`${mode}-0`, 'before');
      const pairs = [];
      for (let pair = 1; pair <= PAIRS; pair++) {
        const runs = [await measure(`${mode}-${pair}`, 'a'), await measure(`${mode}-${pair}`, 'b')];
        // Whichever was second is the candidate as often as the baseline.
        pairs.push(judgePair(...(pair % 2 === 0 ? runs : runs.reverse())));
        process.stderr.write(`${mode}: pair ${pair} of ${PAIRS} done\n`);
      }
      judged.push([title, pairs]);
    } finally {
      await stop();
    }
  }
} finally {
  rmSync(out, { recursive: true, force: true });
}

const page = path('../docs/statistics.md');
const cells = WORKLOAD.prefixes.length * WORKLOAD.concurrency.length;
fillMark(
  page,
  'calibration-dynamo-size',
  `${PAIRS} pairs of runs for each line (${cells} cells x ${WORKLOAD.repeats} repeats x ${WORKLOAD.requests} requests of ${WORKLOAD['prefix-tokens']} + ${WORKLOAD['tail-tokens']} tokens, ${WORKLOAD['output-tokens']} out; ${COMPARED_KEYS.length} measures), ${((performance.now() - startedMs) / 60e3).toFixed(0)} minutes in real time.`,
);
fillMark(page, 'calibration-dynamo', renderNulls(judged));

/** One run through the command line, as a user makes it, read back from its directory. */
async function measure(seed, salt) {
  const directory = join(out, `${seed}-${salt}`);
  const settings = Object.entries({ ...WORKLOAD, seed, salt: `${seed} ${salt}` });
  const child = spawnSync(
    process.execPath,
    [
      ...[path('../bin/kvbench.js'), 'grid', '--url', `http://127.0.0.1:${PORT}`, '--variant', salt],
      ...settings.flatMap(([name, value]) => [`--${name}`, String(value)]),
      ...['--out', directory, '--quiet'],
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  if (child.status !== 0 && child.status !== 1) throw new Error(`kvbench grid: exit code ${child.status}`);
  return readRun(directory);
}
