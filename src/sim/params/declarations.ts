import { LEVELS, parsePool } from './pool.js';
import { badValue, choice, integer, number, onOff, positives, type Reader, text } from './readers.js';

/** The router policies of the simulated cluster. */
export const POLICIES = [
  'random',
  'random-request',
  'round-robin',
  'least-loaded',
  'power-of-two',
  'consistent-hash',
  'kv',
  'kv-approx',
  'kv-unseeded',
  'cache-aware',
] as const;

export type PolicyName = (typeof POLICIES)[number];

/** How the decode worker is chosen once the prompt's KV is at a prefill worker. */
const DECODE_POLICIES = [
  'topology-filter',
  'topology-scorer',
  'filter+scorer',
  'least-latency',
  'least-loaded',
  'random',
] as const;

/** One parameter of `sim:`: its type, parsing, checks and row in docs/simulator.md follow from this. */
export interface SimParam {
  readonly read: Reader<unknown>;
  /** As written in a target; null for a parameter whose value is null when it is not given. */
  readonly default: string | null;
  readonly unit?: string;
  readonly what: string;
  /** Where the default or the rule comes from. */
  readonly source?: string;
  /** Policies that have it; all when not given. */
  readonly policies?: readonly PolicyName[];
  /** Its value with other policies, instead of the default. */
  readonly elsewhere?: string;
  /** The kind of cluster, or of step timing, without which it may not be given. */
  readonly only?: 'aggregated' | 'disaggregated' | 'linear';
}

const KV: readonly PolicyName[] = ['kv', 'kv-unseeded', 'kv-approx'];
const EVENT_FED: readonly PolicyName[] = ['kv', 'kv-unseeded'];
const ROUTED = POLICIES.filter((name) => name !== 'random' && name !== 'random-request');

const DYNAMO_CONFIG = 'Dynamo docs, router configuration';
const VLLM_SCHEDULER = 'vLLM V1, SchedulerConfig';
const CALIBRATED = 'fitted to the published 6-worker cells at concurrency 4 and 8, see docs/reproduction.md';

