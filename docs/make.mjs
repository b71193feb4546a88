// Writes the documents that follow from declarations; run by `npm run docs` after a build.
import { writeFileSync } from 'node:fs';
import { renderMetricsDoc } from '../dist/report/metrics-doc.js';

writeFileSync(new URL('metrics.md', import.meta.url), renderMetricsDoc());
