// What the simulator itself costs, by number of requests: `npm run build && node bench/sim-scale.mjs [--write]`.
// Each row runs in a process of its own, so that its peak memory is its own.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { planGrid, planTrial } from '../dist/core/workload/plan.js';
import { createTrialRequests } from '../dist/core/workload/requests.js';
import { createVirtualClock } from '../dist/sim/clock/virtual-clock.js';
import { parseSimTarget } from '../dist/sim/params/sim-params.js';
import { createSimTransport } from '../dist/sim/transport.js';

const WORKERS = 1000;
const PREFIXES = 10_000;
const CONCURRENCY = 4000;
const OUTPUT_TOKENS = 16;
const ROWS = [
  ['kv', 100_000],
  ['kv', 300_000],
  ['kv', 1_000_000],
];
const DOC = new URL('../docs/simulator.md', import.meta.url);

const [, , first, count] = process.argv;
if (count === undefined) runAll(first === '--write');
else process.stdout.write(JSON.stringify(await runOne(first, Number(count))));

function runAll(write) {
  const rows = ROWS.map(([policy, requests]) => {
    const child = spawnSync(process.execPath, [fileURLToPath(import.meta.url), policy, String(requests)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (child.status !== 0) throw new Error(`${policy} ${requests}: exit code ${child.status}`);
    const { cpuS, perRequestUs, peakMb, virtualS, hitRate } = JSON.parse(child.stdout.toString());
    const row = `| ${policy} | ${requests.toLocaleString('en')} | ${virtualS.toFixed(0)} | ${cpuS.toFixed(0)} | ${perRequestUs.toFixed(0)} | ${peakMb.toFixed(0)} | ${(100 * hitRate).toFixed(1)} |`;
    process.stderr.write(`${row}\n`);
    return row;
  });
  const table = [
    '| policy | requests | simulated s | CPU s | CPU µs per request | peak MB | hit rate, % |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
  process.stdout.write(`${table}\n`);
  if (!write) return;
  const text = readFileSync(DOC, 'utf8');
  writeFileSync(DOC, text.replace(/(<!-- scale -->\n).*?(<!-- \/scale -->)/s, `$1${table}\n$2`));
}

async function runOne(policy, requests) {
  const settings = {
    seed: '1',
    salt: '',
    prefixTokens: 2000,
    tailTokens: 300,
    prefixes: [PREFIXES],
    concurrency: [CONCURRENCY],
    rate: [],
    groups: [],
    start: 'cold',
    warmup: 0,
    outputTokens: OUTPUT_TOKENS,
    requests,
    repeats: 1,
  };
  const [trial] = planGrid(settings).trials;
  const { measure } = createTrialRequests(settings, planTrial(settings, trial));
  const clock = createVirtualClock(() => new Promise((resolve) => setImmediate(resolve)));
  const transport = createSimTransport(parseSimTarget(`sim:${policy}?workers=${WORKERS}`), clock);
  await transport.open(CONCURRENCY);
  const cpu = process.cpuUsage();
  let hits = 0;
  const recorder = {
    connected() {},
    sent() {},
    response() {},
    bytes() {},
    token() {},
    answer({ cachedTokens }) {
      if (cachedTokens > 0) hits++;
    },
  };
  await new Promise((resolve) => {
    let next = 0;
    let done = 0;
    const send = () => {
      if (next === requests) return;
      transport.send(measure.at(next++), recorder, () => {
        if (++done === requests) resolve();
        else send();
      });
    };
    for (let i = 0; i < CONCURRENCY; i++) send();
  });
  const used = process.cpuUsage(cpu);
  const cpuS = (used.user + used.system) / 1e6;
  return {
    cpuS,
    perRequestUs: (cpuS * 1e6) / requests,
    peakMb: process.resourceUsage().maxRSS / 1024,
    virtualS: clock.now() / 1000,
    hitRate: hits / requests,
  };
}