/** Each parameter by the key users type. */
export const SIM_PARAMS = {
  workers: {
    read: integer(1, 100_000),
    default: '6',
    unit: 'workers',
    what: 'Engines behind the router.',
    source: 'the published experiment',
    only: 'aggregated',
  },
  'capacity-requests': {
    read: number(1, 1_000_000),
    default: '3.95',
    unit: 'prompts',
    what: "Cache of one worker, in prompts of the run's length (prefix + tail); at least 1. Rounded down to whole blocks.",
    source: 'the published experiment: 1 GiB of KV and 2,371 tokens of 112 KiB each',
  },
  'capacity-blocks': {
    read: integer(1, 100_000_000),
    default: null,
    unit: 'blocks',
    what: 'Cache of one worker, in blocks; instead of capacity-requests.',
    source: 'vLLM --num-gpu-blocks-override',
  },
  'block-size': {
    read: integer(1, 65_536),
    default: '16',
    unit: 'tokens',
    what: 'Tokens of one cache block; only full blocks are shared.',
    source: 'vLLM V1: 16 on GPU, 128 on CPU',
  },
  'max-num-seqs': {
    read: integer(1, 1_000_000),
    default: '256',
    unit: 'requests',
    what: 'Requests in the batch of one worker.',
    source: VLLM_SCHEDULER,
  },
  'max-num-batched-tokens': {
    read: integer(1, 10_000_000),
    default: '2048',
    unit: 'tokens',
    what: 'Tokens computed in one step: a longer prompt is computed in chunks.',
    source: `${VLLM_SCHEDULER} (online serving below 70 GiB of GPU memory)`,
  },
  'async-scheduling': {
    read: onOff,
    default: 'on',
    what: 'Whether a step is scheduled while the one before it runs: KV events of its blocks then leave when that one ends, not when it ends itself. (The step that a new request may wait longer is left out.)',
    source: 'vLLM: on by default since 0.14.0 (release notes)',
  },
  timing: {
    read: choice(['linear', 'mocker']),
    default: 'linear',
    what: 'Step cost: linear in the parameters below, or the polynomials of the Dynamo mocker.',
    source: 'ai-dynamo/dynamo, lib/mocker',
  },
  'step-ms': {
    read: number(0, 60_000),
    default: '6.5',
    unit: 'ms/step',
    what: 'Cost of any step, whatever is in it.',
    source: 'hardware arithmetic: 1.2 GB of weights at 256 GB/s (laptop GPU) are 4.7 ms, and launches',
    only: 'linear',
  },
  'prefill-ms-per-token': {
    read: number(0, 60_000),
    default: '0.0417',
    unit: 'ms/token',
    what: 'Cost of each prompt token that is not cached.',
    source: CALIBRATED,
    only: 'linear',
  },
  'decode-ms-per-request': {
    read: number(0, 60_000),
    default: '0.2',
    unit: 'ms/request',
    what: 'Cost of each further token of a running request.',
    source: 'assumed: reading the KV of 2,400 tokens (0.27 GB) takes about 1 ms; most of it is hidden',
    only: 'linear',
  },
  'device-speeds': {
    read: positives,
    default: null,
    unit: 'relative',
    what: 'Comma-separated speeds of the GPUs; workers on one GPU share its time. Empty: a GPU of speed 1 for each worker.',
    source: 'the published experiment: two laptop GPUs and a bigger one',
    only: 'aggregated',
  },
  'device-workers': {
    read: positives,
    default: null,
    unit: 'workers',
    what: 'Comma-separated numbers of workers on each GPU, one for each of device-speeds. Empty: worker i on GPU i modulo their number.',
    only: 'aggregated',
  },
  'server-overhead-ms': {
    read: number(0, 60_000),
    default: '13.5',
    unit: 'ms/request',
    what: 'HTTP, tokenizing and detokenizing in front of an engine.',
    source: CALIBRATED,
  },
  'router-overhead-ms': {
    read: number(0, 60_000),
    default: '5.2',
    unit: 'ms/request',
    what: 'Added by the router before it chooses. A Service has none.',
    source: CALIBRATED,
    policies: ROUTED,
    elsewhere: '0',
  },
  'event-delay-ms': {
    read: number(0, 60_000),
    default: '2',
    unit: 'ms',
    what: 'From the event until the router knows.',
    source: 'assumed: one hop over a local network',
    policies: EVENT_FED,
  },
  'overlap-score-credit': {
    read: number(0, 1_000),
    default: '1',
    unit: 'blocks/block',
    what: 'How much a cached block reduces the prefill cost.',
    source: DYNAMO_CONFIG,
    policies: KV,
  },
  'prefill-load-scale': {
    read: number(0, 1_000),
    default: '1',
    what: 'Weight of the prefill cost.',
    source: DYNAMO_CONFIG,
    policies: KV,
  },
  'decode-active-request-weight': {
    read: number(0, 1_000_000),
    default: '0',
    unit: 'blocks/request',
    what: 'Charge for each request in flight.',
    source: DYNAMO_CONFIG,
    policies: KV,
  },
  temperature: {
    read: number(0, 1_000),
    default: '0',
    what: '0: lowest cost, ties at random; else softmax over the cost scaled to its range.',
    source: DYNAMO_CONFIG,
    policies: KV,
  },
  'ttl-s': {
    read: number(0, 31_536_000),
    default: '120',
    unit: 's',
    what: "Time to live of the router's own record of what it sent.",
    source: `${DYNAMO_CONFIG}, --router-ttl-secs`,
    policies: ['kv-approx'],
  },
  'event-hash': {
    read: choice(['tokens', 'engine']),
    default: 'tokens',
    what: 'What the router compares when every worker hashes its blocks with its own seed: tokens (it hashes the token ids in the events itself: nothing is lost), or engine (the hashes as sent: nothing ever matches).',
    source: 'ai-dynamo/dynamo, lib/kv-router: matches on its own hash of the token ids',
    policies: ['kv-unseeded'],
  },
  'cache-threshold': {
    read: number(0, 1),
    default: '0.3',
    unit: 'share',
    what: 'Share of the prompt that must be in the tree for its worker to be taken.',
    source: 'sglang-router CLI, --cache-threshold',
    policies: ['cache-aware'],
  },
  'balance-abs': {
    read: integer(0, 1_000_000),
    default: '64',
    unit: 'requests',
    what: 'Loads further apart than this, and by balance-rel, are balanced first.',
    source: 'sglang-router CLI, --balance-abs-threshold',
    policies: ['cache-aware'],
  },
  'balance-rel': {
    read: number(0, 1_000_000),
    default: '1.5',
    unit: 'ratio',
    what: 'See balance-abs: the highest load must exceed this multiple of the lowest.',
    source: 'sglang-router CLI, --balance-rel-threshold',
    policies: ['cache-aware'],
  },
  'ring-points': {
    read: integer(1, 10_000),
    default: '160',
    unit: 'points/worker',
    what: 'Points of each worker on the hash ring.',
    source: 'the usual number of consistent hashing (ketama)',
    policies: ['consistent-hash'],
  },
  prefill: {
    read: parsePool,
    default: null,
    unit: 'pool',
    what: 'Prefill workers and their places, comma-separated COUNT*HOST/RACK/ZONE/REGION/NIC; with decode, instead of workers.',
    only: 'disaggregated',
  },
  decode: {
    read: parsePool,
    default: null,
    unit: 'pool',
    what: 'Decode workers, written the same way.',
    only: 'disaggregated',
  },
  'decode-policy': {
    read: choice(DECODE_POLICIES),
    default: 'least-latency',
    what: 'How the decode worker is chosen when the prompt is computed.',
    source: 'llm-d, Dynamo: topology-aware KV transfer',
    only: 'disaggregated',
  },
  'min-affinity': {
    read: choice(LEVELS),
    default: 'host',
    what: 'The furthest level that topology-filter keeps.',
    only: 'disaggregated',
  },
  'locality-weight': {
    read: number(0, 1_000),
    default: '1',
    what: 'Weight of locality in topology-scorer (host 1.00, rack 0.20, zone 0.05, region 0.02).',
    only: 'disaggregated',
  },
  'load-weight': {
    read: number(0, 1_000),
    default: '1',
    what: 'Weight of the load score in topology-scorer.',
    only: 'disaggregated',
  },
  'decode-max-num-seqs': {
    read: integer(1, 1_000_000),
    default: '16',
    unit: 'requests',
    what: 'Requests in the batch of one decode worker.',
    only: 'disaggregated',
  },
  'bytes-per-token': {
    read: number(1, 1_000_000_000),
    default: '114688',
    unit: 'bytes',
    what: 'KV of one token.',
    source: 'Qwen3-0.6B in 16 bits: 28 layers x 8 KV heads x 128 x 2 x 2 bytes',
    only: 'disaggregated',
  },
  'host-gbps': {
    read: number(0.001, 1_000_000),
    default: '400',
    unit: 'Gbit/s',
    what: 'Bandwidth within a host.',
    source: 'assumed: shared memory or NVLink',
    only: 'disaggregated',
  },
  'rdma-gbps': {
    read: number(0.001, 1_000_000),
    default: '100',
    unit: 'Gbit/s',
    what: 'Bandwidth between hosts when both have RDMA.',
    source: 'assumed: one 100 GbE or InfiniBand port',
    only: 'disaggregated',
  },
  'tcp-gbps': {
    read: number(0.001, 1_000_000),
    default: '10',
    unit: 'Gbit/s',
    what: 'Bandwidth between hosts otherwise.',
    source: 'assumed: one 10 GbE port',
    only: 'disaggregated',
  },
  'latency-ms': {
    read: latencies,
    default: '0.01,0.05,0.3,1,30',
    unit: 'ms',
    what: 'One-way delay within a host, rack, zone, region, and beyond.',
    source: 'assumed: usual values of data centres',
    only: 'disaggregated',
  },
  seed: {
    read: text,
    default: '1',
    what: "Seed of the cluster's random choices: which worker a connection gets, how ties are broken.",
  },
} satisfies Readonly<Record<string, SimParam>>;

/** One-way delays: within a host, rack, zone and region, and beyond. */
function latencies(key: string, given: string): Readonly<Record<(typeof LEVELS)[number] | 'far', number>> {
  const [host, rack, zone, region, far, ...more] = positives(key, given);
  if (host && rack && zone && region && far && more.length === 0) return { host, rack, zone, region, far };
  throw badValue(
    `${key} takes five numbers (host, rack, zone, region, beyond), got ${given.split(',').length}`,
  );
}
