import { readFile } from 'node:fs/promises';
import { type TrialRun, trialKey } from '../../core/measure/run-file.js';
import type { SeriesPoint } from '../../core/measure/servers/server-counts.js';
import { writeAtomically } from '../files.js';

/** The file of what servers showed over time: one line of JSON for each look, with its variant and trial. */
export interface SeriesFile {
  add(trial: Pick<TrialRun, 'variant' | 'id'>, series: readonly SeriesPoint[]): Promise<void>;
}

/**
 * The file at `path`. An earlier one is continued: lines of the trials whose {@link trialKey} is in `kept` stay. Nothing
 * is written before there is a line to add; a line cut short is left out.
 */
export function createSeriesFile(path: string, kept: ReadonlySet<string>): SeriesFile {
  let lines: string[] | null = null;

  async function begin(): Promise<string[]> {
    const earlier = await readFile(path, 'utf8').catch(() => '');
    return earlier.split('\n').filter((line) => kept.has(keyOf(line) ?? ''));
  }

  return {
    async add({ variant, id }, series) {
      if (series.length === 0) return;
      lines ??= await begin();
      lines.push(...series.map((point) => JSON.stringify({ variant, trial: id, ...point })));
      await writeAtomically(path, `${lines.join('\n')}\n`);
    },
  };
}

function keyOf(line: string): string | null {
  try {
    const { variant, trial } = JSON.parse(line);
    return trialKey({ variant, id: trial });
  } catch {
    return null;
  }
}
