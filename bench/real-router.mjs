// Measures Dynamo's own router over its mock workers, and the simulated cluster with the same workers, workload and
// cache, and keeps both for docs/reproduction.md: `npm run build && node bench/real-router.mjs DYNAMO_DIR [options]`.
// DYNAMO_DIR is what test/real/dynamo/setup.sh installed. Cells not measured keep the figures they had.
//
//   --modes A,B          round-robin, kv                       (both)
//   --concurrency LIST   cells to measure                      (4,8,16)
//   --slow N             everything takes N times as long, on both sides: for a machine that is too busy to keep the
//                        mock workers' timing                  (1)

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startDynamo } from './dynamo.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    modes: { type: 'string', default: 'round-robin,kv' },
    concurrency: { type: 'string', default: '4,8,16' },
    slow: { type: 'string', default: '1' },
  },
});
const [dynamoDir] = positionals;
if (dynamoDir === undefined) {
  process.stderr.write(
    'usage: node bench/real-router.mjs DYNAMO_DIR [--modes kv] [--concurrency 8,16] [--slow 4]\n',
  );
  process.exit(2);
}
const slow = Number(options.slow);
const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const PORT = 18_470;
const PREFIXES = [2, 7, 12, 24];
const CONCURRENCY = [4, 8, 16];
const measured = options.concurrency.split(',').map(Number);
const WORKLOAD = `--prefixes ${PREFIXES} --concurrency ${measured} --requests 120 --repeats 3 --prefix-tokens 2000 --tail-tokens 300 --output-tokens 16`;
const CLUSTER = 'workers=6&capacity-blocks=600&max-num-seqs=16&max-num-batched-tokens=8192&timing=mocker';
// Scaled like everything else: what the mock workers take N times as long for, the frontend does not.
const OVERHEAD = `server-overhead-ms=${2 / slow}&router-overhead-ms=${1 / slow}`;
const DATA = path('reproduction/real-router.json');

const out = mkdtempSync(join(tmpdir(), 'kvbench-real-'));
const rows = existsSync(DATA)
  ? JSON.parse(readFileSync(DATA, 'utf8')).rows
  : PREFIXES.flatMap((prefixes) => CONCURRENCY.map((concurrency) => ({ prefixes, concurrency })));
try {
  for (const mode of options.modes.split(',')) {
    const stop = await startDynamo(
      dynamoDir,
      mode,
      PORT,
      slow === 1 ? {} : { MOCKER_ARGS: `--speedup-ratio ${1 / slow}` },
    );
    try {
      store(mode, 'real', measure(`http://127.0.0.1:${PORT}`, `${mode}-real`));
    } finally {
      await stop();
    }
    store(mode, 'simulated', measure(`sim:${mode}?${CLUSTER}&${OVERHEAD}`, `${mode}-simulated`));
  }
  writeFileSync(DATA, `${JSON.stringify({ cluster: CLUSTER, rows }, null, 1)}\n`);
} finally {
  rmSync(out, { recursive: true, force: true });
}

function measure(url, name) {
  const args = [
    'grid',
    '--url',
    url,
    '--variant',
    name,
    '--out',
    join(out, name),
    '--quiet',
    ...WORKLOAD.split(' '),
  ];
  const child = spawnSync(process.execPath, [path('../bin/kvbench.js'), ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (child.status !== 0 && child.status !== 1) throw new Error(`kvbench grid: exit code ${child.status}`);
  const [head, ...lines] = readFileSync(join(out, name, 'grid.csv'), 'utf8')
    .trim()
    .split('\n');
  const columns = head.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((value, i) => [columns[i], value])));
}

function store(mode, side, cells) {
  for (const row of rows.filter(({ concurrency }) => measured.includes(concurrency))) {
    const cell = cells.find(
      (one) => Number(one.prefixes) === row.prefixes && Number(one.concurrency) === row.concurrency,
    );
    row[mode] ??= {};
    row[mode][side] = Object.fromEntries(
      ['request_hit_rate', 'cached_token_ratio', 'workers_per_prefix', 'ttft_p50_ms', 'throughput_rps'].map(
        (key) => [key, Number(cell[key])],
      ),
    );
    row[mode][side].failed = Number(cell.failed);
    row[mode][side].slow = slow;
    row[mode][side].findings = cell.findings;
  }
}
