import { createObserver, type ExperimentRecord } from '../core/measure/experiment-record.js';
import type { RunFile } from '../core/measure/run-file.js';
import { summaryContext } from '../core/measure/trial-rows.js';
import { eachRecord } from '../io/read-run.js';

/** The experiment record of a run that has ended, with what its requests show; they are read back from `directory`. */
export async function observeRun(run: RunFile, directory: string): Promise<ExperimentRecord | null> {
  if (run.record === null) return null;
  const observers = new Map(
    run.variants.map((variant) => [
      variant.name,
      createObserver(summaryContext(run.scenario, variant).reading),
    ]),
  );
  await eachRecord(run, directory, (record) => observers.get(record.variant)?.add(record));
  const seen = [...observers].map(([name, observer]) => [name, observer.seen()] as const);
  return { ...run.record, seen: Object.fromEntries(seen) };
}
