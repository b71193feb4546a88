import type { FactRecord, Outcome } from '../answer/request-record.js';
import type { Evidence } from '../base/evidence.js';
import { mean, percentile, rangeOf } from '../base/statistics.js';
import { type ClientCheck, findClientLimit } from './client-check.js';
import { type FirstTokenWait, findHeldFirstTokens } from './first-token-wait.js';
import { trialEvidence } from './trial-evidence.js';
import type { CacheRules, TrialFacts } from './trial-facts.js';
import { cachedTokensOf, firstSent, templateHit, templateTokens } from './trial-facts.js';

/**
 * `drop`: the trial's figures are wrong; it is left out of its cell. `forbid`: the run's figures must not be compared.
 * `caution`: they may be, knowing this. Dropping and forbidding set exit code 1.
 */
export type Severity = 'drop' | 'forbid' | 'caution';

/** Every reason not to trust a trial or a cell, with its severity, most severe first. What to do about it is in report/messages. */
export const FINDINGS = {
  contaminated: 'drop',
  interrupted: 'drop',
  'no-ok-request': 'drop',
  'missing-records': 'drop',
  'missing-trials': 'forbid',
  'mixed-cached-tokens': 'forbid',
  'not-streamed': 'forbid',
  'concurrency-not-reached': 'caution',
  'failed-requests': 'caution',
  'prompt-tokens-spread': 'caution',
  'output-tokens-differ': 'caution',
  'cached-tokens-not-reported': 'caution',
  'cached-tokens-partly-reported': 'caution',
  'held-first-token': 'caution',
  'servers-disagree': 'caution',
  'server-restarted': 'caution',
  'requests-preempted': 'caution',
  'block-size-differs': 'caution',
  'client-limited': 'caution',
} as const satisfies Readonly<Record<string, Severity>>;

export type FindingCode = keyof typeof FINDINGS;

/** One reason not to trust one trial or cell. */
export interface Finding {
  readonly code: FindingCode;
  /** Trial or cell id. */
  readonly where: string;
  readonly evidence: Evidence;
}

export function severityOf(code: FindingCode): Severity {
  return FINDINGS[code];
}

/** The findings of one trial, from its records alone (and what the client saw of itself). */
export function findTrialFindings(
  id: string,
  trial: TrialFacts<FactRecord>,
  rules: CacheRules,
  asked: {
    readonly outputTokens: number;
    readonly requests: number;
    /** Null for an open load. */
    readonly concurrency: number | null;
    readonly interrupted: boolean;
    /** Null on a virtual clock, where the client costs no time. */
    readonly client: ClientCheck | null;
    /** Null where it was not counted. */
    readonly firstToken: FirstTokenWait | null;
  },
): Finding[] {
  const findings: Finding[] = [];
  const add = (code: FindingCode, evidence: Evidence) => findings.push({ code, where: id, evidence });
  const { planned, ok, reported } = trial;

  if (asked.interrupted) {
    const unsent = planned.filter((record) => record.sent_ms === null).length;
    add('interrupted', trialEvidence('unsent', { unsent, requests: asked.requests }));
  } else if (ok.length === 0) {
    add('no-ok-request', trialEvidence('none-ok', { requests: planned.length, error: firstError(planned) }));
  }
  if (planned.length < asked.requests) {
    add(
      'missing-records',
      trialEvidence('records-missing', { records: planned.length, requests: asked.requests }),
    );
  }
  if (asked.concurrency !== null && asked.concurrency > asked.requests) {
    const { requests, concurrency } = asked;
    add('concurrency-not-reached', trialEvidence('too-few-requests', { requests, concurrency }));
  }
  const warm = findContamination(trial, rules);
  if (warm !== null) add('contaminated', warm);

  if (ok.length > 0 && ok.length < planned.length) {
    add(
      'failed-requests',
      trialEvidence('failed', {
        failed: planned.length - ok.length,
        requests: planned.length,
        outcomes: countOutcomes(planned),
      }),
    );
  }
  const carried = (lacksZero: boolean) =>
    trialEvidence('cached-tokens-carried', { reported: reported.length, answers: ok.length, lacksZero });
  if (ok.length > 0 && reported.length === 0) {
    add('cached-tokens-not-reported', carried(false));
  } else if (reported.length < ok.length) {
    const zeros = reported.some((fact) => fact.cachedTokens === 0);
    add(zeros ? 'cached-tokens-partly-reported' : 'mixed-cached-tokens', carried(!zeros));
  }
  const prompts = ok.flatMap((record) => record.prompt_tokens ?? []);
  const { least, most } = rangeOf(prompts);
  if (most - least > MAX_PROMPT_SPREAD)
    add('prompt-tokens-spread', trialEvidence('prompt-tokens', { least, most }));
  const short = ok.filter(
    (record) => record.output_tokens !== null && record.output_tokens !== asked.outputTokens,
  );
  if (short.length > 0) {
    const outputs = short.map((record) => record.output_tokens ?? 0);
    add(
      'output-tokens-differ',
      trialEvidence('other-lengths', {
        other: short.length,
        answers: ok.length,
        asked: asked.outputTokens,
        ...rangeOf(outputs),
      }),
    );
  }
  const streams = ok.filter((record) => (record.output_tokens ?? 0) > 1);
  const whole = streams.filter(
    ({ ttft_ms, e2e_ms, chunks, output_tokens }) =>
      ttft_ms === e2e_ms && (chunks === 1 || (output_tokens ?? 0) >= MANY_TOKENS),
  );
  if (whole.length > streams.length / 2) {
    add('not-streamed', trialEvidence('whole-in-one-read', { whole: whole.length, answers: streams.length }));
  }
  const held = asked.firstToken === null ? null : findHeldFirstTokens(asked.firstToken);
  if (held !== null) add('held-first-token', held);
  const limit =
    asked.client === null
      ? null
      : findClientLimit(asked.client, {
          ttft_mean_ms: mean(trial.ttft),
          ttft_p50_ms: percentile(trial.ttft, 0.5),
          ttft_p99_ms: percentile(trial.ttft, 0.99),
        });
  if (limit !== null) add('client-limited', limit);
  return findings;
}

