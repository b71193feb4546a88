import type { FactRecord, RequestRecord } from '../answer/request-record.js';
import type { Lengths } from '../scenario/request-groups.js';
import type { Scenario } from '../scenario/settings.js';
import type { TrialPlan } from '../workload/plan.js';
import { isWhole, splitTrial, type TrialPart } from '../workload/plan-rows.js';
import type { ClientCheck } from './client-check.js';
import { addLostTokens, type LostTokens, splitLostTokens } from './lost-hits.js';
import { recordsIn } from './records-in-row.js';
import type { TargetFacts, VariantRun } from './run-file.js';
import { blockSizeIn, blockSizeOf } from './servers/metrics-source.js';
import { findInServers } from './servers/server-findings.js';
import { summarizeServers } from './servers/server-summary.js';
import {
  type SummaryContext,
  summarizeFacts,
  summarizeWhole,
  type TrialOutcome,
  type TrialSummary,
} from './summaries.js';
import type { CacheRules, TrialFacts } from './trial-facts.js';
import { combineGroupFacts, factsOfTrial } from './trial-facts.js';

/** One row of a trial, from its records. */
export interface TrialRow<R extends FactRecord = RequestRecord> {
  readonly summary: TrialSummary;
  readonly facts: TrialFacts<R>;
  /** What the client saw of itself in the trial; null on a virtual clock. */
  readonly client: ClientCheck | null;
  /** Made when asked for. */
  lost(): LostTokens;
}

/** The rows of one trial: one, or one for each group and, when the scenario asks for it, one of the whole. */
export function readTrialRows<R extends FactRecord>(
  scenario: Scenario,
  variant: VariantRun,
  trial: TrialPlan,
  records: readonly R[],
  run: TrialOutcome,
): readonly TrialRow<R>[] {
  const parts = splitTrial(scenario, trial);
  const rows = parts.flatMap((part): TrialRow<R>[] => {
    if (part.lengths === null) return [];
    const context = summaryContext(scenario, variant, part.lengths);
    const own = recordsIn(part, records);
    const facts = factsOfTrial(own, part.plan, context.rules);
    return [
      {
        summary: summarizeFacts(part.plan, facts, context, run),
        facts,
        client: run.client,
        lost: () => splitLostTokens(own, context.rules),
      },
    ];
  });
  addServers(rows, scenario, variant, records, run);
  const whole = parts.find((part) => isWhole(part.plan.cell));
  return whole === undefined ? rows : [...rows, wholeRow(whole, variant, rows)];
}

/** Adds what servers counted to the first row: they do not tell groups apart. */
function addServers<R extends FactRecord>(
  rows: TrialRow<R>[],
  scenario: Scenario,
  { target }: VariantRun,
  records: readonly R[],
  { servers }: TrialOutcome,
): void {
  const [first] = rows;
  if (first === undefined || servers === undefined) return;
  const { summary, facts } = first;
  const rules = readingOf(scenario, target, scenario);
  const found = findInServers(servers, records, rules, blockSizeOf(target.metrics ?? []));
  rows[0] = {
    ...first,
    summary: {
      ...summary,
      findings: [...summary.findings, ...found.map((one) => ({ ...one, where: summary.id }))],
      servers: summarizeServers(servers, facts, scenario.start),
    },
  };
}

/** How the records of one variant are to be read; `lengths` are those of a group where there are several. */
export function summaryContext(
  scenario: Scenario,
  variant: VariantRun,
  lengths: Lengths = scenario,
): SummaryContext {
  return {
    variant: variant.name,
    rules: readingOf(scenario, variant.target, lengths),
    outputTokens: lengths.outputTokens,
    repeats: scenario.repeats,
  };
}

function wholeRow<R extends FactRecord>(
  { plan }: TrialPart,
  variant: VariantRun,
  rows: readonly TrialRow<R>[],
): TrialRow<R> {
  const facts = combineGroupFacts(
    rows.map((row) => row.facts),
    plan,
  );
  const summaries = rows.map((row) => row.summary);
  return {
    summary: summarizeWhole(plan, facts, variant.name, summaries),
    facts,
    client: rows[0]?.client ?? null,
    lost: () => addLostTokens(rows.map((row) => row.lost())),
  };
}

function readingOf(scenario: Scenario, target: TargetFacts, lengths: Lengths): CacheRules {
  return {
    absentCachedIsZero: target.cached_tokens === 'omits-zero',
    prefixTokens: lengths.prefixTokens,
    tailTokens: lengths.tailTokens,
    blockSize: blockSizeIn(scenario, target),
    start: scenario.start,
  };
}
