// Writes the documents that follow from declarations; run by `npm run docs` after a build.
import { readFileSync, writeFileSync } from 'node:fs';
import { renderMetricsDoc } from '../dist/report/metrics-doc.js';
import { renderParamTable } from '../dist/sim/param-doc.js';

writeFileSync(new URL('metrics.md', import.meta.url), renderMetricsDoc());

const simulator = new URL('simulator.md', import.meta.url);
writeFileSync(
  simulator,
  readFileSync(simulator, 'utf8').replace(
    /(<!-- parameters -->\n).*?(<!-- \/parameters -->)/s,
    (_, open, close) => `${open}${renderParamTable()}\n${close}`,
  ),
);
