// Writes what follows from declarations, and the outputs shown in the README; run by `npm run docs` after a build.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderMetricsDoc } from '../dist/report/metrics-doc.js';
import { renderParamTable } from '../dist/sim/params/render-table.js';
import { fillMark } from './fill-mark.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

function quickstartOutput() {
  const folder = mkdtempSync(join(tmpdir(), 'kvbench-docs-'));
  try {
    const args = ['bin/kvbench.js', 'grid', 'scenarios/quickstart.yaml', '--quiet', '--out', join(folder, 'run')];
    const output = execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    return output.replace(/\nRun directory: .*\n$/, '').trimEnd();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

writeFileSync(join(root, 'docs/metrics.md'), renderMetricsDoc());
fillMark(join(root, 'README.md'), 'quickstart', `\n\`\`\`\n${quickstartOutput()}\n\`\`\`\n`);
fillMark(join(root, 'docs/simulator.md'), 'parameters', renderParamTable());
