import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recount } from './independent-recount.mjs';
import { runCli, temporaryFolder } from './support/cli.js';

const GRID = ['--prefixes', '2,12', '--concurrency', '4', '--requests', '100', '--repeats', '2', '--quiet'];

describe('the independent recount', () => {
  it('finds every number of a report again, and the ones that were changed', async () => {
    const folder = temporaryFolder();
    const runs: string[] = [];
    for (const policy of ['round-robin', 'kv']) {
      const out = join(folder, policy);
      const url = `sim:${policy}?workers=6&capacity-requests=3.95`;
      await runCli(['grid', '--url', url, ...GRID, '--output-tokens', '8', '--out', out]);
      runs.push(out);
    }
    const { stdout: markdown } = await runCli(['report', ...runs]);
    const { checked, tables, problems } = recount(markdown, runs);
    expect(problems).toEqual([]);
    expect(checked).toBeGreaterThan(150);
    expect(tables).toContain('Lost cached tokens by cause');

    const grid =
      readFileSync(join(runs[1] ?? '', 'grid.csv'), 'utf8')
        .split('\n')[1]
        ?.split(',') ?? [];
    const rate = (100 * Number(grid[9])).toFixed(1);
    expect(markdown).toContain(` ${rate} (`);
    const forged = recount(markdown.replace(` ${rate} (`, ` ${(Number(rate) - 0.1).toFixed(1)} (`), runs);
    expect(forged.problems).toHaveLength(1);
  }, 60_000);
});
