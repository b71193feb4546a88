import { COMPARISON_EVIDENCE } from '../compare/comparison-evidence.js';
import { REASON_EVIDENCE } from '../compare/reason-evidence.js';
import { TRIAL_EVIDENCE } from '../measure/trial-evidence.js';

/**
 * Every sentence that says what was seen, in English, made from its values: numbers as they are shown, and texts of
 * numbers that were rounded first, so that every language shows the same digits.
 */
export const EVIDENCE = { ...TRIAL_EVIDENCE, ...COMPARISON_EVIDENCE, ...REASON_EVIDENCE } as const;

export type EvidenceKey = keyof typeof EVIDENCE;

/** What each sentence is made from: one object, or nothing. */
export type EvidenceValues = { readonly [K in EvidenceKey]: Parameters<(typeof EVIDENCE)[K]> };

/** The sentences in one language. */
export type EvidenceTexts = { readonly [K in EvidenceKey]: (...values: EvidenceValues[K]) => string };

/** What was seen, in no language yet. */
export type Evidence<K extends EvidenceKey = EvidenceKey> = {
  readonly [P in K]: {
    readonly key: P;
    readonly values: EvidenceValues[P];
    /** The side it was seen of, where the sentence does not name it. */
    readonly label?: string;
  };
}[K];

/** What findings and reasons have in common. */
export interface Seen {
  /** What the records show, one line, with figures, in English. */
  readonly seen: string;
  /** The same, for other languages. */
  readonly evidence: Evidence;
}

/** Evidence that fits its sentence. */
export function saw<K extends EvidenceKey>(key: K, ...values: EvidenceValues[K]): Evidence<K> {
  return { key, values } as Evidence<K>;
}

/** The sentence, in English unless `texts` is of another language. */
export function describeEvidence<K extends EvidenceKey>(
  evidence: Evidence<K>,
  texts: EvidenceTexts = EVIDENCE,
): string {
  const { key, values, label }: Evidence<K> = evidence;
  const text = texts[key](...values);
  return label === undefined ? text : `${label}: ${text}`;
}

/** The part of a finding or reason that says what was seen. */
export function asSeen(evidence: Evidence): Seen {
  return { seen: describeEvidence(evidence), evidence };
}
