import type { FactRecord } from '../answer/request-record.js';
import { median, rangeOf, supportsPercentile } from '../base/statistics.js';
import { slotsOf } from '../workload/load.js';
import type { Cell, TrialPlan } from '../workload/plan.js';
import type { CacheRules } from './cache-counts.js';
import { type Finding, severityOf, withheldFamilies } from './finding-codes.js';
import {
  computeMeasures,
  MEASURES,
  type Measure,
  type MeasureKey,
  type MeasureValues,
  rounded,
} from './measures.js';
import type { TrialRun } from './run-file.js';
import type { ServerSummary } from './servers/server-summary.js';
import { trialEvidence } from './trial-evidence.js';
import { factsOfTrial, type TrialFacts, withholdFacts } from './trial-facts.js';
import { findTrialFindings } from './trial-findings.js';

/** One row of trials.csv. */
export interface TrialSummary {
  readonly id: string;
  readonly variant: string;
  readonly cell: Cell;
  readonly repeat: number;
  /** Planned requests: ok + failed, always. */
  readonly requests: number;
  readonly ok: number;
  readonly failed: number;
  readonly values: MeasureValues;
  /** Of how many prefixes each worker served requests; empty when the target names none. */
  readonly prefixesOfWorker: ReadonlyMap<string, number>;
  readonly findings: readonly Finding[];
  /** What the servers counted; absent where no metrics page was read, and for all but the first of several groups. */
  readonly servers?: ServerSummary | undefined;
  /** Whether it enters its cell. */
  readonly kept: boolean;
}

/** One row of grid.csv. */
export interface CellSummary {
  readonly variant: string;
  readonly cell: Cell;
  readonly repeatsKept: number;
  readonly repeatsDropped: number;
  /** Sums over the kept trials. */
  readonly requests: number;
  readonly ok: number;
  readonly failed: number;
  /** Medians over the kept trials that have one; null when none has. */
  readonly values: MeasureValues;
  /** Least and greatest of the kept trials, of the measures that declare a band. */
  readonly bands: Partial<
    Readonly<Record<MeasureKey, { readonly min: number | null; readonly max: number | null }>>
  >;
  /** Of all its trials, dropped ones too, and its own. */
  readonly findings: readonly Finding[];
}

/** What a summary needs besides records: all of it is in run.json. */
export interface SummaryContext {
  readonly variant: string;
  readonly rules: CacheRules;
  readonly outputTokens: number;
  readonly repeats: number;
}

/** What a summary takes from a trial's entry in run.json. */
export type TrialOutcome = Pick<
  TrialRun,
  'interrupted' | 'salt' | 'client' | 'first_token' | 'token_reads' | 'after_last_token' | 'servers'
>;

/** The row of one trial with the facts that its measures are made from: those that its findings withhold are left out. */
export interface JudgedTrial<R extends FactRecord> {
  readonly summary: TrialSummary;
  readonly facts: TrialFacts<R>;
}

/** Folds the records of one trial. `records` may hold other phases, which enter no figure. */
export function judgeTrial<R extends FactRecord>(
  plan: TrialPlan,
  records: readonly R[],
  context: SummaryContext,
  run: TrialOutcome,
): JudgedTrial<R> {
  const facts = factsOfTrial(records, plan, context.rules);
  const findings = findTrialFindings(plan.id, facts, context.rules, {
    outputTokens: context.outputTokens,
    requests: plan.prefixOf.length,
    concurrency: wholeConcurrency(plan.cell),
    interrupted: run.interrupted,
    client: run.client,
    firstToken: run.first_token ?? null,
    tokenReads: run.token_reads ?? null,
    slotHold: run.after_last_token ?? null,
  });
  return rowOfTrial(plan, facts, context.variant, findings);
}

/** What the requests of a row are to reach alone; null for an open load, or one group of several. */
function wholeConcurrency({ load, group }: Cell): number | null {
  return group === undefined ? slotsOf(load) : null;
}

/** The row of all groups of a trial together; it has their findings, and is kept when all of them are. */
export function summarizeWhole<R extends FactRecord>(
  plan: TrialPlan,
  facts: TrialFacts<R>,
  variant: string,
  groups: readonly TrialSummary[],
): JudgedTrial<R> {
  return rowOfTrial(
    plan,
    facts,
    variant,
    groups.flatMap((group) => group.findings),
  );
}

function rowOfTrial<R extends FactRecord>(
  plan: TrialPlan,
  facts: TrialFacts<R>,
  variant: string,
  findings: readonly Finding[],
): JudgedTrial<R> {
  const judged = withholdFacts(
    facts,
    findings.flatMap(({ code }) => withheldFamilies(code)),
  );
  const summary: TrialSummary = {
    id: plan.id,
    variant,
    cell: plan.cell,
    repeat: plan.repeat,
    requests: plan.prefixOf.length,
    ok: facts.ok.length,
    failed: plan.prefixOf.length - facts.ok.length,
    values: computeMeasures(judged),
    prefixesOfWorker: countPrefixes(facts.workersOfPrefix),
    findings,
    kept: findings.every((finding) => severityOf(finding.code) !== 'drop'),
  };
  return { summary, facts: judged };
}

function countPrefixes(workersOfPrefix: ReadonlyMap<number, ReadonlySet<string>>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const workers of workersOfPrefix.values()) {
    for (const worker of workers) counts.set(worker, (counts.get(worker) ?? 0) + 1);
  }
  return counts;
}

/**
 * The figure of a cell: medians over its kept trials (two kept: their mean). `trials` are the trials of this cell that
 * ran; fewer kept than planned is a finding.
 */
export function summarizeCell(
  cell: Cell,
  trials: readonly TrialSummary[],
  context: SummaryContext,
): CellSummary {
  const kept = trials.filter((trial) => trial.kept);
  const total = (count: (trial: TrialSummary) => number) =>
    kept.reduce((sum, trial) => sum + count(trial), 0);
  const findings = trials.flatMap((trial) => trial.findings);
  if (kept.length < context.repeats) {
    findings.push({
      code: 'missing-trials',
      where: cell.id,
      evidence: trialEvidence('trials-kept', {
        kept: kept.length,
        repeats: context.repeats,
        dropped: trials.length - kept.length,
      }),
    });
  }
  return {
    variant: context.variant,
    cell,
    repeatsKept: kept.length,
    repeatsDropped: trials.length - kept.length,
    requests: total((trial) => trial.requests),
    ok: total((trial) => trial.ok),
    failed: total((trial) => trial.failed),
    values: Object.fromEntries(
      MEASURES.map(({ key }) => [key, rounded(median(kept.map((trial) => trial.values[key])))]),
    ) as MeasureValues,
    bands: Object.fromEntries(
      MEASURES.filter((measure) => measure.band).map(({ key }) => [key, bandOf(kept, key)]),
    ),
    findings,
  };
}

/** Whether a kept trial of this cell has ok requests enough, on average, for the percentile that a measure is; true for any other measure. */
export function supportsMeasure(
  cell: Pick<CellSummary, 'ok' | 'repeatsKept'>,
  { percentile }: Pick<Measure, 'percentile'>,
): boolean {
  return percentile === null || supportsPercentile(cell.ok / cell.repeatsKept, percentile);
}

function bandOf(kept: readonly TrialSummary[], key: MeasureKey) {
  const values = kept.map((trial) => trial.values[key]).filter((value) => value !== null);
  if (values.length === 0) return { min: null, max: null };
  const { least, most } = rangeOf(values);
  return { min: least, max: most };
}
