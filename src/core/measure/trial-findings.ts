import type { FactRecord, Outcome } from '../answer/request-record.js';
import { asSeen, type Evidence, type Seen, saw } from '../base/evidence.js';
import { percentile } from '../base/statistics.js';
import { type ClientCheck, findClientLimit } from './client-check.js';
import { type FirstTokenWait, findHeldTokens } from './first-token-wait.js';
import type { Reading, TrialFacts } from './measures.js';
import { cachedTokensOf, firstSent, templateHit, templateTokens } from './trial-facts.js';

/**
 * `drop`: the trial's figures are wrong; it is left out of its cell. `forbid`: the run's figures must not be compared.
 * `caution`: they may be, knowing this. Dropping and forbidding set exit code 1.
 */
export type Severity = 'drop' | 'forbid' | 'caution';

/** Every reason not to trust a trial or a cell, with its severity and what to do about it. */
export const FINDINGS = {
  contaminated: {
    severity: 'drop',
    advice:
      'the cache was warm for this seed: rerun with --salt random (same lengths, new text), or clear the caches',
  },
  interrupted: {
    severity: 'drop',
    advice: 'the trial was stopped before its end: run the command again with --resume',
  },
  'no-ok-request': {
    severity: 'drop',
    advice: "every request failed: read error.message in requests.jsonl and the target's own log",
  },
  'missing-records': {
    severity: 'drop',
    advice: 'requests.jsonl has lost lines of this trial: read it from the original, or run the trial again',
  },
  'missing-trials': {
    severity: 'forbid',
    advice: 'the cell has fewer kept trials than repeats: compare it only after a rerun',
  },
  'mixed-cached-tokens': {
    severity: 'forbid',
    advice:
      'some answers carry cached_tokens and none carries 0: the target may leave zeros out, and then the hit rate is wrong; rerun with --dialect auto so that it is probed',
  },
  'not-streamed': {
    severity: 'forbid',
    advice:
      'whole answers came in one read, so TTFT is E2E: is streaming off at the target, or does a proxy gather the stream?',
  },
  'concurrency-not-reached': {
    severity: 'caution',
    advice: 'a trial has fewer requests than slots: raise --requests to ten times the concurrency or more',
  },
  'failed-requests': {
    severity: 'caution',
    advice: 'figures are of the ok requests only: a mode that loses its slow requests looks fast',
  },
  'prompt-tokens-spread': {
    severity: 'caution',
    advice:
      'prompt_tokens should differ from the plan by one constant (the chat template): this tokenizer splits some words, so lengths are not exact',
  },
  'output-tokens-differ': {
    severity: 'caution',
    advice:
      'answers ended before --output-tokens: E2E and throughput depend on where; use a dialect that can set ignore_eos',
  },
  'cached-tokens-not-reported': {
    severity: 'caution',
    advice:
      'no hit rate can be given: have the server report it (vLLM: --enable-prompt-tokens-details; sglang: --enable-cache-report)',
  },
  'cached-tokens-partly-reported': {
    severity: 'caution',
    advice: 'hit rate and ratio are over the requests that reported cached_tokens only',
  },
  'held-first-token': {
    severity: 'caution',
    advice:
      "the target seems to send with Nagle's algorithm on (no TCP_NODELAY): an answer that is ready within 40 ms of its head, as a hit is, waits for a delayed acknowledgement, and a miss does not, so TTFT shows less of the gain than there is; set TCP_NODELAY there, or on a Linux client turn delayed acknowledgements off for the route (docs/client.md)",
  },
  'client-limited': {
    severity: 'caution',
    advice:
      'part of these times may be the client, not the server: lower --concurrency, raise --threads where cores are free, or keep other work off this machine; kvbench doctor --client says what it can do',
  },
} as const satisfies Readonly<Record<string, { readonly severity: Severity; readonly advice: string }>>;

export type FindingCode = keyof typeof FINDINGS;

/** One reason not to trust one trial or cell. */
export interface Finding extends Seen {
  readonly code: FindingCode;
  /** Trial or cell id. */
  readonly where: string;
}

export function severityOf(code: FindingCode): Severity {
  return FINDINGS[code].severity;
}

