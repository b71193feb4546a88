import { usageError } from '../../core/base/errors.js';
import { suggest } from '../../core/base/suggest.js';
import { DECODE_POLICIES, type DecodeSettings } from '../disaggregated/decode-choice.js';
import {
  checkTopology,
  LEVELS,
  type PathSettings,
  type PlacedWorker,
  parsePool,
} from '../disaggregated/topology.js';
import type { StepTiming } from '../worker/timing.js';
import { POLICIES, type PolicyName, SIM_PARAMS, type SimParam } from './declarations.js';

/** A simulated cluster, as a target names it. */
export interface SimParams {
  readonly policy: PolicyName;
  readonly workers: number;
  /** Cache of one worker. */
  readonly capacity:
    | { readonly kind: 'requests'; readonly requests: number }
    | { readonly kind: 'blocks'; readonly blocks: number };
  readonly blockSize: number;
  readonly maxNumSeqs: number;
  readonly maxBatchedTokens: number;
  readonly asyncScheduling: boolean;
  readonly timing: StepTiming;
  /** Speed of each GPU. */
  readonly deviceSpeeds: readonly number[];
  /** GPU of each worker, an index into `deviceSpeeds`. */
  readonly deviceOf: readonly number[];
  readonly serverOverheadMs: number;
  readonly routerOverheadMs: number;
  readonly eventDelayMs: number;
  readonly overlapScoreCredit: number;
  readonly prefillLoadScale: number;
  readonly decodeActiveRequestWeight: number;
  readonly temperature: number;
  readonly ttlMs: number;
  readonly eventHash: 'tokens' | 'engine';
  readonly cacheThreshold: number;
  readonly balanceAbs: number;
  readonly balanceRel: number;
  readonly ringPoints: number;
  readonly seed: string;
  /** Prefill and decode apart, each worker on a GPU of its own; null for workers that do both. */
  readonly apart: ApartParams | null;
}

/** Two pools with KV moving from one to the other. */
export interface ApartParams {
  readonly prefill: readonly PlacedWorker[];
  readonly decode: readonly PlacedWorker[];
  readonly choice: DecodeSettings;
  readonly path: PathSettings;
  readonly decodeMaxNumSeqs: number;
}

const SCHEME = 'sim:';
const DEFAULT_POLICY: PolicyName = 'kv';

/** Whether a target names the built-in cluster. */
export function isSimTarget(target: string): boolean {
  return target.startsWith(SCHEME);
}

/**
 * Parses `sim:kv?workers=6&capacity-requests=3.95`. `sim:` alone is `sim:kv`. Throws a usage error (exit code 2) for an
 * unknown policy or key, a key the policy does not have, a key given twice, or a value out of range.
 */
export function parseSimTarget(target: string): SimParams {
  if (!isSimTarget(target)) throw usageError('sim-target', `"${target}" is not a sim: target`);
  const body = target.slice(SCHEME.length);
  const mark = body.indexOf('?');
  const name = mark === -1 ? body : body.slice(0, mark);
  const query = mark === -1 ? '' : body.slice(mark + 1);
  const given = new Map<string, string>();
  for (const part of query.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const key = decode(equals === -1 ? part : part.slice(0, equals));
    if (equals === -1)
      throw usageError('sim-value', `${SCHEME} parameter "${key}" has no value`, `write ${key}=VALUE`);
    if (given.has(key)) throw usageError('sim-value', `${SCHEME} parameter "${key}" is given twice`);
    given.set(key, decode(part.slice(equals + 1)));
  }
  return buildSimParams(name === '' ? DEFAULT_POLICY : name, given);
}

