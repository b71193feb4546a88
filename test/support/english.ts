import type { Evidence } from '../../src/core/base/evidence.js';
import { describeEvidence } from '../../src/report/describe-evidence.js';
import { EN } from '../../src/report/messages/en.js';

/** What was seen, as an English reader gets it. */
export function inEnglish(evidence: Evidence): string {
  return describeEvidence(evidence, EN.evidence);
}
