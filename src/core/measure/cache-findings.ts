import type { FactRecord } from '../answer/request-record.js';
import type { Evidence } from '../base/evidence.js';
import { rangeOf } from '../base/statistics.js';
import { type CacheRules, cachedTokensOf, firstSent, MAX_PROMPT_SPREAD } from './cache-counts.js';
import type { Found } from './finding-codes.js';
import { trialEvidence } from './trial-evidence.js';
import type { RowFacts } from './trial-facts.js';

/** What the token counts of a trial's answers say against its cache measures. */
export function findInCounts(trial: RowFacts<FactRecord>, rules: CacheRules): readonly Found[] {
  return [...findInCachedTokens(trial, rules), ...findInReports(trial), ...findInPrompts(trial, rules)];
}

/** The first that holds of those that make each other meaningless. */
function findInCachedTokens(trial: RowFacts<FactRecord>, rules: CacheRules): readonly Found[] {
  const decode = findDecodeReport(trial, rules);
  if (decode !== null) return [{ code: 'cached-tokens-from-decode', evidence: decode }];
  const { ok, counts } = trial;
  const above = ok.filter((record) => (cachedTokensOf(record, rules) ?? 0) > counts.mostShared);
  const impossible = above.filter((record) => (cachedTokensOf(record, rules) ?? 0) > counts.promptOf(record));
  if (counts.impossible.size === 0 && impossible.length > above.length / 2) {
    return [{ code: 'cached-tokens-impossible', evidence: impossibleCounts(trial, impossible, rules) }];
  }
  const warm = findContamination(trial, above, rules);
  const few = [...counts.impossible];
  return [
    ...(warm === null
      ? []
      : [{ code: rules.salt === 'none' ? 'contaminated' : 'warm-despite-salt', evidence: warm } as const]),
    ...(few.length === 0
      ? []
      : [{ code: 'impossible-counts', evidence: impossibleCounts(trial, few, rules) } as const]),
    ...(warm === null ? findNothingCached(trial, rules) : []),
  ];
}

function impossibleCounts(
  { ok, counts }: RowFacts<FactRecord>,
  records: readonly FactRecord[],
  rules: CacheRules,
): Evidence {
  const worst = [...records].sort(
    (a, b) => (cachedTokensOf(b, rules) ?? 0) - (cachedTokensOf(a, rules) ?? 0),
  )[0];
  return trialEvidence('counts-impossible', {
    records: records.length,
    answers: ok.length,
    cached: worst === undefined ? 0 : (cachedTokensOf(worst, rules) ?? 0),
    prompt: worst === undefined ? 0 : counts.promptOf(worst),
    prefixTokens: rules.prefixTokens,
  });
}

/** This share of the answers shows what a server reports. */
const NEARLY_ALL = 0.9;
/** The router predicts hits from here on. */
const PREDICTED_HITS = 0.1;

/**
 * What shows that cached tokens are those of a decode worker, to which the whole prompt comes from its prefill worker, or
 * null. Either nearly every answer has its whole prompt cached, first requests of prefixes too, which no cache can have had;
 * or none has any, while the router predicts hits or another worker did the prefill.
 */
function findDecodeReport(trial: RowFacts<FactRecord>, rules: CacheRules): Evidence | null {
  const { ok, counts } = trial;
  const known = ok.filter(
    (record) => cachedTokensOf(record, rules) !== null && record.prompt_tokens !== null,
  );
  if (known.length === 0 || counts.prompts !== 'whole') return null;
  // New text cannot have been cached to its last block; of other text only its last token, which is always computed, tells.
  const isNew = rules.salt === 'fresh' || rules.newPromptsCached;
  const isWhole = (record: FactRecord) => {
    const [cached, prompt] = [cachedTokensOf(record, rules) ?? 0, record.prompt_tokens ?? 0];
    if (cached === 0 || cached > prompt) return false;
    return isNew ? cached >= prompt - Math.max(16, rules.blockSize) : cached === prompt;
  };
  const whole = known.filter(isWhole);
  if (whole.length >= NEARLY_ALL * known.length) {
    return trialEvidence('whole-prompts-cached', {
      answers: known.length,
      whole: whole.length,
      firsts: [...firstSent(trial.planned).values()].filter((first) => whole.includes(first)).length,
      prefixes: trial.prefixes,
      fewest: rangeOf(
        whole.map((record) => (record.prompt_tokens ?? 0) - (cachedTokensOf(record, rules) ?? 0)),
      ).least,
    });
  }
  if (trial.reported.some((fact) => fact.hit) || ok.length <= trial.prefixes) return null;
  const expected = ok.flatMap((record) => record.server?.kv_hit_rate ?? []);
  const rate = expected.reduce((sum, value) => sum + value, 0) / Math.max(1, expected.length);
  if (rate >= PREDICTED_HITS) {
    return trialEvidence('zero-but-router-hits', { answers: known.length, rate: rate.toFixed(2) });
  }
  const split = ok.filter(
    ({ prefill_worker: prefill, decode_worker: decode }) =>
      prefill !== null && decode !== null && prefill !== decode,
  );
  return split.length > ok.length / 2
    ? trialEvidence('zero-and-split', { answers: known.length, split: split.length })
    : null;
}

/**
 * What shows that the cache was warm before the trial, or null. Two signs: a request had more than its prefix cached
 * (tails are unique); or the first-sent request of a prefix hit although none that overlapped it had missed (two
 * requests sent within a millisecond may reach the server in the other order, so a miss beside it explains the hit).
 */