/** Checks a policy name and its parameters, as text by key. Throws as {@link parseSimTarget} does. */
export function buildSimParams(policyName: string, given: ReadonlyMap<string, string>): SimParams {
  const policy = parsePolicy(policyName);
  checkKeys(policy, given);
  const text = (key: string): string => given.get(key) ?? paramOf(key).default;
  const number = (key: string): number => {
    const param = paramOf(key);
    return param.policies === null || param.policies.includes(policy) ? parseNumber(param, text(key)) : 0;
  };
  const apart = parseApart(given, text, number);
  const workers = apart === null ? number('workers') : apart.prefill.length;
  const deviceSpeeds = parseNumbers(paramOf('device-speeds'), text('device-speeds'));
  const deviceWorkers = parseNumbers(paramOf('device-workers'), text('device-workers'));
  return {
    policy,
    workers,
    capacity: parseCapacity(given, number),
    blockSize: number('block-size'),
    maxNumSeqs: number('max-num-seqs'),
    maxBatchedTokens: number('max-num-batched-tokens'),
    asyncScheduling: parseChoice(paramOf('async-scheduling'), text('async-scheduling')) === 'on',
    timing: parseTiming(given, text, number),
    deviceSpeeds: deviceSpeeds.length > 0 ? deviceSpeeds : new Array<number>(workers).fill(1),
    deviceOf: placeWorkers(workers, deviceSpeeds, deviceWorkers),
    serverOverheadMs: number('server-overhead-ms'),
    routerOverheadMs: number('router-overhead-ms'),
    eventDelayMs: number('event-delay-ms'),
    overlapScoreCredit: number('overlap-score-credit'),
    prefillLoadScale: number('prefill-load-scale'),
    decodeActiveRequestWeight: number('decode-active-request-weight'),
    temperature: number('temperature'),
    ttlMs: number('ttl-s') * 1000,
    eventHash: parseChoice(paramOf('event-hash'), text('event-hash')) === 'engine' ? 'engine' : 'tokens',
    cacheThreshold: number('cache-threshold'),
    balanceAbs: number('balance-abs'),
    balanceRel: number('balance-rel'),
    ringPoints: number('ring-points'),
    seed: text('seed'),
    apart,
  };
}

/** Blocks of one worker's cache for prompts of `promptTokens`. */
export function capacityBlocks(params: SimParams, promptTokens: number): number {
  if (params.capacity.kind === 'blocks') return params.capacity.blocks;
  return Math.floor((params.capacity.requests * promptTokens) / params.blockSize);
}

