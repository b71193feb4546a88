import { type ClientCheck, describeClientLimit } from './client-check.js';
import { cachedTokensOf, firstSent, templateHit, templateTokens } from './facts.js';
import { describeHeldTokens, type FirstTokenWait } from './held-tokens.js';
import type { Reading, TrialFacts } from './measures.js';
import type { FactRecord } from './record.js';
import { percentile } from './statistics.js';

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
export interface Finding {
  readonly code: FindingCode;
  /** Trial or cell id. */
  readonly where: string;
  /** What the records show, one line, with figures. */
  readonly seen: string;
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
  const add = (code: FindingCode, seen: string) => findings.push({ code, where: id, seen });
  const { planned, ok, reported } = trial;

  if (asked.interrupted) {
    const unsent = planned.filter((record) => record.sent_ms === null).length;
    add('interrupted', `${unsent} of ${asked.requests} requests were never sent`);
  } else if (ok.length === 0) {
    add('no-ok-request', `0 of ${planned.length} requests ok; first error: ${firstError(planned)}`);
  }
  if (planned.length < asked.requests) {
    add('missing-records', `${planned.length} records of ${asked.requests} requests`);
  }
  if (asked.concurrency !== null && asked.concurrency > asked.requests) {
    add('concurrency-not-reached', `${asked.requests} requests cannot keep ${asked.concurrency} in flight`);
  }
  const warm = describeContamination(trial, reading);
  if (warm !== null) add('contaminated', warm);

  if (ok.length > 0 && ok.length < planned.length) {
    add(
      'failed-requests',
      `${planned.length - ok.length} of ${planned.length} failed: ${countOutcomes(planned)}`,
    );
  }
  if (ok.length > 0 && reported.length === 0) {
    add('cached-tokens-not-reported', `0 of ${ok.length} answers carry cached_tokens`);
  } else if (reported.length < ok.length) {
    const zeros = reported.some((fact) => fact.cachedTokens === 0);
    add(
      zeros ? 'cached-tokens-partly-reported' : 'mixed-cached-tokens',
      `${reported.length} of ${ok.length} answers carry cached_tokens${zeros ? '' : ', none of them 0'}`,
    );
  }
  const prompts = ok.flatMap((record) => record.prompt_tokens ?? []);
  const spread = Math.max(...prompts) - Math.min(...prompts);
  if (spread > MAX_PROMPT_SPREAD) {
    add('prompt-tokens-spread', `prompt_tokens from ${Math.min(...prompts)} to ${Math.max(...prompts)}`);
  }
  const short = ok.filter(
    (record) => record.output_tokens !== null && record.output_tokens !== asked.outputTokens,
  );
  if (short.length > 0) {
    const outputs = short.map((record) => record.output_tokens ?? 0);
    add(
      'output-tokens-differ',
      `${short.length} of ${ok.length} answers are not ${asked.outputTokens} tokens long (${Math.min(...outputs)}-${Math.max(...outputs)})`,
    );
  }
  const streams = ok.filter((record) => (record.output_tokens ?? 0) > 1);
  const whole = streams.filter(
    ({ ttft_ms, e2e_ms, chunks, output_tokens }) =>
      ttft_ms === e2e_ms && (chunks === 1 || (output_tokens ?? 0) >= MANY_TOKENS),
  );
  if (whole.length > streams.length / 2) {
    add('not-streamed', `${whole.length} of ${streams.length} answers of several tokens came in one read`);
  }
  const held = asked.firstToken === null ? null : describeHeldTokens(asked.firstToken);
  if (held !== null) add('held-first-token', held);
  const limit = asked.client === null ? null : describeClientLimit(asked.client, percentile(trial.ttft, 0.5));
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
function describeContamination(trial: TrialFacts<FactRecord>, reading: Reading): string | null {
  const { planned } = trial;
  const beyond = templateHit(planned, reading);
  const most = reading.prefixTokens + templateTokens(planned, reading);
  const tails = trial.reported.filter((fact) => fact.cachedTokens > most);
  if (tails.length > 0) {
    return `${tails.length} requests had more cached than their prefix (up to ${Math.max(...tails.map((fact) => fact.cachedTokens))} tokens, prefix ${reading.prefixTokens})`;
  }
  if (reading.start === 'primed') {
    const known = trial.primers.filter((primer) => (cachedTokensOf(primer, reading) ?? 0) > beyond);
    return known.length === 0
      ? null
      : `the primers of ${known.length} of ${trial.primers.length} prefixes hit (${known[0]?.cached_tokens} cached tokens)`;
  }
  const warm = [...firstSent(planned).values()].filter((first) => {
    if ((cachedTokensOf(first, reading) ?? 0) <= beyond) return false;
    const firstToken = (first.sent_ms ?? 0) + (first.ttft_ms ?? 0);
    return !planned.some(
      (other) =>
        other !== first &&
        other.prefix === first.prefix &&
        (other.sent_ms ?? Number.POSITIVE_INFINITY) < firstToken &&
        (cachedTokensOf(other, reading) ?? 0) <= beyond,
    );
  });
  const example = warm[0];
  if (example === undefined) return null;
  return `the first request of ${warm.length} of ${firstSent(planned).size} prefixes hit (prefix ${example.prefix}: ${example.cached_tokens} cached tokens)`;
}

function firstError(planned: readonly FactRecord[]): string {
  const error = planned.find((record) => record.error !== null)?.error;
  return error === undefined || error === null ? 'none' : `${error.code}: ${error.message}`;
}

function countOutcomes(planned: readonly FactRecord[]): string {
  const counts = new Map<string, number>();
  for (const { outcome } of planned) {
    if (outcome !== 'ok') counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  return [...counts].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
}
