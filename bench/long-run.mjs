// Whether memory stays flat: one run of a million requests against the bench server, its resident memory at every tenth.
// `npm run build && node bench/long-run.mjs [--requests N] [--trials N] [--write]` puts the table into docs/performance.md.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { fillMark } from '../docs/fill-mark.mjs';
import { buildServer, startServer } from './server.mjs';

const { values: options } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000000' },
    trials: { type: 'string', default: '100,1' },
    concurrency: { type: 'string', default: '64' },
    write: { type: 'boolean', default: false },
  },
});
const REQUESTS = Number(options.requests);
const SAMPLE_MS = 250;
const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

const binary = buildServer();
const columns = [];
for (const trials of options.trials.split(',').map(Number)) columns.push(await measure(trials));
const text = render(columns);
process.stdout.write(`${text}\n`);
if (options.write) fillMark(path('../docs/performance.md'), 'long-run', text);

/** Resident MB of kvbench whenever another tenth of the requests has arrived at the server, at its end, and at its peak. */
async function measure(trials) {
  const out = mkdtempSync(join(tmpdir(), 'kvbench-long-'));
  const server = await startServer(binary, ['--instant', '--tokens', '8', '--as', 'dynamo']);
  try {
    const child = spawn(
      process.execPath,
      [
        ...[path('../bin/kvbench.js'), 'grid', '--url', server.url, '--model', 'bench', '--variant', 'bench'],
        ...[
          '--prefixes',
          '16',
          '--concurrency',
          options.concurrency,
          '--prefix-tokens',
          '200',
          '--tail-tokens',
          '50',
        ],
        ...['--requests', String(REQUESTS / trials), '--repeats', String(trials), '--output-tokens', '8'],
        ...['--out', join(out, 'run'), '--quiet'],
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    let code;
    child.once('exit', (status) => {
      code = status ?? -1;
    });
    const tenths = [];
    let peak = 0;
    for (let i = 0; code === undefined; i++) {
      const resident = residentMb(child.pid);
      peak = Math.max(peak, resident);
      if (i % 4 === 0) {
        const done = await answered(server);
        while (tenths.length < Math.min(10, Math.floor((10 * done) / REQUESTS))) tenths.push(resident);
        if (done >= REQUESTS && tenths.length < 10) tenths.push(resident);
      }
      await sleep(SAMPLE_MS);
    }
    if (code !== 0 && code !== 1) throw new Error(`kvbench grid: exit code ${code}`);
    return { trials, tenths, peak };
  } finally {
    await server.stop();
    rmSync(out, { recursive: true, force: true });
  }
}

async function answered(server) {
  return (await (await fetch(`${server.url}/stats`)).json()).requests;
}

function residentMb(pid) {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1000;
  } catch {
    return 0;
  }
}

function render(measured) {
  const head = measured.map(({ trials }) => `${trials} trial${trials === 1 ? '' : 's'}`).join(' | ');
  const rows = Array.from({ length: 10 }, (_, i) => {
    const cells = measured.map(({ tenths }) => tenths[i]?.toFixed(0) ?? '–').join(' | ');
    return `| ${(((i + 1) * REQUESTS) / 10).toLocaleString('en-US')} | ${cells} |`;
  });
  return [
    `Resident memory, MB, in the course of ${REQUESTS.toLocaleString('en-US')} requests (C=${options.concurrency}, prompts of 250 tokens, 8 tokens out), all in one run:`,
    '',
    `| requests so far | ${head} |`,
    `| ---: |${measured.map(() => ' ---: |').join('')}`,
    ...rows,
    `| peak, results written | ${measured.map(({ peak }) => peak.toFixed(0)).join(' | ')} |`,
  ].join('\n');
}
