import { STATED_FIELDS } from './experiment-fields.js';
import { requestGroupList } from './group-reader.js';
import type { RequestGroup } from './request-groups.js';
import {
  bodyFields,
  booleanFlag,
  durationMs,
  nameLabel,
  nonEmptyText,
  oneOf,
  pathText,
  type Reader,
  rateList,
  textFields,
  textList,
  wholeNumber,
  wholeNumberOr,
  wholeNumbers,
} from './setting-readers.js';
import { isMetricsUrl } from './target-url.js';
import { variantList } from './variant-reader.js';

/** One setting of a scenario: declared here once; flags, scenario keys, help and run.json follow from it. */
export interface Setting<T, Initial extends T | null = T | null> {
  readonly read: Reader<T>;
  /** The default when neither flag nor file sets it; null means "none". */
  readonly initial: Initial;
  /** Shown in help as the flag's argument; empty for a switch. */
  readonly argument: string;
  /** One line of help. */
  readonly help: string;
  /** Heading in help; `file` is for what only a scenario file can say. */
  readonly family: 'target' | 'grid' | 'run' | 'file';
}

function setting<T, Initial extends T | null>(
  family: Setting<T>['family'],
  argument: string,
  help: string,
  read: Reader<T>,
  initial: Initial,
): Setting<T, Initial> {
  return { family, argument, help, read, initial };
}

