import { usageError } from '../../core/base/errors.js';
import { suggest } from '../../core/base/suggest.js';
import { POLICIES, type PolicyName, SIM_PARAMS, type SimParam } from './declarations.js';
import { checkTopology, type PlacedWorker } from './pool.js';
import { badValue, type Reader } from './readers.js';

type Declared = typeof SIM_PARAMS;

type CamelCase<S> = S extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : S;

type ValueOf<P> = P extends { readonly read: Reader<infer T>; readonly default: infer D }
  ? D extends null
    ? T | null
    : T
  : never;

/** A simulated cluster, as a target names it: every declared parameter, its key in camel case. */
export type SimParams = { readonly policy: PolicyName } & {
  readonly [K in keyof Declared as CamelCase<K>]: ValueOf<Declared[K]>;
};

/** A cluster whose prefill and decode workers are two pools. Its `workers` are the prefill workers. */
export type DisaggregatedParams = SimParams & {
  readonly prefill: readonly PlacedWorker[];
  readonly decode: readonly PlacedWorker[];
};

const SCHEME = 'sim:';
const DEFAULT_POLICY: PolicyName = 'kv';
const DECLARED: readonly (readonly [string, SimParam])[] = Object.entries(SIM_PARAMS);

/** Whether a target names the built-in cluster. */
export function isSimTarget(target: string): boolean {
  return target.startsWith(SCHEME);
}

/** Whether prefill and decode run on pools of their own. */
export function isDisaggregated(params: SimParams): params is DisaggregatedParams {
  return params.prefill !== null && params.decode !== null;
}

/**
 * Parses `sim:kv?workers=6&capacity-requests=3.95`. `sim:` alone is `sim:kv`. Throws a usage error (exit code 2) for an
 * unknown policy or key, a key the policy does not have, a key given twice, or a value out of range.
 */
export function parseSimTarget(target: string): SimParams {
  if (!isSimTarget(target)) throw usageError('sim-target', `"${target}" is not a sim: target`);
  const [name = '', ...query] = target.slice(SCHEME.length).split('?');
  const given = new Map<string, string>();
  for (const part of query.join('?').split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const key = decode(equals === -1 ? part : part.slice(0, equals));
    if (equals === -1) throw badValue(`parameter "${key}" has no value`, `write ${key}=VALUE`);
    if (given.has(key)) throw badValue(`parameter "${key}" is given twice`);
    given.set(key, decode(part.slice(equals + 1)));
  }
  return buildSimParams(name === '' ? DEFAULT_POLICY : name, given);
}

/** Checks a policy name and its parameters, as text by key. Throws as {@link parseSimTarget} does. */
export function buildSimParams(policyName: string, given: ReadonlyMap<string, string>): SimParams {
  const policy = parsePolicy(policyName);
  for (const key of given.keys()) checkKey(policy, key);
  checkCombination(given);
  const values = DECLARED.map(([key, param]) => {
    const initial = hasPolicy(param, policy) ? param.default : (param.elsewhere ?? param.default);
    const text = given.get(key) ?? initial;
    return [camelCase(key), text === null ? null : param.read(key, text)];
  });
  // Sound because SimParams is derived from the same declarations.
  const params = { policy, ...Object.fromEntries(values) } as SimParams;
  if (!isDisaggregated(params)) {
    checkDevices(params);
    return params;
  }
  checkTopology([...params.prefill, ...params.decode]);
  return { ...params, workers: params.prefill.length };
}

/** Blocks of one worker's cache for prompts of `promptTokens`. */
export function capacityBlocks(params: SimParams, promptTokens: number): number {
  return params.capacityBlocks ?? Math.floor((params.capacityRequests * promptTokens) / params.blockSize);
}

/** Throws a usage error when one request of this size does not fit a worker's cache. */
export function checkRequestFits(params: SimParams, promptTokens: number, outputTokens: number): void {
  const blocks = capacityBlocks(params, promptTokens);
  const needed = Math.ceil((promptTokens + outputTokens) / params.blockSize);
  if (needed <= blocks) return;
  throw usageError(
    'sim-capacity',
    `a worker's cache of ${blocks} blocks of ${params.blockSize} tokens can't hold one request of ${promptTokens} + ${outputTokens} tokens (${needed} blocks)`,
    params.capacityBlocks === null ? 'raise capacity-requests' : 'raise capacity-blocks',
  );
}

function parsePolicy(name: string): PolicyName {
  const policy = POLICIES.find((known) => known === name);
  if (policy !== undefined) return policy;
  throw usageError(
    'sim-policy',
    `there is no simulated policy "${name}"`,
    hintFor(name, POLICIES, 'policies'),
  );
}

function hasPolicy(param: SimParam, policy: PolicyName): boolean {
  return param.policies?.includes(policy) ?? true;
}

function checkKey(policy: PolicyName, key: string): void {
  const param = DECLARED.find(([known]) => known === key)?.[1];
  if (param !== undefined && hasPolicy(param, policy)) return;
  const message = `${SCHEME}${policy} has no parameter "${key}"`;
  if (param !== undefined) {
    throw usageError('sim-key', `${message}; it belongs to ${param.policies?.join(', ')}`);
  }
  const keys = DECLARED.filter(([, known]) => hasPolicy(known, policy)).map(([known]) => known);
  throw usageError('sim-key', message, hintFor(key, keys, 'parameters'));
}

function checkCombination(given: ReadonlyMap<string, string>): void {
  const givenOf = (only: SimParam['only']): string | undefined =>
    DECLARED.find(([key, param]) => param.only === only && given.has(key))?.[0];
  const missing = ['prefill', 'decode'].filter((pool) => !given.has(pool));
  if (missing.length === 1) throw badValue(`a pool is missing: give ${missing[0]} too`);
  const disaggregated = missing.length === 0;
  const stray = givenOf(disaggregated ? 'aggregated' : 'disaggregated');
  if (stray !== undefined) {
    const why = disaggregated ? 'has no meaning with' : 'needs';
    throw badValue(`${stray} ${why} the pools prefill and decode`);
  }
  const idle = given.get('timing') === 'mocker' ? givenOf('linear') : undefined;
  if (idle !== undefined) throw badValue(`${idle} has no effect with timing=mocker`, 'drop one of the two');
  if (given.has('capacity-blocks') && given.has('capacity-requests')) {
    throw badValue('capacity-blocks and capacity-requests are both given; give one');
  }
}

function checkDevices({ workers, deviceSpeeds, deviceWorkers }: SimParams): void {
  if (deviceWorkers === null) return;
  const total = deviceWorkers.reduce((sum, count) => sum + count, 0);
  const speeds = deviceSpeeds?.length ?? 0;
  if (deviceWorkers.length === speeds && total === workers && deviceWorkers.every(Number.isInteger)) return;
  throw badValue(
    `device-workers must be whole numbers, one for each of device-speeds, that add up to workers=${workers}, got "${deviceWorkers.join(',')}" for ${speeds} speeds`,
  );
}

function camelCase(key: string): string {
  return key.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function hintFor(got: string, known: readonly string[], title: string): string {
  const near = suggest(got, known);
  return near === null ? `${title}: ${known.join(', ')}` : `did you mean "${near}"?`;
}
