import type { Comparison } from '../core/compare/comparison.js';
import type { ComparisonFinding } from '../core/compare/comparison-findings.js';
import { FINDINGS, type FindingCode, severityOf } from '../core/measure/finding-codes.js';
import { findingsOf, type RunSummary } from '../core/measure/run-summary.js';

import { describeEvidence } from './describe-evidence.js';
import type { Notice } from './document/document.js';
import type { Messages } from './messages/en.js';

/** Every finding of a run, one for each code with an example, most severe first. */
export function buildRunNotices(summary: RunSummary, words: Messages): Notice[] {
  const all = findingsOf(summary);
  return (Object.keys(FINDINGS) as FindingCode[]).flatMap((code) => {
    const findings = all.filter((finding) => finding.code === code);
    const [first] = findings;
    if (first === undefined) return [];
    const seen = describeEvidence(first.evidence, words.evidence);
    return {
      tone: severityOf(code),
      code,
      about: '',
      title: words.findings.codes[code].title,
      seen: seenIn(
        findings.map(({ where }) => where),
        findings.length,
        seen,
        words,
      ),
      advice: words.findings.codes[code].advice,
    };
  });
}

/** What must be known before a comparison is trusted, one for each thing seen, most severe first. */
export function buildFindingNotices({ findings }: Comparison, words: Messages): Notice[] {
  return mergeFindings(findings).map(({ code, severity, sides, where, evidence }) => ({
    tone: severity,
    code,
    about: sides.join(', '),
    title: words.findings.codes[code].title,
    seen: seenIn(where, where.length, describeEvidence(evidence, words.evidence), words),
    advice: words.findings.codes[code].advice,
  }));
}

/** Why a candidate is not better than the baseline, or not by more, as far as the records show it. */
export function buildReasonNotices({ candidates }: Comparison, words: Messages): Notice[] {
  return candidates.flatMap(({ label, explanations }) =>
    explanations.map(({ code, where, evidence }): Notice => {
      const seen = describeEvidence(evidence, words.evidence);
      return {
        tone: 'reason',
        code,
        about: label,
        title: words.reasons[code].title,
        seen:
          where.length === 0 ? seen : words.findings.seen(where.slice(0, WHERES_SHOWN), where.length, seen),
        advice: words.reasons[code].advice,
      };
    }),
  );
}

/** The heading above the reasons: why the gain is not larger, or where no candidate gained anything, why there is none. */
export function reasonHeading({ candidates, sides }: Comparison, words: Messages): string {
  const gained = candidates.some(({ measures }) => measures.some(({ better }) => better > 0));
  const labels = candidates.map(({ label }) => label).join(', ');
  return gained ? words.sections.why : words.sections.whyNone(labels, sides[0]?.label ?? '');
}

const WHERES_SHOWN = 4;

/** Findings of one code that name places stand together, whatever each of them saw; so do equal ones of several pairs. */
function mergeFindings(findings: readonly ComparisonFinding[]): ComparisonFinding[] {
  const merged = new Map<string, ComparisonFinding>();
  for (const finding of findings) {
    const { code, evidence, where, sides } = finding;
    const key = where.length > 0 ? code : JSON.stringify([code, evidence]);
    const known = merged.get(key);
    if (known === undefined) merged.set(key, finding);
    else {
      const all = [...known.where, ...where];
      merged.set(key, {
        ...known,
        sides: [...new Set([...known.sides, ...sides])],
        // Cells are the grid's, trials are each side's own.
        where: all.every((id) => TRIAL_ID.test(id)) ? all : [...new Set(all)],
      });
    }
  }
  return [...merged.values()];
}

function seenIn(where: readonly string[], count: number, seen: string, words: Messages): string {
  const [first] = where;
  if (first === undefined) return seen;
  if (count === 1) return `${first}: ${seen}`;
  return words.findings.repeated(
    count,
    where.every((id) => TRIAL_ID.test(id)) ? 'trials' : 'cells',
    first,
    seen,
  );
}

const TRIAL_ID = /-r\d+(\/|$)/;
