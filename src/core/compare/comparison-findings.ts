import type { Evidence } from '../base/evidence.js';
import { supportsPercentile } from '../base/statistics.js';
import { type FindingCode, severityOf } from '../measure/finding-codes.js';
import type { RunFile, VariantRun } from '../measure/run-file.js';
import { blockSizeIn } from '../measure/servers/metrics-source.js';
import { type Scenario, SETTINGS } from '../scenario/settings.js';
import { findChangedConditions } from './changed-conditions.js';
import { type ComparedCell, type ComparedVariant, keptTrials } from './compared-variant.js';
import type { Difference } from './comparison-evidence.js';
import { comparisonEvidence } from './comparison-evidence.js';

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
  const add: Add = (code, evidence, where = []) => {
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

/** Takes a finding with what was seen; nothing was seen of null. */
type Add = (
  code: keyof typeof COMPARISON_FINDINGS,
  evidence: Evidence | null,
  where?: readonly string[],
) => void;

function addCellFindings(
  baseline: ComparedVariant,
  candidate: ComparedVariant,
  common: readonly (readonly [ComparedCell, ComparedCell])[],
  add: Add,
): void {
  if (common.length === 0) add('no-common-cell', comparisonEvidence('no-common-cell', null));
  const lone = [
    ...[...baseline.cells.keys()].filter((id) => !candidate.cells.has(id)),
    ...[...candidate.cells.keys()].filter((id) => !baseline.cells.has(id)),
  ];
  if (common.length > 0 && lone.length > 0) {
    add('cells-differ', comparisonEvidence('lone-cells', { cells: lone.length }), lone);
  }

  const outputs = common.flatMap(([a, b]) => compareOutputs(a, b) ?? []);
  add(
    'output-lengths-differ',
    outputs[0]?.evidence ?? null,
    outputs.map((output) => output.where),
  );

  const sets = common.flatMap(([a, b]) => compareSuccess(a, b) ?? []);
  for (const [code, own] of [
    ['success-sets-differ', sets.filter((set) => set.share >= SUCCESS_SHARE)],
    ['few-failures-differ', sets.filter((set) => set.share < SUCCESS_SHARE)],
  ] as const) {
    add(
      code,
      own[0]?.evidence ?? null,
      own.map((set) => set.where),
    );
  }

  const left = common.filter(([a, b]) => {
    const kept = (cell: ComparedCell) => keptTrials(cell).map((trial) => trial.repeat);
    return !sameText(kept(a), kept(b));
  });
  add(
    'repeats-left-out',
    left.length === 0 ? null : comparisonEvidence('other-repeats', null),
    left.map(([a]) => a.cell.id),
  );
  const single = common.filter(([a, b]) => a.trials.length === 1 && b.trials.length === 1);
  if (common.length > 0 && single.length === common.length) {
    add('one-repeat', comparisonEvidence('single-trials', null));
  }
}

/** Ok in one run but not in the other, of the requests of a cell: from this share on the figures are of other requests. */
const SUCCESS_SHARE = 0.01;

function compareSuccess(
  a: ComparedCell,
  b: ComparedCell,
): { readonly share: number; readonly evidence: Evidence; readonly where: string } | null {
  let differ = 0;
  let requests = 0;
  const failed: [number, number] = [0, 0];
  for (const first of keptTrials(a)) {
    const second = keptTrials(b).find((trial) => trial.repeat === first.repeat);
    if (second === undefined) continue;
    first.facts.planned.forEach((record, i) => {
      const ok = [record.outcome === 'ok', second.facts.planned[i]?.outcome === 'ok'];
      requests++;
      if (ok[0] !== ok[1]) differ++;
      if (!ok[0]) failed[0]++;
      if (!ok[1]) failed[1]++;
    });
  }
  if (differ === 0) return null;
  return {
    share: differ / requests,
    evidence: comparisonEvidence('ok-in-one', { differ, requests, failed }),
    where: a.cell.id,
  };
}

/** Mean answers further apart than this share are not the same work. */
const OUTPUT_SHARE = 0.01;

function compareOutputs(
  a: ComparedCell,
  b: ComparedCell,
): { readonly evidence: Evidence; readonly where: string } | null {
  const means = [a, b].map((cell) => {
    const outputs = keptTrials(cell).flatMap((trial) =>
      trial.facts.ok.flatMap((record) => record.output_tokens ?? []),
    );
    return outputs.length === 0 ? null : outputs.reduce((sum, value) => sum + value, 0) / outputs.length;
  });
  const [first = null, second = null] = means;
  if (first === null || second === null) return null;
  if (Math.abs(second - first) <= OUTPUT_SHARE * Math.max(first, second)) return null;
  return {
    evidence: comparisonEvidence('answer-lengths', { first: first.toFixed(1), second: second.toFixed(1) }),
    where: a.cell.id,
  };
}

/** What one run says of itself, its gravest findings as what forbids a comparison. */
function findOwnFindings(side: ComparedVariant): ComparisonFinding[] {
  const sides = [side.info.label];
  const own: ComparisonFinding[] = [];
  const add = (code: keyof typeof COMPARISON_FINDINGS, evidence: Evidence, where: readonly string[] = []) =>
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

type WorkloadRelation =
  | { readonly kind: 'same' | 'other-salt' }
  | { readonly kind: 'different'; readonly evidence: Evidence };

/** What decides the requests of a cell, whatever else is in the grid. */
const CELL_DECIDED_BY = ['seed', 'requests', 'prefixTokens', 'tailTokens', 'outputTokens', 'groups'] as const;
/** What decides which cells and repeats there are. */
const GRID_DECIDED_BY = ['prefixes', 'concurrency', 'rate', 'repeats'] as const;

/**
 * Whether two runs sent the same requests in the cells they share. The hash is over the whole grid: two runs over other
 * cells have another one, although a cell of both got the same requests, as its settings and the version tell.
 */
function compareWorkloads(a: RunFile, b: RunFile): WorkloadRelation {
  const settings = differing(differingSettings(a.scenario, b.scenario, CELL_DECIDED_BY));
  if (settings !== null) return { kind: 'different', evidence: settings };
  const sameHash = a.workload.sha256 === b.workload.sha256;
  const sameGrid = differingSettings(a.scenario, b.scenario, GRID_DECIDED_BY).length === 0;
  if (!sameHash && (sameGrid || a.provenance.kvbench !== b.provenance.kvbench)) {
    const [first, second] = [a.workload.sha256.slice(0, 12), b.workload.sha256.slice(0, 12)];
    return { kind: 'different', evidence: comparisonEvidence('hashes-differ', { first, second }) };
  }
  return { kind: a.workload.salt_sha256 === b.workload.salt_sha256 ? 'same' : 'other-salt' };
}

type Origin = NonNullable<ComparedVariant['origin']>;

/** How requests are sent; the scenario's lengths and the target itself are compared elsewhere. */
const CLIENT_SETTINGS = [
  'connections',
  'endpoint',
  'warmup',
  'start',
  'timeout',
  'firstTokenTimeout',
  'idleTimeout',
] as const;

function differingClientSettings(a: Origin, b: Origin): Difference[] {
  return [
    ...differingSettings(a.run.scenario, b.run.scenario, CLIENT_SETTINGS),
    ...differingSent(a.variant, b.variant, 'work'),
  ];
}

/** Fields that ask a server what it did, and change nothing of it. */
const REPORT_FIELDS = ['stream', 'stream_options', 'nvext', 'return_token_ids', 'return_meta_info'];

function differingSent(a: VariantRun, b: VariantRun, which: 'work' | 'report'): Difference[] {
  return [...new Set([...Object.keys(a.target.sent), ...Object.keys(b.target.sent)])]
    .filter((key) => REPORT_FIELDS.includes(key) === (which === 'report'))
    .flatMap((key) => differ(key, a.target.sent[key], b.target.sent[key], true));
}

function differingVersions(a: RunFile, b: RunFile): Difference[] {
  const keys = ['kvbench', 'node', 'host', 'cpu'] as const;
  return keys.flatMap((key) => differ(key, a.provenance[key], b.provenance[key]));
}

function differingCacheRules(a: Origin, b: Origin): Difference[] {
  return [
    ...differ('cached_tokens', a.variant.target.cached_tokens, b.variant.target.cached_tokens),
    ...differ(
      'block-size',
      blockSizeIn(a.run.scenario, a.variant.target),
      blockSizeIn(b.run.scenario, b.variant.target),
    ),
  ];
}

function differingSettings(a: Scenario, b: Scenario, keys: readonly (keyof Scenario)[]): Difference[] {
  // Runs of before there was a setting say nothing of it: its initial value held.
  const of = (scenario: Scenario, key: keyof Scenario) => scenario[key] ?? SETTINGS[key].initial;
  return keys.flatMap((key) => differ(key, of(a, key), of(b, key)));
}

/** Empty when the two are the same. */
function differ(what: string, a: unknown, b: unknown, sent = false): Difference[] {
  return sameText(a, b) ? [] : [{ what, sent, first: shown(a), second: shown(b) }];
}

function differing(differences: readonly Difference[]): Evidence | null {
  return differences.length === 0 ? null : comparisonEvidence('differing', { differences });
}

function sameText(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function shown(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
