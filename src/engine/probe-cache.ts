import type { JsonObject } from '../core/answer/dialect.js';
import type { RequestRecord } from '../core/answer/request-record.js';
import type { TargetFacts } from '../core/measure/run-file.js';
import type { Scenario } from '../core/scenario/settings.js';
import { createLonePrompt, createPrefix, createTail, type Prompt } from '../core/workload/prompts.js';
import { isAnswered, type SmallRequestDeps, sendSmallRequest } from './small-request.js';

/** What repeats of one prompt show of the target's cache. Keys as `kvbench doctor --json` prints them. */
export interface CacheProbe {
  /** Tokens of the prompt. */
  readonly prompt_tokens: number;
  readonly sends: number;
  /** Most tokens that a repeat found cached; 0 when none hit. */
  readonly cached_tokens: number;
  /** A worker that got the prompt twice; null when none is known to have. */
  readonly repeated_worker: string | null;
  /** Tokens per block of the cache; null when it could not be told, or was not asked for. */
  readonly block_size: number | null;
}

/** Five blocks of 128 tokens, the largest in common use. */
const PROMPT_TOKENS = 640;
/** Four of them: what is shared must end before the prompt does, for engines compute its last block again. */
const SHARED_TOKENS = 512;
/** A round-robin of 15 workers sees its first one again. */
const MOST_SENDS = 16;
/** Hits in a row after which every worker is taken to hold the prompt. */
const HITS_IN_A_ROW = 4;

/**
 * Repeats one prompt of several blocks until it hits, then, where `findsBlock`, finds the cache's block size: the point
 * at which one more shared token makes the cached tokens jump by a block is bisected. Null when cached tokens are not
 * reported, or are those of something else than the prefix cache: repeats would show nothing.
 */
export async function probeCache(
  target: Pick<TargetFacts, 'cached_tokens' | 'new_prompts_cached'> & { readonly fields: JsonObject },
  scenario: Scenario,
  deps: Omit<SmallRequestDeps, 'prompt'>,
  salt: string,
  findsBlock: boolean,
): Promise<CacheProbe | null> {
  if (target.cached_tokens === 'not-reported' || target.new_prompts_cached === true) return null;
  const send = async (prompt: Prompt): Promise<RequestRecord> =>
    (await sendSmallRequest(target.fields, scenario, { ...deps, prompt })).record;
  const seen = new Set<string>();
  let repeatedWorker: string | null = null;
  let sends = 0;
  let most = 0;
  for (let hits = 0; hits < HITS_IN_A_ROW && sends < MOST_SENDS && !deps.stop.stopping; ) {
    const record = await send(sharing(salt, SHARED_TOKENS, WHOLE));
    if (!isAnswered(record)) break;
    sends++;
    const cached = record.cached_tokens ?? 0;
    hits = cached > 0 ? hits + 1 : 0;
    most = Math.max(most, cached);
    if (record.worker === null) continue;
    if (seen.has(record.worker)) repeatedWorker = record.worker;
    seen.add(record.worker);
  }
  const cachedOf = async (shared: number): Promise<number | null> => {
    const record = await send(sharing(salt, shared, `tail-${shared}`));
    return isAnswered(record) && !deps.stop.stopping ? (record.cached_tokens ?? 0) : null;
  };
  return {
    prompt_tokens: PROMPT_TOKENS,
    sends,
    cached_tokens: most,
    repeated_worker: repeatedWorker,
    block_size: findsBlock && most > 0 ? await findBlockSize(cachedOf) : null,
  };
}

/**
 * The step by which cached tokens grow with the shared ones. Null when they do not grow as those of a cache by blocks:
 * requests that went to a worker without the prompt, or other traffic.
 */
async function findBlockSize(cachedOf: (shared: number) => Promise<number | null>): Promise<number | null> {
  let low = { shared: 0, cached: await cachedOf(0) };
  let high = { shared: SHARED_TOKENS, cached: await cachedOf(SHARED_TOKENS) };
  while (high.shared - low.shared > 1) {
    const shared = (low.shared + high.shared) >> 1;
    const middle = { shared, cached: await cachedOf(shared) };
    const isBetween =
      low.cached !== null &&
      middle.cached !== null &&
      high.cached !== null &&
      low.cached < high.cached &&
      middle.cached >= low.cached &&
      middle.cached <= high.cached;
    if (!isBetween) return null;
    if (middle.cached === low.cached) low = middle;
    else high = middle;
  }
  return (high.cached ?? 0) - (low.cached ?? 0);
}

/** The tail of the prompt that is repeated. */
const WHOLE = 'whole';

/** A prompt that has its first tokens in common with every other of this salt. */
function sharing(salt: string, shared: number, tail: string): Prompt {
  if (shared === 0) return createLonePrompt(`cache/${salt}/${tail}`, PROMPT_TOKENS);
  return {
    shared: [createPrefix(`cache/${salt}`, shared, '')],
    tail: createTail(`cache/${salt}/${tail}`, PROMPT_TOKENS - shared, tail === WHOLE ? 0 : shared),
  };
}
