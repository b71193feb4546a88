// Where the client's time goes: runs kvbench under Node's sampling profiler against the bench server and sorts the samples by
// what they were spent on. `npm run build && node bench/profile.mjs [--write]` puts the tables into docs/performance.md.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { fillMark } from '../docs/fill-mark.mjs';
import { buildServer, startServer } from './server.mjs';

const { values: options } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

const LOADS = [
  {
    mark: 'profile-instant',
    title: 'a server that answers at once, C=16, prompts of 2,371 tokens, 8 tokens out',
    server: ['--instant', '--tokens', '8', '--as', 'dynamo'],
    settings: {
      concurrency: 16,
      requests: 30_000,
      'tail-tokens': 100,
      'prefix-tokens': 2271,
      'output-tokens': 8,
    },
  },
  {
    mark: 'profile-timed',
    title: 'first token after 50 ms, then one each 10 ms, 100 tokens, C=500',
    server: ['--ttft-ms', '50', '--itl-ms', '10', '--tokens', '100', '--as', 'dynamo'],
    settings: {
      concurrency: 500,
      requests: 5000,
      'tail-tokens': 100,
      'prefix-tokens': 156,
      'output-tokens': 100,
    },
  },
];

/** What a sample belongs to: the first that matches its function and file. */
const PARTS = [
  ['writing to sockets (kernel)', /^(writev|writeBuffer|writeUtf8String|writeLatin1String) /],
  ['garbage collection', /^\(garbage collector\)/],
  ['waiting', /^\(idle\)/],
  ['HTTP: reading responses', /io\/http\//],
  [
    'events: finding tokens, reading JSON',
    /core\/answer\/(?!(recorder|request-record|outcome|answer-facts|text-body|request-body))/,
  ],
  ['records', /core\/answer\/(recorder|request-record|outcome|answer-facts|text-body)|io\/record-file/],
  ['prompts and bodies', /core\/(workload\/|base\/rng|answer\/request-body)/],
  [
    'load: order, timeouts, stamps',
    /engine\/|io\/(real-clock|client-monitor)|core\/(base\/time-histogram|measure\/client-check)/,
  ],
  ['sockets, streams and timers of Node', /node:/],
];
const REST = 'start, results and the rest';

const binary = buildServer();
for (const load of LOADS) {
  const text = renderProfile(await profile(load), load);
  process.stdout.write(`${text}\n`);
  if (options.write) fillMark(path('../docs/performance.md'), load.mark, text);
}

async function profile({ server: flags, settings }) {
  const out = mkdtempSync(join(tmpdir(), 'kvbench-profile-'));
  const server = await startServer(binary, flags);
  try {
    const child = spawnSync(
      process.execPath,
      [
        ...['--cpu-prof', '--cpu-prof-dir', join(out, 'profile'), path('../bin/kvbench.js'), 'grid'],
        ...[
          '--url',
          server.url,
          '--model',
          'bench',
          '--variant',
          'bench',
          '--prefixes',
          '16',
          '--repeats',
          '1',
        ],
        ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
        ...['--threads', '1', '--out', join(out, 'run'), '--quiet'],
      ],
      // Whatever V8 writes beside the profile lands in the temporary folder too.
      { cwd: out, stdio: ['ignore', 'ignore', 'inherit'] },
    );
    if (child.status !== 0 && child.status !== 1) throw new Error(`kvbench grid: exit code ${child.status}`);
    const [name] = readdirSync(join(out, 'profile'));
    return JSON.parse(readFileSync(join(out, 'profile', name), 'utf8'));
  } finally {
    await server.stop();
    rmSync(out, { recursive: true, force: true });
  }
}

function renderProfile({ nodes, samples, timeDeltas }, { title, settings }) {
  const partOf = new Map(
    nodes.map(({ id, callFrame: { functionName, url } }) => {
      const where = `${functionName} ${url}`;
      return [id, PARTS.find(([, pattern]) => pattern.test(where))?.[0] ?? REST];
    }),
  );
  const sums = new Map([...PARTS.map(([part]) => part), REST].map((part) => [part, 0]));
  samples.forEach((id, i) => {
    const part = partOf.get(id);
    sums.set(part, sums.get(part) + timeDeltas[i]);
  });
  const busy = [...sums].filter(([part]) => part !== 'waiting').reduce((sum, [, us]) => sum + us, 0);
  const events = settings.requests * settings['output-tokens'];
  const rows = [...sums]
    .filter(([part]) => part !== 'waiting')
    .sort((a, b) => b[1] - a[1])
    .map(
      ([part, us]) =>
        `| ${part} | ${((100 * us) / busy).toFixed(1)} % | ${(us / settings.requests).toFixed(1)} | ${(us / events).toFixed(2)} |`,
    );
  return [
    `Against ${title}; ${settings.requests.toLocaleString('en-US')} requests, one thread:`,
    '',
    '| spent on | share | µs per request | µs per event |',
    '| --- | ---: | ---: | ---: |',
    ...rows,
  ].join('\n');
}
