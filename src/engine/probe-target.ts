import type { Dialect, JsonObject } from '../core/answer/dialect.js';
import { DIALECTS, dialectLabel } from '../core/answer/dialects.js';
import type { RequestRecord } from '../core/answer/request-record.js';
import type { TargetFacts } from '../core/measure/run-file.js';
import type { Scenario } from '../core/scenario/settings.js';
import {
  isAnswered,
  probeFailed,
  refusalOf,
  type SmallAnswer,
  type SmallRequestDeps,
  sendSmallRequest,
} from './small-request.js';

export type ProbeResult = Pick<TargetFacts, 'dialect' | 'cached_tokens' | 'new_prompts_cached' | 'probe'> &
  Required<Pick<TargetFacts, 'worker_source'>> & {
    /** Body fields of every request. */
    readonly fields: JsonObject;
    /** The first answer: shows what else the target reports. */
    readonly sample: RequestRecord;
  };

/** A dialect that says how to ask. */
type AskedDialect = Dialect & { readonly requestFields: JsonObject };

/** Sends of one prompt before giving up on seeing a hit: a round-robin of 15 workers sees its first worker again. */
const MOST_SENDS = 16;
/** Answers that may mean a field unknown to the server: some call that an internal error. */
const REFUSED = [400, 422, 500, 501];

/**
 * Finds out with a few tiny requests what the target accepts and how it reports cached tokens. The same prompt goes out
 * until a repeat hits: a first answer without cached_tokens and a later one with shows that zeros are left out.
 *
 * @throws KvbenchError (exit code 3) when the target answers none of the dialects; the message holds its own words.
 */
export async function probeTarget(scenario: Scenario, deps: SmallRequestDeps): Promise<ProbeResult> {
  const lines: string[] = [];
  const { dialect, first } = await chooseDialect(scenario, deps, lines);
  const named = first.dialect;
  if (named !== null) lines.push(`workers or times are named in the way of ${dialectLabel(named)}`);
  const missing = missingSource(scenario, first.workerSource);
  if (missing !== null) lines.push(missing);
  const cachedTokens = await probeCachedTokens(dialect, first.record, scenario, deps, lines);
  return {
    dialect: dialect.name,
    fields: dialect.requestFields,
    cached_tokens: cachedTokens,
    ...(isCachedWhole(first.record) ? { new_prompts_cached: true } : {}),
    worker_source: first.workerSource,
    probe: lines,
    sample: first.record,
  };
}

async function chooseDialect(
  scenario: Scenario,
  deps: SmallRequestDeps,
  lines: string[],
): Promise<{ readonly dialect: AskedDialect; readonly first: SmallAnswer }> {
  const asked = DIALECTS.filter(isAsked).filter(
    ({ name }) => scenario.dialect === 'auto' || scenario.dialect === name,
  );
  let refusal = '';
  for (const [i, dialect] of asked.entries()) {
    const first = await sendSmallRequest(dialect.requestFields, scenario, deps);
    if (isAnswered(first.record)) {
      // A target that takes fields and gives nothing back ignores them: what it does with the others stands as well.
      const isUnderstood = dialect.readEvent === undefined || first.dialect === dialect.name;
      lines.push(`${dialect.name}: accepted${isUnderstood ? '' : ', but no worker or timing came back'}`);
      const settled = isUnderstood ? dialect : (asked[i + 1] ?? dialect);
      if (i > 0) lines.push(...refusedFields(settled));
      return { dialect: settled, first };
    }
    refusal = refusalOf(first.record);
    lines.push(`${dialect.name}: ${refusal}`);
    if (!mayRefuseFields(first.record)) break;
  }
  throw probeFailed(scenario.url, refusal, scenario.dialect !== 'auto');
}

/** Cached to its last token although it was never sent before: the count is of something else than the prefix cache. */
function isCachedWhole({ prompt_tokens: prompt, cached_tokens: cached }: RequestRecord): boolean {
  return prompt !== null && cached !== null && cached > 0 && cached >= prompt - 1;
}

/** A source of worker names that the user gave and the answer does not have. */
function missingSource({ workerHeader, workerJson }: Scenario, source: string | null): string | null {
  const given = [
    ...workerHeader.map((name) => [`--worker-header ${name}`, `header ${name.toLowerCase()}`] as const),
    ...(workerJson === null ? [] : [[`--worker-json ${workerJson}`, `body ${workerJson}`] as const]),
  ];
  if (given.length === 0 || given.some(([, asked]) => asked === source)) return null;
  const used = source === null ? 'no worker is known' : `workers are taken from ${source}`;
  return `not in the answer: ${given.map(([flag]) => flag).join(', ')}; ${used}`;
}

function isAsked(dialect: Dialect): dialect is AskedDialect {
  return dialect.requestFields !== null;
}

function mayRefuseFields({ outcome, status, error }: RequestRecord): boolean {
  return outcome === 'http_error' ? REFUSED.includes(status ?? 0) : error?.code === 'server_error';
}

/** What the target could not be asked for, beyond Dynamo's own fields. */
function refusedFields({ requestFields }: AskedDialect): string[] {
  const lost = Object.entries(WITHOUT).filter(([field]) => !(field in requestFields));
  return lost.map(([field, loss]) => `not asked: ${field}; ${loss}`);
}

const WITHOUT: Readonly<Record<string, string>> = {
  ignore_eos: 'answers may end before --output-tokens',
  stream_options: 'token counts and cached tokens only if sent unasked',
  temperature: 'answers to one prompt may differ',
};

async function probeCachedTokens(
  dialect: AskedDialect,
  first: RequestRecord,
  scenario: Scenario,
  deps: SmallRequestDeps,
  lines: string[],
): Promise<TargetFacts['cached_tokens']> {
  const seen: (number | null)[] = [first.cached_tokens];
  while (seen.length < MOST_SENDS && !deps.stop.stopping) {
    const { record } = await sendSmallRequest(dialect.requestFields, scenario, deps);
    seen.push(record.cached_tokens);
    if (record.cached_tokens !== null) break;
  }
  lines.push(
    `one prompt ${seen.length} times, cached_tokens: ${seen.map((value) => value ?? 'absent').join(', ')}`,
  );
  if (seen.every((value) => value === null)) return 'not-reported';
  return seen[0] === null && (seen.at(-1) ?? 0) > 0 ? 'omits-zero' : 'reported';
}