/** A fast server may write a short answer in one go; one this long in one read was gathered by somebody. */
const MANY_TOKENS = 16;

/** More than a few tokens of difference between prompts that should be equally long. */
const MAX_PROMPT_SPREAD = 4;

/**
 * What shows that the cache was warm before the trial, or null. Two signs: a request had more than its prefix cached
 * (tails are unique); or the first-sent request of a prefix hit although none that overlapped it had missed (two
 * requests sent within a millisecond may reach the server in the other order, so a miss beside it explains the hit).
 */
function findContamination(trial: TrialFacts<FactRecord>, rules: CacheRules): Evidence | null {
  const { planned } = trial;
  const beyond = templateHit(planned, rules);
  const most = rules.prefixTokens + templateTokens(planned, rules);
  const tails = trial.reported.filter((fact) => fact.cachedTokens > most);
  if (tails.length > 0) {
    return trialEvidence('tails-cached', {
      requests: tails.length,
      most: rangeOf(tails.map((fact) => fact.cachedTokens)).most,
      prefixTokens: rules.prefixTokens,
    });
  }
  if (rules.start === 'primed') {
    const known = trial.primers.filter((primer) => (cachedTokensOf(primer, rules) ?? 0) > beyond);
    return known[0] === undefined
      ? null
      : trialEvidence('primers-hit', {
          hit: known.length,
          prefixes: trial.primers.length,
          tokens: cachedTokensOf(known[0], rules) ?? 0,
        });
  }
  const firsts = [...firstSent(planned)];
  const warm = firsts.filter(([prefix, first]) => {
    if ((cachedTokensOf(first, rules) ?? 0) <= beyond) return false;
    const firstToken = (first.sent_ms ?? 0) + (first.ttft_ms ?? 0);
    return !planned.some(
      (other) =>
        other !== first &&
        other.prefix === prefix &&
        (other.sent_ms ?? Number.POSITIVE_INFINITY) < firstToken &&
        (cachedTokensOf(other, rules) ?? 0) <= beyond,
    );
  });
  if (warm[0] === undefined) return null;
  const [prefix, first] = warm[0];
  return trialEvidence('first-requests-hit', {
    hit: warm.length,
    prefixes: firsts.length,
    prefix,
    tokens: cachedTokensOf(first, rules) ?? 0,
  });
}

/** Code and message of the first error; null for none. */
function firstError(planned: readonly FactRecord[]): string | null {
  const error = planned.find((record) => record.error !== null)?.error;
  return error === undefined || error === null ? null : `${error.code}: ${error.message}`;
}

function countOutcomes(planned: readonly FactRecord[]): [Outcome, number][] {
  const counts = new Map<Outcome, number>();
  for (const { outcome } of planned) {
    if (outcome !== 'ok') counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  return [...counts];
}