/** The findings of one trial, from its records alone (and what the client saw of itself). */
export function findTrialFindings(
  id: string,
  trial: TrialFacts<FactRecord>,
  reading: Reading,
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
  const add = (code: FindingCode, evidence: Evidence) =>
    findings.push({ code, where: id, ...asSeen(evidence) });
  const { planned, ok, reported } = trial;

  if (asked.interrupted) {
    const unsent = planned.filter((record) => record.sent_ms === null).length;
    add('interrupted', saw('unsent', { unsent, requests: asked.requests }));
  } else if (ok.length === 0) {
    add('no-ok-request', saw('none-ok', { requests: planned.length, error: firstError(planned) }));
  }
  if (planned.length < asked.requests) {
    add('missing-records', saw('records-missing', { records: planned.length, requests: asked.requests }));
  }
  if (asked.concurrency !== null && asked.concurrency > asked.requests) {
    const { requests, concurrency } = asked;
    add('concurrency-not-reached', saw('too-few-requests', { requests, concurrency }));
  }
  const warm = findContamination(trial, reading);
  if (warm !== null) add('contaminated', warm);

  if (ok.length > 0 && ok.length < planned.length) {
    add(
      'failed-requests',
      saw('failed', {
        failed: planned.length - ok.length,
        requests: planned.length,
        outcomes: countOutcomes(planned),
      }),
    );
  }
  const carried = (lacksZero: boolean) =>
    saw('cached-tokens-carried', { reported: reported.length, answers: ok.length, lacksZero });
  if (ok.length > 0 && reported.length === 0) {
    add('cached-tokens-not-reported', carried(false));
  } else if (reported.length < ok.length) {
    const zeros = reported.some((fact) => fact.cachedTokens === 0);
    add(zeros ? 'cached-tokens-partly-reported' : 'mixed-cached-tokens', carried(!zeros));
  }
  const prompts = ok.flatMap((record) => record.prompt_tokens ?? []);
  const [least, most] = [Math.min(...prompts), Math.max(...prompts)];
  if (most - least > MAX_PROMPT_SPREAD) add('prompt-tokens-spread', saw('prompt-tokens', { least, most }));
  const short = ok.filter(
    (record) => record.output_tokens !== null && record.output_tokens !== asked.outputTokens,
  );
  if (short.length > 0) {
    const outputs = short.map((record) => record.output_tokens ?? 0);
    add(
      'output-tokens-differ',
      saw('other-lengths', {
        other: short.length,
        answers: ok.length,
        asked: asked.outputTokens,
        least: Math.min(...outputs),
        most: Math.max(...outputs),
      }),
    );
  }
  const streams = ok.filter((record) => (record.output_tokens ?? 0) > 1);
  const whole = streams.filter(
    ({ ttft_ms, e2e_ms, chunks, output_tokens }) =>
      ttft_ms === e2e_ms && (chunks === 1 || (output_tokens ?? 0) >= MANY_TOKENS),
  );
  if (whole.length > streams.length / 2) {
    add('not-streamed', saw('whole-in-one-read', { whole: whole.length, answers: streams.length }));
  }
  const held = asked.firstToken === null ? null : findHeldTokens(asked.firstToken);
  if (held !== null) add('held-first-token', held);
  const limit = asked.client === null ? null : findClientLimit(asked.client, percentile(trial.ttft, 0.5));
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
function findContamination(trial: TrialFacts<FactRecord>, reading: Reading): Evidence | null {
  const { planned } = trial;
  const beyond = templateHit(planned, reading);
  const most = reading.prefixTokens + templateTokens(planned, reading);
  const tails = trial.reported.filter((fact) => fact.cachedTokens > most);
  if (tails.length > 0) {
    return saw('tails-cached', {
      requests: tails.length,
      most: Math.max(...tails.map((fact) => fact.cachedTokens)),
      prefixTokens: reading.prefixTokens,
    });
  }
  if (reading.start === 'primed') {
    const known = trial.primers.filter((primer) => (cachedTokensOf(primer, reading) ?? 0) > beyond);
    return known[0] === undefined
      ? null
      : saw('primers-hit', {
          hit: known.length,
          prefixes: trial.primers.length,
          tokens: cachedTokensOf(known[0], reading) ?? 0,
        });
  }
  const firsts = [...firstSent(planned)];
  const warm = firsts.filter(([prefix, first]) => {
    if ((cachedTokensOf(first, reading) ?? 0) <= beyond) return false;
    const firstToken = (first.sent_ms ?? 0) + (first.ttft_ms ?? 0);
    return !planned.some(
      (other) =>
        other !== first &&
        other.prefix === prefix &&
        (other.sent_ms ?? Number.POSITIVE_INFINITY) < firstToken &&
        (cachedTokensOf(other, reading) ?? 0) <= beyond,
    );
  });
  if (warm[0] === undefined) return null;
  const [prefix, first] = warm[0];
  return saw('first-requests-hit', {
    hit: warm.length,
    prefixes: firsts.length,
    prefix,
    tokens: cachedTokensOf(first, reading) ?? 0,
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
