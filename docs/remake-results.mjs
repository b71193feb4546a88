// Writes docs/example-report and the tables of results/sample anew from their records; part of `npm run docs`.
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { summarizeRun } from '../dist/core/measure/run-summary.js';
import { readRun } from '../dist/io/read-run.js';
import { renderMarkdown } from '../dist/report/document/markdown.js';
import { buildRunTables } from '../dist/report/tables/run-tables.js';

/** `kvbench` runs a command of the built program and gives its stdout. */
export async function remakeResults(root, kvbench) {
  const folder = mkdtempSync(join(tmpdir(), 'kvbench-docs-'));
  try {
    remakeExample(join(root, 'docs/example-report'), folder, kvbench);
    await remakeSample(join(root, 'results/sample'), folder, kvbench);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function remakeExample(example, folder, kvbench) {
  const [run, out] = [join(folder, 'run'), join(folder, 'report')];
  mkdirSync(run);
  copyFileSync(join(example, 'records/run.json'), join(run, 'run.json'));
  const records = readFileSync(join(example, 'records/requests.jsonl.gz'));
  writeFileSync(join(run, 'requests.jsonl'), gunzipSync(records));
  kvbench('report', run, '--worker-capacity', '4', '--out', out);
  for (const file of readdirSync(out, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const path = join(file.parentPath, file.name);
    const text = readFileSync(path, 'utf8').replaceAll(run, 'results/dynamo-modes');
    writeFileSync(join(example, path.slice(out.length + 1)), text);
  }
}

async function remakeSample(sample, folder, kvbench) {
  const out = join(folder, 'sample');
  kvbench('report', sample, '--out', out);
  for (const name of ['trials.csv', 'grid.csv']) copyFileSync(join(out, name), join(sample, name));
  const { run, records } = await readRun(sample);
  writeFileSync(join(sample, 'tables.md'), renderMarkdown(buildRunTables(run, summarizeRun(run, records))));
}