/** Keys are those of {@link Scenario}; in files and flags they are written with dashes (`prefix-tokens`). */
export const SETTINGS = {
  url: setting(
    'target',
    'URL',
    'base URL, or sim:POLICY for the simulated cluster',
    nonEmptyText('a URL or sim:POLICY'),
    null,
  ),
  variant: setting(
    'target',
    'NAME',
    'label for this router mode: baseline, round-robin, kv',
    nameLabel(),
    null,
  ),
  model: setting(
    'target',
    'ID',
    'model to request (default: the one the target lists)',
    nonEmptyText('a model id'),
    null,
  ),
  endpoint: setting('target', 'KIND', 'chat or completions', oneOf('chat', 'completions'), 'chat'),
  dialect: setting(
    'target',
    'NAME',
    'openai, vllm, dynamo, bare, or auto to find out',
    oneOf('auto', 'openai', 'vllm', 'dynamo', 'bare'),
    'auto',
  ),
  header: setting(
    'target',
    'K: V',
    "header to send; repeat for more; {prefix}, {seq}, {group} in it are the request's, for session affinity",
    textList("headers of the form 'Name: value'", (item) => /^[^\s:]+\s*:\s*[^\r\n]*$/.test(item)),
    [],
  ),
  body: setting(
    'target',
    'JSON',
    'fields merged into every request; one set to null is left out: {"temperature": null}',
    bodyFields(),
    {},
  ),
  workerHeader: setting(
    'target',
    'NAME',
    'response header that names the worker, before the known ones; repeat for more',
    textList('names of response headers, such as x-worker-id', (item) => /^[\w!#$%&'*+.^`|~-]+$/.test(item)),
    [],
  ),
  workerJson: setting(
    'target',
    'PATH',
    "where an answer's JSON names the worker: keys with dots between, such as meta.worker_id",
    pathText('keys with dots between, such as meta.worker_id'),
    null,
  ),
  apiKeyEnv: setting(
    'target',
    'VAR',
    'environment variable that holds the API key',
    nonEmptyText('a variable name'),
    null,
  ),
  connections: setting(
    'target',
    'HOW',
    'reuse (keep-alive) or per-request',
    oneOf('reuse', 'per-request'),
    'reuse',
  ),
  timeout: setting(
    'target',
    'TIME',
    'time limit of a whole request, from when it was due',
    durationMs(),
    120_000,
  ),
  connectTimeout: setting('target', 'TIME', 'time limit to open a connection', durationMs(), 10_000),
  firstTokenTimeout: setting(
    'target',
    'TIME',
    'time limit from sending a request to its first token',
    durationMs(),
    null,
  ),
  idleTimeout: setting('target', 'TIME', 'time limit from one token to the next', durationMs(), null),
  readyTimeout: setting(
    'target',
    'TIME',
    'how long to wait for the model to be listed',
    durationMs(),
    60_000,
  ),
  metricsUrl: setting(
    'target',
    '[NAME=]URL',
    'metrics page of a server behind the target; repeat for more; auto: those it leads to, off: none',
    textList('URLs, each perhaps with NAME= before it, auto or off', isMetricsUrl),
    ['auto'],
  ),
  skipReady: setting('target', '', 'do not wait for /v1/models (needs --model)', booleanFlag(), false),

  prefixes: setting('grid', 'LIST', 'numbers of prefix groups', wholeNumbers(1), [2, 7, 12, 24]),
  concurrency: setting('grid', 'LIST', 'requests kept in flight (closed load)', wholeNumbers(1), [4, 8, 16]),
  rate: setting(
    'grid',
    'LIST',
    'requests per second (open load), instead of or besides --concurrency',
    rateList(),
    [],
  ),
  requests: setting('grid', 'N', 'requests in each trial', wholeNumber(1), 240),
  repeats: setting('grid', 'N', 'trials per cell; results are their median', wholeNumber(1, 1000), 3),
  seed: setting('grid', 'TEXT', 'determines every prompt and every order', nonEmptyText('a seed'), '1'),
  salt: setting(
    'grid',
    'TEXT',
    'makes prompts new to every cache; random draws one',
    nonEmptyText('a salt'),
    '',
  ),
  prefixTokens: setting('grid', 'N', 'tokens shared by a prefix group', wholeNumber(1), 2000),
  tailTokens: setting('grid', 'N', 'unique tokens per request', wholeNumber(1), 300),
  outputTokens: setting('grid', 'N', 'tokens to generate per request', wholeNumber(1), 64),
  blockSize: setting(
    'grid',
    'N',
    "tokens in a block of the target's cache; auto: what its metrics say, else 16",
    wholeNumberOr('auto', 1, 65_536),
    'auto',
  ),
  start: setting(
    'grid',
    'HOW',
    'cold, or primed: each prefix is sent once first',
    oneOf('cold', 'primed'),
    'cold',
  ),
  warmup: setting('grid', 'N', 'unrelated requests before each trial', wholeNumber(0), 0),

  record: setting(
    'file',
    'FIELDS',
    'what else is known about the experiment: image, router commit, GPU, …',
    textFields(STATED_FIELDS),
    {},
  ),

  variants: setting(
    'file',
    'LIST',
    'several variants in one run: variant, url, setup, teardown of each',
    variantList(),
    [],
  ),

  groups: setting(
    'file',
    'LIST',
    'kinds of request in one trial: group, share, prefix-tokens, tail-tokens, output-tokens of each',
    requestGroupList(),
    [],
  ),
  whole: setting('grid', '', 'with groups: add combined rows', booleanFlag(), false),

  threads: setting(
    'run',
    'N',
    'sending threads; auto adds more when one falls behind',
    wholeNumberOr('auto', 1, 64),
    'auto',
  ),
  maxFailed: setting('run', 'N', 'failed requests tolerated in the whole run', wholeNumber(0), 0),
} as const satisfies Readonly<Record<string, Setting<unknown>>>;

export type SettingKey = keyof typeof SETTINGS;

/** What the reader of a setting gives. */
type ValueOf<K extends SettingKey> = (typeof SETTINGS)[K]['read'] extends Reader<infer T> ? T : never;

/** A scenario before defaults, from a file or from flags. */
export type PartialScenario = { readonly [K in SettingKey]?: ValueOf<K> };

/**
 * A scenario with every default filled in; run.json holds it as it is. Times in ms; null only where a setting says so;
 * `salt` is empty for none.
 */
export type Scenario = Omit<
  { readonly [K in SettingKey]: ValueOf<K> | (typeof SETTINGS)[K]['initial'] },
  'url' | 'variant' | 'variants' | 'groups'
> & {
  readonly url: string;
  readonly variant: string;
  /** Empty for a run of one variant. */
  readonly variants: readonly VariantSpec[];
  /** Empty for requests of one kind. */
  readonly groups: readonly RequestGroup[];
};

/** One router mode of a run that measures several. */
export interface VariantSpec {
  readonly variant: string;
  readonly url: string;
  /** Shell command that gets the mode ready, such as starting a router; null for none. */
  readonly setup: string | null;
  /** Shell command that ends it; null for none: then whatever `setup` left running is ended. */
  readonly teardown: string | null;
}

/** `prefixTokens` → `prefix-tokens`. */
export function settingName(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
