// Runs the published experiment on the simulated cluster and writes docs/reproduction.md: `npm run reproduce`.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { cellKey, compareFigures, compareOrders } from './reproduction/compare.mjs';
import { loadVariants } from './reproduction/load-scenario.mjs';
import { flattenPublished } from './reproduction/published.mjs';
import { renderRealRouter } from './reproduction/real-router.mjs';
import { renderCells, renderOrders, renderSummary, renderWorst } from './reproduction/render.mjs';
import { runVariant } from './reproduction/run-variant.mjs';

const HELP = `usage: npm run reproduce -- [--seeds N]

  --seeds N   runs of the whole scenario, each with its own seed; figures are means (5)
`;
const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '5' }, help: { type: 'boolean' } },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}

const here = (path) => new URL(path, import.meta.url);
const read = (path) => readFileSync(here(path), 'utf8');
const scenarioPath = here('../scenarios/dynamo-adoption.yaml');
const seeds = Array.from({ length: Number(values.seeds) }, (_, i) => String(i + 1));

const cpu = process.cpuUsage();
const runs = [];
for (const seed of seeds) {
  const run = {};
  for (const scenario of loadVariants(scenarioPath, { seed })) {
    const cells = await runVariant(withClusterSeed(scenario, seed));
    const [variant, workers] = scenario.variant.split(/-(?=\d+w$)/);
    for (const [id, measures] of Object.entries(cells)) {
      const [, prefixes, concurrency] = id.match(/^p(\d+)-c(\d+)$/);
      run[cellKey({ variant, workers: Number.parseInt(workers, 10), prefixes, concurrency })] = measures;
    }
  }
  runs.push(run);
  process.stderr.write(`seed ${seed}: done\n`);
}
const seconds = process.cpuUsage(cpu).user / 1e6;

const publication = JSON.parse(read('reproduction/dynamo-adoption.json'));
const compared = compareFigures(flattenPublished(publication), runs);
const parts = {
  seeds: String(seeds.length),
  runs: String(seeds.length * Object.keys(loadVariants(scenarioPath)).length),
  seconds: seconds.toFixed(0),
  summary: renderSummary(compared),
  orders: renderOrders(compareOrders(compared)),
  calibration: read('reproduction/calibration.md').trim(),
  misses: read('reproduction/misses.md').trim(),
  worst: renderWorst(compared, 10),
  calibrationCells: renderCells(compared, 'calibration'),
  testCells: renderCells(compared, 'test'),
  real: existsSync(here('reproduction/real-router.json'))
    ? renderRealRouter(
        JSON.parse(read('reproduction/real-router.json')),
        publication.also_seen_on_a_real_router_here,
      )
    : '',
};
const page = read('reproduction/page.md').replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
writeFileSync(here('../docs/reproduction.md'), `${page.trimEnd()}\n`);
process.stdout.write(
  `${parts.summary}\n\n${parts.orders}\n\ndocs/reproduction.md written; ${parts.seconds} s of CPU\n`,
);

/** The cluster's own chance changes with the seed too, else the same connections would get the same workers every time. */
function withClusterSeed(scenario, seed) {
  return { ...scenario, url: `${scenario.url}&seed=${seed}` };
}
