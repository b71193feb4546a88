// Measures Dynamo's own router over its mock workers, and the simulated cluster with the same workers, workload and
// cache, and keeps both for docs/reproduction.md: `npm run build && node bench/real-router.mjs DYNAMO_DIR`.
// DYNAMO_DIR is what test/real/dynamo/setup.sh installed.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const dynamoDir = process.argv[2];
if (dynamoDir === undefined) {
  process.stderr.write('usage: node bench/real-router.mjs DYNAMO_DIR\n');
  process.exit(2);
}
const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const PORT = 18_470;
const PREFIXES = [2, 7, 12, 24];
const CONCURRENCY = [4, 8, 16];
const WORKLOAD = `--prefixes ${PREFIXES} --concurrency ${CONCURRENCY} --requests 120 --repeats 3 --prefix-tokens 2000 --tail-tokens 300 --output-tokens 16`;
const CLUSTER = 'workers=6&capacity-blocks=600&max-num-seqs=16&max-num-batched-tokens=8192&timing=mocker';
const OVERHEAD = 'server-overhead-ms=2&router-overhead-ms=1';

const out = mkdtempSync(join(tmpdir(), 'kvbench-real-'));
const rows = PREFIXES.flatMap((prefixes) => CONCURRENCY.map((concurrency) => ({ prefixes, concurrency })));
try {
  for (const mode of ['round-robin', 'kv']) {
    const stop = await serve(mode);
    try {
      store(mode, 'real', measure(`http://127.0.0.1:${PORT}`, `${mode}-real`));
    } finally {
      await stop();
    }
    store(mode, 'simulated', measure(`sim:${mode}?${CLUSTER}&${OVERHEAD}`, `${mode}-simulated`));
  }
  const target = path('reproduction/real-router.json');
  writeFileSync(
    target,
    `${JSON.stringify({ cluster: CLUSTER, overhead: OVERHEAD, workload: WORKLOAD, rows }, null, 1)}\n`,
  );
} finally {
  rmSync(out, { recursive: true, force: true });
}

/** Starts Dynamo and waits until the model is listed; gives the function that stops it. */
async function serve(mode) {
  const child = spawn(path('../test/real/dynamo/serve.sh'), [dynamoDir, mode, String(PORT)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  const ready = (async () => {
    for await (const line of createInterface({ input: child.stdout }))
      if (line.includes('is ready')) return true;
    return false;
  })();
  if (!(await ready)) throw new Error('Dynamo ended before it was ready');
  child.stdout.resume();
  return async () => {
    child.kill('SIGTERM');
    await exited;
  };
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

function store(mode, side, measured) {
  for (const row of rows) {
    const cell = measured.find(
      (one) => Number(one.prefixes) === row.prefixes && Number(one.concurrency) === row.concurrency,
    );
    row[mode] ??= {};
    row[mode][side] = Object.fromEntries(
      ['request_hit_rate', 'cached_token_ratio', 'workers_per_prefix', 'ttft_p50_ms', 'throughput_rps'].map(
        (key) => [key, Number(cell[key])],
      ),
    );
    row[mode][side].failed = Number(cell.failed);
    row[mode][side].findings = cell.findings;
  }
}
