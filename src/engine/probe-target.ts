import type { Dialect } from '../core/answer/request-body.js';
import type { RequestRecord } from '../core/answer/request-record.js';
import type { TargetFacts } from '../core/measure/run-file.js';
import type { Scenario } from '../core/scenario/settings.js';
import type { Prompt } from '../core/workload/prompts.js';
import type { Clock, StopSignal, Transport } from './ports.js';
import { sendRequest } from './send-request.js';
import { unreachable } from './wait-ready.js';

export type ProbeResult = Pick<TargetFacts, 'dialect' | 'cached_tokens' | 'probe'> & {
  readonly body: Dialect;
  /** The first answer: shows what else the target reports. */
  readonly sample: RequestRecord;
};

export interface ProbeDeps {
  readonly clock: Clock;
  readonly stop: StopSignal;
  /** A transport that sends this body; the probe closes it. */
  readonly connect: (body: Dialect) => Transport;
  /** A short prompt no cache has seen, the same at each call. */
  readonly prompt: Prompt;
}

/** What each dialect asks for beyond the OpenAI API. Tried in this order by `auto`: the most telling first. */
const DIALECTS = [
  { name: 'dynamo', body: { ignoreEos: true, nvext: true, streamOptions: true } },
  { name: 'vllm', body: { ignoreEos: true, nvext: false, streamOptions: true } },
  { name: 'openai', body: { ignoreEos: false, nvext: false, streamOptions: true } },
] as const satisfies readonly { readonly name: string; readonly body: Dialect }[];

type NamedDialect = (typeof DIALECTS)[number];

/** Sends of one prompt before giving up on seeing a hit: a round-robin of 15 workers sees its first worker again. */
const MOST_SENDS = 16;

/**
 * Finds out with a few tiny requests what the target accepts and how it reports cached tokens. The same prompt goes out
 * until a repeat hits: a first answer without cached_tokens and a later one with shows that zeros are left out.
 *
 * @throws KvbenchError (exit code 3) when the target answers none of the dialects; the message holds its own words.
 */
export async function probeTarget(scenario: Scenario, deps: ProbeDeps): Promise<ProbeResult> {
  const lines: string[] = [];
  const { dialect, first } = await chooseDialect(scenario, deps, lines);
  const cachedTokens = await probeCachedTokens(dialect, first, scenario, deps, lines);
  return {
    dialect: dialect.name,
    body: dialect.body,
    cached_tokens: cachedTokens,
    probe: lines,
    sample: first,
  };
}

async function chooseDialect(
  scenario: Scenario,
  deps: ProbeDeps,
  lines: string[],
): Promise<{ readonly dialect: NamedDialect; readonly first: RequestRecord }> {
  const asked = DIALECTS.filter(({ name }) => scenario.dialect === 'auto' || scenario.dialect === name);
  let refusal = '';
  for (const dialect of asked) {
    const answer = await sendProbe(dialect.body, scenario, deps);
    if (answer.outcome === 'ok' || answer.outcome === 'empty') {
      const understood = dialect.name !== 'dynamo' || answer.worker !== null || answer.server !== null;
      lines.push(`${dialect.name}: accepted${understood ? '' : ', but no worker or timing came back'}`);
      // A target that takes nvext and gives nothing back ignores it: what it does with ignore_eos stands as well.
      const settled = understood || scenario.dialect !== 'auto' ? dialect : (DIALECTS[1] as NamedDialect);
      return { dialect: settled, first: answer };
    }
    refusal = `${answer.status === null ? answer.outcome : `HTTP ${answer.status}`}: ${answer.error?.message ?? ''}`;
    lines.push(`${dialect.name}: ${refusal}`);
    const fieldsMayBeWhy = answer.outcome === 'http_error' && [400, 422].includes(answer.status ?? 0);
    if (!fieldsMayBeWhy) break;
  }
  throw unreachable(
    'probe-failed',
    `${scenario.url} does not answer a small request (${refusal})`,
    scenario.dialect === 'auto'
      ? 'check --model, --header and --api-key-env, and try the same request with curl'
      : 'check --model, --header and --api-key-env, or use --dialect auto',
  );
}

async function probeCachedTokens(
  dialect: NamedDialect,
  first: RequestRecord,
  scenario: Scenario,
  deps: ProbeDeps,
  lines: string[],
): Promise<TargetFacts['cached_tokens']> {
  const seen: (number | null)[] = [first.cached_tokens];
  while (seen.length < MOST_SENDS && !deps.stop.stopping) {
    const answer = await sendProbe(dialect.body, scenario, deps);
    seen.push(answer.cached_tokens);
    if (answer.cached_tokens !== null) break;
  }
  lines.push(
    `one prompt ${seen.length} times, cached_tokens: ${seen.map((value) => value ?? 'absent').join(', ')}`,
  );
  if (seen.every((value) => value === null)) return 'not-reported';
  return seen[0] === null && (seen.at(-1) ?? 0) > 0 ? 'omits-zero' : 'reported';
}

async function sendProbe(body: Dialect, scenario: Scenario, deps: ProbeDeps): Promise<RequestRecord> {
  const transport = deps.connect(body);
  const originMs = deps.clock.now();
  const context = { ...deps, transport, timeoutMs: scenario.timeout, originMs, measured: null };
  try {
    return await new Promise((resolve) => {
      sendRequest(context, PROBE_META, { prompt: deps.prompt, outputTokens: 2 }, originMs, resolve);
    });
  } finally {
    await transport.close();
  }
}

const PROBE_META = {
  trial: 'probe',
  variant: 'probe',
  prefixes: 1,
  concurrency: 1,
  rate: null,
  repeat: 1,
  seq: 0,
  prefix: 0,
  phase: 'warmup',
} as const;
