import { type ExperimentRecord, observeRecords } from '../core/experiment-record.js';
import type { RunFile } from '../core/run-file.js';
import { summaryContext } from '../core/trial-rows.js';
import { readRun } from '../io/read-run.js';

/** The experiment record of a run that has ended, with what its requests show; they are read back from `directory`. */
export async function observeRun(run: RunFile, directory: string): Promise<ExperimentRecord | null> {
  if (run.record === null) return null;
  const input = await readRun(directory);
  if (input.kind !== 'run') return run.record;
  const seen = run.variants.map((variant) => {
    const { reading } = summaryContext(run.scenario, variant);
    const records = input.records.filter((record) => record.variant === variant.name);
    return [variant.name, observeRecords(records, reading)] as const;
  });
  return { ...run.record, seen: Object.fromEntries(seen) };
}
