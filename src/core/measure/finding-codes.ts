import type { Evidence } from '../base/evidence.js';
import { FAMILIES, type Family } from './families.js';

/**
 * `drop`: the trial's figures are wrong; it is left out of its cell. `forbid`: the run's figures must not be compared.
 * `withhold`: some measures of the trial cannot be right and are left empty; the others stand. `caution`: figures may be
 * compared, knowing this. Dropping and forbidding set exit code 1.
 */
export type Severity = 'drop' | 'forbid' | 'withhold' | 'caution';

interface DeclaredFinding {
  readonly severity: Severity;
  /** Families of measures that have no value in the trial; none unless the severity is `withhold`. */
  readonly withholds?: readonly Family[];
}

const CACHE = ['hit-rate', 'cached-ratio'] as const;
const TOKEN_TIMES = ['ttft', 'tpot'] as const;

/** Every reason not to trust a trial or a cell, with its effect, most severe first. What to do about it is in report/messages. */
export const FINDINGS = {
  contaminated: { severity: 'drop' },
  'warm-despite-salt': { severity: 'drop' },
  interrupted: { severity: 'drop' },
  'no-ok-request': { severity: 'drop' },
  'missing-records': { severity: 'drop' },
  'missing-trials': { severity: 'forbid' },
  'cached-tokens-from-decode': { severity: 'withhold', withholds: CACHE },
  'cached-tokens-impossible': { severity: 'withhold', withholds: CACHE },
  'mixed-cached-tokens': { severity: 'withhold', withholds: CACHE },
  'prompt-tokens-without-cached': { severity: 'withhold', withholds: ['cached-ratio'] },
  'prompt-tokens-short': { severity: 'withhold', withholds: ['cached-ratio'] },
  'not-streamed': { severity: 'withhold', withholds: TOKEN_TIMES },
  'stream-gathered': { severity: 'caution' },
  'concurrency-not-reached': { severity: 'caution' },
  'long-drain': { severity: 'caution' },
  'slots-held': { severity: 'caution' },
  'workers-changed': { severity: 'caution' },
  'failed-requests': { severity: 'caution' },
  'nothing-cached': { severity: 'caution' },
  'impossible-counts': { severity: 'caution' },
  'prompt-tokens-spread': { severity: 'caution' },
  'output-tokens-differ': { severity: 'caution' },
  'cached-tokens-not-reported': { severity: 'caution' },
  'cached-tokens-partly-reported': { severity: 'caution' },
  'held-first-token': { severity: 'caution' },
  'servers-disagree': { severity: 'caution' },
  'server-restarted': { severity: 'caution' },
  'requests-preempted': { severity: 'caution' },
  'block-size-differs': { severity: 'caution' },
  'client-limited': { severity: 'caution' },
} as const satisfies Readonly<Record<string, DeclaredFinding>>;

export type FindingCode = keyof typeof FINDINGS;

/** One reason not to trust one trial or cell. */
export interface Finding {
  readonly code: FindingCode;
  /** Trial or cell id. */
  readonly where: string;
  readonly evidence: Evidence;
}

/** A finding before it has a place. */
export interface Found {
  readonly code: FindingCode;
  readonly evidence: Evidence;
}

export function severityOf(code: FindingCode): Severity {
  return FINDINGS[code].severity;
}

/** Families of measures that a finding leaves empty. */
export function withheldFamilies(code: FindingCode): readonly Family[] {
  const declared: DeclaredFinding = FINDINGS[code];
  return declared.withholds ?? [];
}

/** The first finding that leaves a family of measures empty; null where none does. */
export function withheldBy(findings: readonly Pick<Finding, 'code'>[], family: Family): FindingCode | null {
  return findings.find(({ code }) => withheldFamilies(code).includes(family))?.code ?? null;
}

/** The first finding that leaves it empty, of each family that one does. */
export function withheldIn(
  findings: readonly Pick<Finding, 'code'>[],
): Readonly<Partial<Record<Family, FindingCode>>> {
  return Object.fromEntries(
    FAMILIES.flatMap((family) => {
      const code = withheldBy(findings, family);
      return code === null ? [] : [[family, code]];
    }),
  );
}
