import type { Evidence } from '../base/evidence.js';
import { supportsPercentile } from '../base/statistics.js';
import { type FindingCode, severityOf } from '../measure/finding-codes.js';
import { type AddFinding, addCellFindings } from './cell-findings.js';
import { findChangedConditions } from './changed-conditions.js';
import { type ComparedCell, type ComparedVariant, keptTrials } from './compared-variant.js';
import { comparisonEvidence } from './comparison-evidence.js';
import {
  COMPARISON_FINDINGS,
  type ComparisonFindingCode,
  type ComparisonSeverity,
} from './comparison-finding-codes.js';
import {
  compareWorkloads,
  differ,
  differing,
  differingCacheRules,
  differingClientSettings,
  differingSent,
  differingVersions,
  sameText,
} from './run-differences.js';

/** A reason not to trust a comparison, or to know before reading it. */
export interface ComparisonFinding {
  readonly code: ComparisonFindingCode | FindingCode;
  readonly severity: ComparisonSeverity;
  /** Labels of the sides it is about: baseline and candidate, or one. */
  readonly sides: readonly string[];
  /** Cells or trials; empty when it is about the whole run. */
  readonly where: readonly string[];
  readonly evidence: Evidence;
}

/** Everything that must be known before a figure of one side is held against another, most severe first. */
export function findComparisonFindings(sides: readonly ComparedVariant[]): ComparisonFinding[] {
  const [baseline, ...candidates] = sides;
  if (baseline === undefined) return [];
  const findings = [
    ...candidates.flatMap((candidate) => findPairFindings(baseline, candidate)),
    ...sides.flatMap(findOwnFindings),
  ];
  const rank = { forbid: 0, caution: 1, note: 2 };
  return findings.sort((a, b) => rank[a.severity] - rank[b.severity]);
}

/** Whether a comparison with these findings must not be trusted. */
export function isForbidden(findings: readonly ComparisonFinding[]): boolean {
  return findings.some((finding) => finding.severity === 'forbid');
}

function findPairFindings(baseline: ComparedVariant, candidate: ComparedVariant): ComparisonFinding[] {
  const findings: ComparisonFinding[] = [];
  const add: AddFinding = (code, evidence, where = []) => {
    if (evidence === null) return;
    const sides = [baseline.info.label, candidate.info.label];
    findings.push({ code, severity: COMPARISON_FINDINGS[code], sides, where, evidence });
  };
  const common = [...baseline.cells.values()].flatMap((a): [ComparedCell, ComparedCell][] => {
    const b = candidate.cells.get(a.cell.id);
    return b === undefined ? [] : [[a, b]];
  });

  if (baseline.origin !== null && candidate.origin !== null) {
    const a = baseline.origin;
    const b = candidate.origin;
    const workload = compareWorkloads(a.run, b.run);
    add('workload-differs', workload.kind === 'different' ? workload.evidence : null);
    add('salt-differs', workload.kind === 'other-salt' ? comparisonEvidence('other-salt', null) : null);
    add('model-differs', differing(differ('model', a.variant.target.model, b.variant.target.model)));
    add('client-settings-differ', differing(differingClientSettings(a, b)));
    add('asked-differently', differing(differingSent(a.variant, b.variant, 'report')));
    add('clock-differs', differing(differ('clock', a.run.provenance.clock, b.run.provenance.clock)));
    add('versions-differ', differing(differingVersions(a.run, b.run)));
    add('reading-differs', differing(differingCacheRules(a, b)));
    const changed = findChangedConditions(a, b);
    add(
      'conditions-changed',
      changed.length > 1 ? comparisonEvidence('conditions-changed', { changed }) : null,
    );
    const twice =
      a.run.provenance.started_at === b.run.provenance.started_at && a.variant.name === b.variant.name;
    add(
      'same-run',
      twice && sameText(a.run.trials, b.run.trials) ? comparisonEvidence('same-run', null) : null,
    );
  }
  addCellFindings(baseline, candidate, common, add);
  return findings;
}

/** The findings of one run; its most severe ones forbid a comparison. */
function findOwnFindings(side: ComparedVariant): ComparisonFinding[] {
  const sides = [side.info.label];
  const own: ComparisonFinding[] = [];
  const add = (code: ComparisonFindingCode, evidence: Evidence, where: readonly string[] = []) =>
    own.push({ code, severity: COMPARISON_FINDINGS[code], sides, where, evidence });

  for (const note of side.notes) add('read-with-loss', note);
  if (side.origin === null) add('grid-only', comparisonEvidence('no-requests', null));
  const unmeasured = side.planned.filter((cell) => !side.cells.has(cell.id)).map((cell) => cell.id);
  if (side.origin !== null && (side.origin.run.status !== 'complete' || unmeasured.length > 0)) {
    add(
      'run-incomplete',
      comparisonEvidence('cells-unmeasured', {
        status: side.origin.run.status,
        unmeasured: unmeasured.length,
        cells: side.planned.length,
      }),
      unmeasured,
    );
  }
  const few = [...side.cells.values()].filter((cell) =>
    cell.trials.length > 0
      ? keptTrials(cell).some((trial) => !supportsPercentile(trial.facts.ok.length, 0.99))
      : cell.summary.repeatsKept > 0 && !supportsPercentile(cell.summary.ok / cell.summary.repeatsKept, 0.99),
  );
  if (few.length > 0) {
    add(
      'percentile-unsupported',
      comparisonEvidence('few-ok', null),
      few.map((cell) => cell.cell.id),
    );
  }
  const rows = [...side.cells.values()].flatMap((cell) => cell.summary.findings);
  const codes = [...new Set(rows.map((finding) => finding.code))];
  return [
    ...own,
    ...codes.flatMap((code): ComparisonFinding[] => {
      const some = rows.filter((finding) => finding.code === code);
      return some.slice(0, 1).map(({ evidence }) => ({
        code,
        severity: severityIn(code),
        sides,
        where: some.map((finding) => finding.where),
        evidence,
      }));
    }),
  ];
}

/** What drops a trial or forbids its figures forbids the comparison. */
function severityIn(code: FindingCode): ComparisonSeverity {
  return severityOf(code) === 'drop' || severityOf(code) === 'forbid' ? 'forbid' : 'caution';
}
