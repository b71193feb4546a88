import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { renderMetricsDoc } from '../../src/report/metrics-doc.js';
import { ROOT } from '../support/cli.js';

it('docs/metrics.md is what the declarations give (npm run docs)', () => {
  expect(readFileSync(join(ROOT, 'docs/metrics.md'), 'utf8')).toBe(renderMetricsDoc());
});
