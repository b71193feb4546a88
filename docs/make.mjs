// Writes what follows from declarations, and the outputs shown in documents; run by `npm run docs` after a build.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { renderMetricsDoc } from '../dist/report/metrics-doc.js';
import { renderParamTable } from '../dist/sim/params/render-table.js';
import { fillMark } from './fill-mark.mjs';
import { remakeResults } from './remake-results.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const kvbench = (...args) =>
  execFileSync(process.execPath, ['bin/kvbench.js', ...args], { cwd: root, encoding: 'utf8' });

const fenced = (text) => `\n\`\`\`\n${text}\n\`\`\`\n`;

/** Calls `work` with a folder that is gone afterwards. */
function inFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'kvbench-docs-'));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function quickstartOutput() {
  return inFolder((folder) =>
    kvbench('grid', 'scenarios/quickstart.yaml', '--quiet', '--out', join(folder, 'run'))
      .replace(/\nRun directory: .*\n$/, '')
      .trimEnd(),
  );
}

/** How the comparison of docs/example-report begins, from its records: the first candidate's table and sentence. */
function exampleDiff() {
  return inFolder((folder) => {
    const records = join(root, 'docs/example-report/records');
    copyFileSync(join(records, 'run.json'), join(folder, 'run.json'));
    writeFileSync(join(folder, 'requests.jsonl'), gunzipSync(readFileSync(join(records, 'requests.jsonl.gz'))));
    const output = kvbench('diff', folder, '--worker-capacity', '4');
    const [table] = output.match(/^kv against [\s\S]*?(?=\n\n)/m);
    const [sentence] = output.match(/^With kv, [\s\S]*?(?=\nWith )/m);
    return `${table}\n\n${sentence}`;
  });
}

writeFileSync(join(root, 'docs/metrics.md'), renderMetricsDoc());
fillMark(join(root, 'docs/quickstart.md'), 'quickstart', fenced(quickstartOutput()));
fillMark(join(root, 'README.md'), 'diff', fenced(exampleDiff()));
fillMark(join(root, 'docs/simulator.md'), 'parameters', renderParamTable());
await remakeResults(root, kvbench);