function findContamination(
  { planned, primers, counts }: RowFacts<FactRecord>,
  above: readonly FactRecord[],
  rules: CacheRules,
): Evidence | null {
  const beyond = counts.templateHit;
  const cachedOf = (record: FactRecord) => counts.cachedOf(record) ?? 0;
  if (above.length > counts.impossible.size) {
    return trialEvidence('tails-cached', {
      requests: above.length,
      most: rangeOf(above.map((record) => cachedTokensOf(record, rules) ?? 0)).most,
      prefixTokens: rules.prefixTokens,
    });
  }
  if (rules.start === 'primed') {
    const known = primers.filter((primer) => cachedOf(primer) > beyond);
    return known[0] === undefined
      ? null
      : trialEvidence('primers-hit', {
          hit: known.length,
          prefixes: primers.length,
          tokens: cachedOf(known[0]),
        });
  }
  const firsts = [...firstSent(planned)];
  const warm = firsts.filter(([prefix, first]) => {
    if (cachedOf(first) <= beyond) return false;
    const firstToken = (first.sent_ms ?? 0) + (first.ttft_ms ?? 0);
    return !planned.some(
      (other) =>
        other !== first &&
        other.prefix === prefix &&
        (other.sent_ms ?? Number.POSITIVE_INFINITY) < firstToken &&
        cachedOf(other) <= beyond,
    );
  });
  if (warm[0] === undefined) return null;
  const [prefix, first] = warm[0];
  return trialEvidence('first-requests-hit', {
    hit: warm.length,
    prefixes: firsts.length,
    prefix,
    tokens: cachedOf(first),
  });
}

/** Requests of a prefix that must have come before, where answers do not name the worker that may not have met it. */
const REPEATS_ANYWHERE = 4;
/** Of the answers, those that could have hit: fewer show nothing. */
const REPEATED_SHARE = 0.25;

/** Nothing hit, although prefixes came again to a worker that had them. */
function findNothingCached(trial: RowFacts<FactRecord>, rules: CacheRules): readonly Found[] {
  const { reported } = trial;
  if (reported.length === 0 || reported.some((fact) => fact.hit)) return [];
  const firstTokens = new Map<string, number[]>();
  let repeats = 0;
  const sent = reported.map(({ record }) => record).sort((a, b) => (a.sent_ms ?? 0) - (b.sent_ms ?? 0));
  for (const { prefix, worker, sent_ms, ttft_ms } of sent) {
    const key = `${prefix} ${worker ?? ''}`;
    const earlier = firstTokens.get(key) ?? [];
    firstTokens.set(key, earlier);
    const ready = earlier.filter((atMs) => atMs <= (sent_ms ?? 0)).length;
    if (ready >= (worker === null ? REPEATS_ANYWHERE : 1)) repeats++;
    // A handful tells as much as all.
    if (earlier.length < 2 * REPEATS_ANYWHERE) earlier.push((sent_ms ?? 0) + (ttft_ms ?? 0));
  }
  if (repeats < Math.max(2, REPEATED_SHARE * reported.length)) return [];
  const evidence = trialEvidence('repeats-missed', {
    requests: reported.length,
    repeats,
    perPrefix: (reported.length / Math.max(1, trial.prefixes)).toFixed(0),
    sameWorker: sent.every(({ worker }) => worker !== null),
    prefixTokens: rules.prefixTokens,
    blockSize: rules.blockSize,
  });
  return [{ code: 'nothing-cached', evidence }];
}

/** Which answers carried cached tokens at all. */
function findInReports({ ok, reported, counts }: RowFacts<FactRecord>): readonly Found[] {
  const known = reported.length + [...counts.impossible].length;
  const carried = (lacksZero: boolean) =>
    trialEvidence('cached-tokens-carried', { reported: known, answers: ok.length, lacksZero });
  if (ok.length > 0 && known === 0) return [{ code: 'cached-tokens-not-reported', evidence: carried(false) }];
  if (known >= ok.length) return [];
  const zeros = reported.some((fact) => fact.cachedTokens === 0);
  return [
    { code: zeros ? 'cached-tokens-partly-reported' : 'mixed-cached-tokens', evidence: carried(!zeros) },
  ];
}

/** prompt_tokens against the words that were sent. */
function findInPrompts(trial: RowFacts<FactRecord>, rules: CacheRules): readonly Found[] {
  const { ok, counts } = trial;
  const planned = rules.prefixTokens + rules.tailTokens;
  const told = ok.flatMap((record) =>
    record.prompt_tokens === null || counts.impossible.has(record) ? [] : [record.prompt_tokens],
  );
  if (told.length === 0) return [];
  const { least, most } = rangeOf(told);
  switch (counts.prompts) {
    case 'without-cached':
      return [
        {
          code: 'prompt-tokens-without-cached',
          evidence: trialEvidence('prompts-without-cached', { least, most, planned }),
        },
      ];
    case 'short': {
      const zero = told.filter((tokens) => tokens === 0).length;
      const short = told.filter((tokens) => tokens < planned).length;
      return [
        {
          code: 'prompt-tokens-short',
          evidence: trialEvidence('prompts-short', { least, most, planned, short, zero, answers: ok.length }),
        },
      ];
    }
    case 'whole':
      return most - least > MAX_PROMPT_SPREAD
        ? [{ code: 'prompt-tokens-spread', evidence: trialEvidence('prompt-tokens', { least, most }) }]
        : [];
  }
}
