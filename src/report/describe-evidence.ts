import type { Evidence } from '../core/base/evidence.js';
import type { ComparisonEvidence } from '../core/compare/comparison-evidence.js';
import type { ReasonEvidence } from '../core/compare/reason-evidence.js';
import type { TrialEvidence } from '../core/measure/trial-evidence.js';

/** Every key of evidence with its figures. */
export interface AllEvidence extends TrialEvidence, ComparisonEvidence, ReasonEvidence {}

/** One sentence for each key of `M`, in one language. */
export type EvidenceTexts<M> = { readonly [K in keyof M]: (of: M[K]) => string };

/** What was seen, as one line. */
export function describeEvidence(
  { key, values, label }: Evidence,
  texts: EvidenceTexts<AllEvidence>,
): string {
  // Made by an evidenceMaker, so its figures fit its key.
  const text = texts[key as keyof AllEvidence] as (of: unknown) => string;
  return label === undefined ? text(values) : `${label}: ${text(values)}`;
}
