import type { FactRecord, RequestRecord } from '../answer/request-record.js';
import type { Lengths } from '../scenario/request-groups.js';
import type { Scenario } from '../scenario/settings.js';
import type { TrialPlan } from '../workload/plan.js';
import { isWhole, splitTrial, type TrialPart } from '../workload/plan-rows.js';
import type { CacheRules } from './cache-counts.js';
import type { ClientCheck } from './client-check.js';
import { addLostTokens, type LostTokens, NOTHING_LOST, splitLostTokens } from './lost-hits.js';
import { recordsIn } from './records-in-row.js';
import type { TargetFacts, VariantRun } from './run-file.js';
import { blockSizeIn, blockSizeOf } from './servers/metrics-source.js';
import { findInServers } from './servers/server-findings.js';
import { summarizeServers } from './servers/server-summary.js';
import {
  type JudgedTrial,
  judgeTrial,
  type SummaryContext,
  summarizeWhole,
  type TrialOutcome,
  type TrialSummary,
} from './summaries.js';
import { combineGroupFacts, type TrialFacts } from './trial-facts.js';

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
    const context = summaryContext(scenario, variant, part.lengths, run.salt);
    const own = recordsIn(part, records);
    const judged = judgeTrial(part.plan, own, context, run);
    return [{ ...judged, client: run.client, lost: () => lostOf(judged, own, context.rules) }];
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

/** Nothing is known of the hits behind a ratio that is withheld. */
function lostOf<R extends FactRecord>(
  { facts: { withheld } }: JudgedTrial<R>,
  records: readonly R[],
  rules: CacheRules,
): LostTokens {
  return withheld.includes('cached-ratio') ? NOTHING_LOST : splitLostTokens(records, rules);
}

/**
 * How the records of one variant are to be read; `lengths` are those of a group where there are several, `salt` that of a
 * trial that was run again.
 */
export function summaryContext(
  scenario: Scenario,
  variant: VariantRun,
  lengths: Lengths = scenario,
  salt: string = scenario.salt,
): SummaryContext {
  return {
    variant: variant.name,
    rules: readingOf({ ...scenario, salt }, variant.target, lengths),
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
    ...summarizeWhole(plan, facts, variant.name, summaries),
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
    salt: saltOf(scenario),
    newPromptsCached: target.new_prompts_cached === true,
  };
}

/** The form of the salts that are drawn: see io/salt.ts. */
const DRAWN_SALT = /^(again-)?[0-9a-f]{16}$/;

function saltOf({ salt, variants }: Scenario): CacheRules['salt'] {
  if (!DRAWN_SALT.test(salt)) return 'none';
  return variants.length > 1 ? 'drawn' : 'fresh';
}
