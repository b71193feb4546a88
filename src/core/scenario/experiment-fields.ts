/**
 * The form that should accompany every routing experiment: its fields, in order. `stated` fields can be filled in by a
 * scenario's `record:` block; a `condition` is something whose change alone may explain a difference.
 */
export const RECORD_FIELDS = [
  field('request-group', 'workload', 'stated'),
  field('input-length', 'workload', 'seen'),
  field('output-length', 'workload', 'seen'),
  field('offered-load', 'workload', 'seen'),
  field('completed-load', 'workload', 'seen'),
  field('model', 'system', 'seen', 'condition'),
  field('router-mode', 'system', 'seen', 'condition'),
  field('image', 'system', 'stated', 'condition'),
  field('router-commit', 'system', 'stated', 'condition'),
  field('deployment-mode', 'system', 'stated', 'condition'),
  field('prefill-workers', 'system', 'stated', 'condition'),
  field('decode-workers', 'system', 'stated', 'condition'),
  field('gpu', 'system', 'stated', 'condition'),
  field('nic', 'system', 'stated', 'condition'),
  field('valid-at', 'system', 'stated'),
  field('transport', 'path', 'stated', 'condition'),
  field('candidates-unreachable', 'path', 'stated'),
  field('candidates-without-information', 'path', 'stated'),
  field('candidates-before-filter', 'path', 'stated'),
  field('candidates-after-filter', 'path', 'stated'),
  field('choice', 'path', 'stated'),
  field('load-per-candidate', 'path', 'stated'),
  field('locality-per-candidate', 'path', 'stated'),
  field('segments', 'path', 'stated'),
  field('changed-condition', 'change', 'stated'),
  field('control-run', 'change', 'stated'),
  field('revert', 'change', 'stated'),
] as const;

export type RecordField = (typeof RECORD_FIELDS)[number]['key'];

export type RecordSection = 'workload' | 'system' | 'path' | 'change';

interface Field<K extends string> {
  readonly key: K;
  readonly section: RecordSection;
  /** `seen` fields are filled in by kvbench only. */
  readonly by: 'stated' | 'seen';
  readonly condition: boolean;
}

function field<const K extends string>(
  key: K,
  section: RecordSection,
  by: 'stated' | 'seen',
  role?: 'condition',
): Field<K> {
  return { key, section, by, condition: role === 'condition' };
}

/** The fields that a scenario's `record:` block may state. */
export const STATED_FIELDS = RECORD_FIELDS.map(({ key }) => key);

/** What a scenario's `record:` block says; a field that it leaves out is missing here and empty in the form. */
export type StatedRecord = Readonly<Partial<Record<RecordField, string>>>;
