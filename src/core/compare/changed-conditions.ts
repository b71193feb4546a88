import type { RunFile, VariantRun } from '../measure/run-file.js';
import { RECORD_FIELDS, type RecordField } from '../scenario/experiment-fields.js';

/** One variant of one run, and what was recorded with it. */
export interface Recorded {
  readonly run: RunFile;
  readonly variant: VariantRun;
}

/** One condition that is not the same; null where a side does not state it. */
export interface ChangedCondition {
  readonly key: RecordField;
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * The conditions of the experiment record that changed from one variant to the other, in the form's order. The mode that
 * the router runs in is one of them. A condition that only one of the two states counts: nobody knows that it was the
 * same. Nothing is known to have changed without a record.
 */
export function findChangedConditions(a: Recorded, b: Recorded): ChangedCondition[] {
  if (a.run.record === null && b.run.record === null) return [];
  return RECORD_FIELDS.filter((field) => field.condition).flatMap(({ key }) => {
    const [before, after] = [recordedValue(a, key), recordedValue(b, key)];
    return before === after ? [] : { key, before, after };
  });
}

function recordedValue({ run, variant }: Recorded, key: RecordField): string | null {
  const stated = run.record?.stated[key] ?? null;
  if (stated !== null) return stated;
  if (key === 'model') return variant.target.model;
  return key === 'router-mode' ? variant.name : null;
}
