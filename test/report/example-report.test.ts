import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { recount } from '../independent-recount.mjs';
import { ROOT, runCli, temporaryFolder } from '../support/cli.js';

const EXAMPLE = join(ROOT, 'docs/example-report');
const RECORDS = join(EXAMPLE, 'records');
const CAPACITY = 4;

describe('docs/example-report, of real runs of Dynamo', () => {
  it('has no number that an independent script cannot recompute from the records', () => {
    const { checked, problems } = recount(
      readFileSync(join(EXAMPLE, 'report.md'), 'utf8'),
      [RECORDS],
      CAPACITY,
    );
    expect(problems).toEqual([]);
    expect(checked).toBeGreaterThan(1000);
  });

  it('is what kvbench report makes of the records, file by file', async () => {
    const folder = temporaryFolder();
    const [run, out] = [join(folder, 'run'), join(folder, 'report')];
    mkdirSync(run);
    writeFileSync(join(run, 'run.json'), readFileSync(join(RECORDS, 'run.json')));
    const records = gunzipSync(readFileSync(join(RECORDS, 'requests.jsonl.gz')));
    writeFileSync(join(run, 'requests.jsonl'), records);
    const args = ['report', run, '--worker-capacity', String(CAPACITY), '--out', out];
    expect((await runCli(args)).code).toBe(0);
    const made = readdirSync(out, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    expect(made.length).toBeGreaterThan(8);
    for (const file of made) {
      const path = join(file.parentPath, file.name);
      const inside = path.slice(out.length + 1);
      const text = readFileSync(path, 'utf8').replaceAll(run, 'results/dynamo-modes');
      expect(readFileSync(join(EXAMPLE, inside), 'utf8'), inside).toBe(text);
    }
  });
});
