import type { FactRecord, Outcome } from '../answer/request-record.js';
import type { Evidence } from '../base/evidence.js';
import { mean, percentile, rangeOf } from '../base/statistics.js';
import type { CacheRules } from './cache-counts.js';
import { findInCounts } from './cache-findings.js';
import { type ClientCheck, findClientLimit } from './client-check.js';
import type { Finding, FindingCode, Found } from './finding-codes.js';
import { type FirstTokenWait, findHeldFirstTokens } from './first-token-wait.js';
import { findDrain, findHeldSlots, type SlotHold } from './slot-use.js';
import { findGathered, type TokenReads } from './token-reads.js';
import { trialEvidence } from './trial-evidence.js';
import type { RowFacts } from './trial-facts.js';

/** The findings of one trial, from its records alone (and what the client saw of itself). */
export function findTrialFindings(
  id: string,
  trial: RowFacts<FactRecord>,
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
    readonly tokenReads: TokenReads | null;
    readonly slotHold: SlotHold | null;
  },
): Finding[] {
  const findings: Finding[] = [];
  const add = (code: FindingCode, evidence: Evidence) => findings.push({ code, where: id, evidence });
  const { planned, ok } = trial;

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
  for (const { code, evidence } of findInCounts(trial, rules)) add(code, evidence);
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
  const gathered = asked.tokenReads === null ? null : findGathered(asked.tokenReads, asked.client);
  for (const found of [
    gathered ?? findUnstreamed(ok),
    findDrain(planned, ok, asked.concurrency),
    asked.slotHold === null
      ? null
      : findHeldSlots(asked.slotHold, mean(trial.e2e), asked.concurrency, asked.client),
  ]) {
    if (found !== null) add(found.code, found.evidence);
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

/** Whole answers in one read, as the records tell by themselves. */
function findUnstreamed(ok: readonly FactRecord[]): Found | null {
  const streams = ok.filter((record) => (record.output_tokens ?? 0) > 1);
  const whole = streams.filter(
    ({ ttft_ms, e2e_ms, chunks, output_tokens }) =>
      ttft_ms === e2e_ms && (chunks === 1 || (output_tokens ?? 0) >= MANY_TOKENS),
  );
  if (whole.length <= streams.length / 2) return null;
  const evidence = trialEvidence('whole-in-one-read', { whole: whole.length, answers: streams.length });
  return { code: 'not-streamed', evidence };
}

/** A fast server may write a short answer in one go; one this long in one read was gathered by somebody. */
const MANY_TOKENS = 16;

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
