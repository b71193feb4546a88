import type { FactRecord } from '../answer/request-record.js';
import { rangeOf } from '../base/statistics.js';

/** How the cache fields of a run's records are to be read; from the target's probe and the scenario, kept in run.json. */
export interface CacheRules {
  /** The target leaves cached_tokens out when it is 0 (seen by the probe): absent counts as 0. */
  readonly absentCachedIsZero: boolean;
  readonly prefixTokens: number;
  readonly tailTokens: number;
  /** Tokens in a cache block: only whole blocks can hit. */
  readonly blockSize: number;
  /** Primed trials have no unavoidable first miss. */
  readonly start: 'cold' | 'primed';
  /** `drawn`: by `--salt random` for this run; `fresh`: and no earlier variant of the run sent the same text. */
  readonly salt: 'fresh' | 'drawn' | 'none';
  /** The probe's prompt, which no cache can have held, came back as cached whole. */
  readonly newPromptsCached: boolean;
}

/** What the token counts of one trial's answers are worth, held against the plan. */
export interface CacheCounts {
  /**
   * How prompt_tokens relates to the words planned. `whole`: words and one constant. `without-cached`: cached tokens are
   * not in it. `short`: it is below the words sent.
   */
  readonly prompts: 'whole' | 'without-cached' | 'short';
  /** Tokens that the target adds to every prompt (chat template), the least seen; 0 when unknown. */
  readonly templateTokens: number;
  /**
   * Cached tokens that say nothing of a prefix: whole blocks of a chat template (a long system text) that every prompt
   * shares. They show as the same small hit on the first request of every prefix after the trial's very first.
   */
  readonly templateHit: number;
  /** Most tokens that two prompts of one prefix can have in common. */
  readonly mostShared: number;
  /** Answers whose counts cannot be true, few enough to be left out by themselves. */
  readonly impossible: ReadonlySet<FactRecord>;
  /** Cached tokens; null when unknown, or impossible. */
  cachedOf(record: FactRecord): number | null;
  /** Tokens of a whole prompt: as reported, else as planned. */
  promptOf(record: FactRecord): number;
}

/** More than a few tokens of difference between prompts that should be equally long. */
export const MAX_PROMPT_SPREAD = 4;
/** Up to this share of a trial's answers are left out one by one; more of them say something of the trial. */
const FEW_SHARE = 0.05;

/** Reads the counts of one trial; `planned` are its measured requests. */
export function readCacheCounts(planned: readonly FactRecord[], rules: CacheRules): CacheCounts {
  const words = rules.prefixTokens + rules.tailTokens;
  const isShort = ({ prompt_tokens: tokens }: FactRecord) =>
    tokens !== null && tokens < words - MAX_PROMPT_SPREAD;
  const counted = planned.filter((record) => record.prompt_tokens !== null && record.outcome === 'ok');
  const short = counted.filter(isShort);
  const withoutCached = leavesCachedOut(counted, short, words, rules);
  const prompts = withoutCached
    ? 'without-cached'
    : short.length > FEW_SHARE * counted.length
      ? 'short'
      : 'whole';
  const promptOf = (record: FactRecord) =>
    (record.prompt_tokens ?? words) + (withoutCached ? (cachedTokensOf(record, rules) ?? 0) : 0);
  const beyond = counted.flatMap((record) =>
    withoutCached || !isShort(record) ? [promptOf(record) - words] : [],
  );
  const templateTokens = Math.max(0, beyond.length === 0 ? 0 : rangeOf(beyond).least);
  // Two tails may begin with the same token, for a word is not always one; how long a short prompt's template is nobody knows.
  const mostShared = prompts === 'short' ? words - 1 : rules.prefixTokens + templateTokens + 1;
  const wrong = planned.filter(
    (record) =>
      record.outcome === 'ok' &&
      ((cachedTokensOf(record, rules) ?? 0) > mostShared || (prompts === 'whole' && isShort(record))),
  );
  const reported = planned.filter((record) => cachedTokensOf(record, rules) !== null).length;
  const impossible = new Set(wrong.length <= FEW_SHARE * reported ? wrong : []);
  const cachedOf = (record: FactRecord) => (impossible.has(record) ? null : cachedTokensOf(record, rules));
  const most = prompts === 'short' ? rules.prefixTokens / 2 : templateTokens;
  return {
    prompts,
    templateTokens,
    templateHit: templateHit(planned, cachedOf, most, rules),
    mostShared,
    impossible,
    cachedOf,
    promptOf,
  };
}

/** Cached tokens of a record, or null when they are unknown. Absent is 0 only where a probe of the target showed so. */
export function cachedTokensOf(
  record: FactRecord,
  rules: Pick<CacheRules, 'absentCachedIsZero'>,
): number | null {
  return record.cached_tokens ?? (rules.absentCachedIsZero && record.outcome === 'ok' ? 0 : null);
}

/** The first-sent request of each prefix. A tie goes to the plan's order. */
export function firstSent<R extends FactRecord>(planned: readonly R[]): Map<number, R> {
  const first = new Map<number, R>();
  for (const record of planned) {
    if (record.prefix === null || record.sent_ms === null) continue;
    const known = first.get(record.prefix);
    if (known === undefined || record.sent_ms < (known.sent_ms ?? 0)) first.set(record.prefix, record);
  }
  return first;
}

/** Whether prompt and cached tokens together are what was sent, where prompt_tokens alone is less. */
function leavesCachedOut(
  counted: readonly FactRecord[],
  short: readonly FactRecord[],
  words: number,
  rules: CacheRules,
): boolean {
  const known = counted.filter((record) => cachedTokensOf(record, rules) !== null);
  if (short.length === 0 || !short.every((record) => (cachedTokensOf(record, rules) ?? 0) > 0)) return false;
  const { least, most } = rangeOf(
    known.map((record) => (record.prompt_tokens ?? 0) + (cachedTokensOf(record, rules) ?? 0)),
  );
  return least >= words - MAX_PROMPT_SPREAD && most - least <= MAX_PROMPT_SPREAD;
}

function templateHit(
  planned: readonly FactRecord[],
  cachedOf: (record: FactRecord) => number | null,
  template: number,
  rules: CacheRules,
): number {
  // Two prefixes may begin with the same word.
  const shared = template + 1;
  if (shared < rules.blockSize) return 0;
  const firsts = [...firstSent(planned).values()]
    .sort((a, b) => (a.sent_ms ?? 0) - (b.sent_ms ?? 0))
    .slice(1)
    .map(cachedOf)
    .filter((cached) => cached !== null);
  const { most } = rangeOf([0, ...firsts]);
  return most <= shared && most < rules.prefixTokens / 2 ? most : 0;
}
