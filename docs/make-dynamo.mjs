// Measures NVIDIA Dynamo in both router modes and writes its tables into docs/dynamo.md.
// node docs/make-dynamo.mjs DYNAMO_DIR RUNS_DIR, after `npm run build` and test/real/dynamo/setup.sh DYNAMO_DIR.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startDynamo } from '../bench/dynamo.mjs';
import { fillMark } from './fill-mark.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [dynamo, runs] = process.argv.slice(2);
if (runs === undefined) throw new Error('usage: node docs/make-dynamo.mjs DYNAMO_DIR RUNS_DIR');
const PORT = 18_000;
const GRID = ['--prefixes', '2,12', '--concurrency', '8', '--requests', '120', '--output-tokens', '16'];

/** Runs the grid against one mode; gives what kvbench printed. */
async function measure(mode) {
  const stop = await startDynamo(dynamo, mode, PORT);
  try {
    const args = ['bin/kvbench.js', 'grid', '--url', `http://127.0.0.1:${PORT}`, '--variant', mode];
    const run = spawnSync(process.execPath, [...args, ...GRID, '--out', join(runs, mode)], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
      encoding: 'utf8',
    });
    if (run.status !== 0 && run.status !== 1) throw new Error(`kvbench grid ended with ${run.status}`);
    return run.stdout.replace(/\nRun directory: .*\n$/, '').trimEnd();
  } finally {
    await stop();
  }
}

const blocks = [];
for (const mode of ['round-robin', 'kv']) blocks.push(`\`\`\`\n${await measure(mode)}\n\`\`\``);
const { provenance } = JSON.parse(readFileSync(join(runs, 'kv', 'run.json'), 'utf8'));
const command = `kvbench grid --url http://127.0.0.1:8000 --variant MODE ${GRID.join(' ')}`;
const machine = `Dynamo 1.6.1, six mock workers of 600 blocks x 16 tokens, ${provenance.cores} cores (${provenance.cpu}), Node ${provenance.node}`;
fillMark(
  join(root, 'docs/dynamo.md'),
  'dynamo',
  `\n\`${command}\` printed, on ${machine}:\n\n${blocks.join('\n\n')}\n`,
);
