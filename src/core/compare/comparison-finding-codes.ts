/** `forbid` sets exit code 1; `caution` must be known; `note` says how the runs were read. */
export type ComparisonSeverity = 'forbid' | 'caution' | 'note';

/** What forbids a comparison or must be known with it, besides the findings of each run. Most severe first. */
export const COMPARISON_FINDINGS = {
  'workload-differs': 'forbid',
  'model-differs': 'forbid',
  'output-lengths-differ': 'forbid',
  'client-settings-differ': 'forbid',
  'clock-differs': 'forbid',
  'success-sets-differ': 'forbid',
  'no-common-cell': 'forbid',
  'run-incomplete': 'forbid',
  'few-failures-differ': 'caution',
  'conditions-changed': 'caution',
  'versions-differ': 'caution',
  'reading-differs': 'caution',
  'asked-differently': 'caution',
  'cells-differ': 'caution',
  'repeats-left-out': 'caution',
  'one-repeat': 'caution',
  'same-run': 'caution',
  'percentile-unsupported': 'note',
  'grid-only': 'note',
  'read-with-loss': 'note',
  'salt-differs': 'note',
} as const satisfies Readonly<Record<string, ComparisonSeverity>>;

/** A code of a comparison's own findings. */
export type ComparisonFindingCode = keyof typeof COMPARISON_FINDINGS;