/** Throws a usage error when one request of this size does not fit a worker's cache. */
export function checkRequestFits(params: SimParams, promptTokens: number, outputTokens: number): void {
  const blocks = capacityBlocks(params, promptTokens);
  const needed = Math.ceil((promptTokens + outputTokens) / params.blockSize);
  if (needed <= blocks) return;
  throw usageError(
    'sim-capacity',
    `a worker's cache of ${blocks} blocks of ${params.blockSize} tokens can't hold one request of ${promptTokens} + ${outputTokens} tokens (${needed} blocks)`,
    params.capacity.kind === 'blocks' ? 'raise capacity-blocks' : 'raise capacity-requests',
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

function checkKeys(policy: PolicyName, given: ReadonlyMap<string, string>): void {
  for (const key of given.keys()) {
    const param = SIM_PARAMS.find((known) => known.key === key);
    if (param === undefined) {
      const keys = SIM_PARAMS.filter((known) => known.policies?.includes(policy) ?? true).map(
        (known) => known.key,
      );
      throw usageError(
        'sim-key',
        `${SCHEME}${policy} has no parameter "${key}"`,
        hintFor(key, keys, 'parameters'),
      );
    }
    if (param.policies !== null && !param.policies.includes(policy)) {
      throw usageError(
        'sim-key',
        `${SCHEME}${policy} has no parameter "${key}"; it belongs to ${param.policies.join(', ')}`,
      );
    }
  }
}

function parseCapacity(
  given: ReadonlyMap<string, string>,
  number: (key: string) => number,
): SimParams['capacity'] {
  if (!given.has('capacity-blocks')) return { kind: 'requests', requests: number('capacity-requests') };
  if (given.has('capacity-requests')) {
    throw usageError('sim-value', 'capacity-blocks and capacity-requests are both given; give one');
  }
  return { kind: 'blocks', blocks: number('capacity-blocks') };
}

/** Keys that say how workers which do both share machines. */
const TOGETHER_KEYS = ['workers', 'device-speeds', 'device-workers'];

function parseApart(
  given: ReadonlyMap<string, string>,
  text: (key: string) => string,
  number: (key: string) => number,
): ApartParams | null {
  const missing = ['prefill', 'decode'].filter((key) => !given.has(key));
  if (missing.length === 2) {
    const stray = SIM_PARAMS.find((param) => param.apart === true && given.has(param.key));
    if (stray === undefined) return null;
    throw usageError('sim-value', `${SCHEME} ${stray.key} needs the pools prefill and decode`);
  }
  if (missing.length === 1)
    throw usageError('sim-value', `${SCHEME} a pool is missing: give ${missing[0]} too`);
  const stray = TOGETHER_KEYS.find((key) => given.has(key));
  if (stray !== undefined) {
    throw usageError('sim-value', `${SCHEME} ${stray} has no meaning with the pools prefill and decode`);
  }
  const prefill = parsePool('prefill', text('prefill'));
  const decode = parsePool('decode', text('decode'));
  checkTopology([...prefill, ...decode]);
  const latencies = parseNumbers(paramOf('latency-ms'), text('latency-ms'));
  const [host, rack, zone, region, far] = latencies;
  if (
    far === undefined ||
    region === undefined ||
    zone === undefined ||
    rack === undefined ||
    host === undefined ||
    latencies.length !== 5
  ) {
    throw usageError(
      'sim-value',
      `${SCHEME} latency-ms takes five numbers (host, rack, zone, region, beyond), got ${latencies.length}`,
    );
  }
  return {
    prefill,
    decode,
    choice: {
      policy: choiceOf(DECODE_POLICIES, paramOf('decode-policy'), text('decode-policy')),
      minAffinity: choiceOf(LEVELS, paramOf('min-affinity'), text('min-affinity')),
      localityWeight: number('locality-weight'),
      loadWeight: number('load-weight'),
    },
    path: {
      bytesPerToken: number('bytes-per-token'),
      hostGbps: number('host-gbps'),
      rdmaGbps: number('rdma-gbps'),
      tcpGbps: number('tcp-gbps'),
      latencyMs: { host, rack, zone, region, far },
    },
    decodeMaxNumSeqs: number('decode-max-num-seqs'),
  };
}

/** One of a closed set, typed. */
function choiceOf<T extends string>(all: readonly T[], param: SimParam, text: string): T {
  const checked = parseChoice(param, text);
  return all.find((one) => one === checked) ?? (all[0] as T);
}

function placeWorkers(workers: number, speeds: readonly number[], perDevice: readonly number[]): number[] {
  if (perDevice.length === 0) {
    const devices = speeds.length > 0 ? speeds.length : workers;
    return Array.from({ length: workers }, (_, worker) => worker % devices);
  }
  const total = perDevice.reduce((sum, count) => sum + count, 0);
  if (perDevice.length !== speeds.length || total !== workers || !perDevice.every(Number.isInteger)) {
    throw usageError(
      'sim-value',
      `${SCHEME} device-workers must be whole numbers, one for each of device-speeds, that add up to workers=${workers}, got "${perDevice.join(',')}" for ${speeds.length} speeds`,
    );
  }
  return perDevice.flatMap((count, device) => new Array<number>(count).fill(device));
}

const LINEAR_KEYS = ['step-ms', 'prefill-ms-per-token', 'decode-ms-per-request'];

function parseTiming(
  given: ReadonlyMap<string, string>,
  text: (key: string) => string,
  number: (key: string) => number,
): StepTiming {
  if (parseChoice(paramOf('timing'), text('timing')) === 'mocker') {
    const idle = LINEAR_KEYS.find((key) => given.has(key));
    if (idle === undefined) return { kind: 'mocker' };
    throw usageError('sim-value', `${idle} has no effect with timing=mocker`, 'drop one of the two');
  }
  return {
    kind: 'linear',
    stepMs: number('step-ms'),
    prefillMsPerToken: number('prefill-ms-per-token'),
    decodeMsPerRequest: number('decode-ms-per-request'),
  };
}

function parseNumber(param: SimParam, text: string): number {
  const { value } = param;
  if (value.kind !== 'integer' && value.kind !== 'number') throw new TypeError(`${param.key} is no number`);
  const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  const max = value.max ?? Number.MAX_SAFE_INTEGER;
  const whole = value.kind === 'number' || Number.isInteger(number);
  if (whole && number >= value.min && number <= max) return number;
  const wanted = value.kind === 'integer' ? 'a whole number' : 'a number';
  throw usageError(
    'sim-value',
    `${SCHEME} ${param.key} must be ${wanted} from ${value.min} to ${max}, got "${text}"`,
  );
}

function parseNumbers(param: SimParam, text: string): number[] {
  if (param.value.kind !== 'numbers') throw new TypeError(`${param.key} is no list`);
  if (text === '') return [];
  const { above } = param.value;
  return text.split(',').map((item) => {
    const number = item.trim() === '' ? Number.NaN : Number(item);
    if (Number.isFinite(number) && number > above) return number;
    throw usageError(
      'sim-value',
      `${SCHEME} ${param.key} must be numbers above ${above}, comma between, got "${text}"`,
    );
  });
}

function parseChoice(param: SimParam, text: string): string {
  if (param.value.kind !== 'choice') throw new TypeError(`${param.key} is no choice`);
  if (param.value.of.includes(text)) return text;
  throw usageError(
    'sim-value',
    `${SCHEME} ${param.key} must be one of ${param.value.of.join(', ')}, got "${text}"`,
  );
}

function paramOf(key: string): SimParam {
  const param = SIM_PARAMS.find((known) => known.key === key);
  if (param === undefined) throw new TypeError(`no parameter ${key} is declared`);
  return param;
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
