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

/** One parameter of `sim:`, declared once: parsing, help and docs/simulator.md follow from it. */
export interface SimParam {
  readonly key: string;
  readonly unit: string;
  /** As written in a target; empty for none. */
  readonly default: string;
  readonly what: string;
  /** Where the default or the rule comes from. */
  readonly source: string;
  readonly value:
    | { readonly kind: 'integer'; readonly min: number; readonly max?: number }
    | { readonly kind: 'number'; readonly min: number; readonly max?: number }
    | { readonly kind: 'numbers'; readonly above: number }
    | { readonly kind: 'choice'; readonly of: readonly string[] }
    | { readonly kind: 'text' };
  /** Policies that have it; null for all. */
  readonly policies: readonly PolicyName[] | null;
}

const KV: readonly PolicyName[] = ['kv', 'kv-unseeded', 'kv-approx'];
const EVENT_FED: readonly PolicyName[] = ['kv', 'kv-unseeded'];
const ROUTED: readonly PolicyName[] = POLICIES.filter(
  (name) => name !== 'random' && name !== 'random-request',
);

const DYNAMO_CONFIG = 'Dynamo docs, router configuration';
const VLLM_SCHEDULER = 'vLLM V1, SchedulerConfig';
const CALIBRATED = 'fitted to the published 6-worker cells at concurrency 4 and 8, see docs/reproduction.md';

export const SIM_PARAMS: readonly SimParam[] = [
  {
    key: 'workers',
    unit: 'workers',
    default: '6',
    what: 'Engines behind the router.',
    source: 'the published experiment',
    value: { kind: 'integer', min: 1, max: 100_000 },
    policies: null,
  },
  {
    key: 'capacity-requests',
    unit: 'prompts',
    default: '3.95',
    what: "Cache of one worker, in prompts of the run's length (prefix + tail); at least 1. Rounded down to whole blocks.",
    source: 'the published experiment: 1 GiB of KV and 2,371 tokens of 112 KiB each',
    value: { kind: 'number', min: 1, max: 1_000_000 },
    policies: null,
  },
  {
    key: 'capacity-blocks',
    unit: 'blocks',
    default: '',
    what: 'Cache of one worker, in blocks; instead of capacity-requests.',
    source: 'vLLM --num-gpu-blocks-override',
    value: { kind: 'integer', min: 1, max: 100_000_000 },
    policies: null,
  },
  {
    key: 'block-size',
    unit: 'tokens',
    default: '16',
    what: 'Tokens of one cache block; only full blocks are shared.',
    source: 'vLLM V1: 16 on GPU, 128 on CPU',
    value: { kind: 'integer', min: 1, max: 65_536 },
    policies: null,
  },
  {
    key: 'max-num-seqs',
    unit: 'requests',
    default: '256',
    what: 'Requests in the batch of one worker.',
    source: VLLM_SCHEDULER,
    value: { kind: 'integer', min: 1, max: 1_000_000 },
    policies: null,
  },
  {
    key: 'max-num-batched-tokens',
    unit: 'tokens',
    default: '2048',
    what: 'Tokens computed in one step: a longer prompt is computed in chunks.',
    source: `${VLLM_SCHEDULER} (online serving below 70 GiB of GPU memory)`,
    value: { kind: 'integer', min: 1, max: 10_000_000 },
    policies: null,
  },
  {
    key: 'timing',
    unit: '',
    default: 'linear',
    what: 'Step cost: linear in the parameters below, or the polynomials of the Dynamo mocker.',
    source: 'ai-dynamo/dynamo, lib/mocker',
    value: { kind: 'choice', of: ['linear', 'mocker'] },
    policies: null,
  },
  {
    key: 'step-ms',
    unit: 'ms/step',
    default: '6.5',
    what: 'Cost of any step, whatever is in it.',
    source: CALIBRATED,
    value: { kind: 'number', min: 0, max: 60_000 },
    policies: null,
  },
  {
    key: 'prefill-ms-per-token',
    unit: 'ms/token',
    default: '0.0425',
    what: 'Cost of each prompt token that is not cached.',
    source: CALIBRATED,
    value: { kind: 'number', min: 0, max: 60_000 },
    policies: null,
  },
  {
    key: 'decode-ms-per-request',
    unit: 'ms/request',
    default: '0.2',
    what: 'Cost of each further token of a running request.',
    source: CALIBRATED,
    value: { kind: 'number', min: 0, max: 60_000 },
    policies: null,
  },
  {
    key: 'device-speeds',
    unit: 'relative',
    default: '',
    what: 'Speeds of the GPUs, comma between; workers on one GPU share its time. Empty: a GPU of speed 1 for each worker.',
    source: 'the published experiment: two laptop GPUs and a bigger one',
    value: { kind: 'numbers', above: 0 },
    policies: null,
  },
  {
    key: 'device-workers',
    unit: 'workers',
    default: '',
    what: 'Workers on each GPU, comma between, as many numbers as device-speeds. Empty: worker i on GPU i modulo their number.',
    source: '',
    value: { kind: 'numbers', above: 0 },
    policies: null,
  },
  {
    key: 'server-overhead-ms',
    unit: 'ms/request',
    default: '12.5',
    what: 'HTTP, tokenizing and detokenizing in front of an engine.',
    source: CALIBRATED,
    value: { kind: 'number', min: 0, max: 60_000 },
    policies: null,
  },
  {
    key: 'router-overhead-ms',
    unit: 'ms/request',
    default: '3.5',
    what: 'Added by the router before it chooses. A Service has none.',
    source: CALIBRATED,
    value: { kind: 'number', min: 0, max: 60_000 },
    policies: ROUTED,
  },
  {
    key: 'event-delay-ms',
    unit: 'ms',
    default: '2',
    what: 'From the end of the step that changed a cache until the router knows.',
    source: 'assumed: one hop over a local network',
    value: { kind: 'number', min: 0, max: 60_000 },
    policies: EVENT_FED,
  },
  {
    key: 'overlap-score-credit',
    unit: 'blocks/block',
    default: '1',
    what: 'What a cached block takes off the prefill cost.',
    source: DYNAMO_CONFIG,
    value: { kind: 'number', min: 0, max: 1_000 },
    policies: KV,
  },
  {
    key: 'prefill-load-scale',
    unit: '',
    default: '1',
    what: 'Weight of the prefill cost.',
    source: DYNAMO_CONFIG,
    value: { kind: 'number', min: 0, max: 1_000 },
    policies: KV,
  },
  {
    key: 'decode-active-request-weight',
    unit: 'blocks/request',
    default: '0',
    what: 'Charge for each request in flight.',
    source: DYNAMO_CONFIG,
    value: { kind: 'number', min: 0, max: 1_000_000 },
    policies: KV,
  },
  {
    key: 'temperature',
    unit: '',
    default: '0',
    what: '0: lowest cost, ties at random; else softmax over the cost scaled to its range.',
    source: DYNAMO_CONFIG,
    value: { kind: 'number', min: 0, max: 1_000 },
    policies: KV,
  },
  {
    key: 'ttl-s',
    unit: 's',
    default: '120',
    what: "Time to live of the router's own record of what it sent.",
    source: `${DYNAMO_CONFIG}, --router-ttl-secs`,
    value: { kind: 'number', min: 0, max: 31_536_000 },
    policies: ['kv-approx'],
  },
  {
    key: 'event-hash',
    unit: '',
    default: 'tokens',
    what: 'What the router compares when every worker hashes its blocks with a seed of its own: tokens (it hashes the token ids in the events itself: nothing is lost), or engine (the hashes as sent: nothing ever matches).',
    source: 'ai-dynamo/dynamo, lib/kv-router: matches on its own hash of the token ids',
    value: { kind: 'choice', of: ['tokens', 'engine'] },
    policies: ['kv-unseeded'],
  },
  {
    key: 'cache-threshold',
    unit: 'share',
    default: '0.3',
    what: 'Share of the prompt that must be in the tree for its worker to be taken.',
    source: 'sglang-router CLI, --cache-threshold',
    value: { kind: 'number', min: 0, max: 1 },
    policies: ['cache-aware'],
  },
  {
    key: 'balance-abs',
    unit: 'requests',
    default: '64',
    what: 'Loads further apart than this, and by balance-rel, are balanced first.',
    source: 'sglang-router CLI, --balance-abs-threshold',
    value: { kind: 'integer', min: 0, max: 1_000_000 },
    policies: ['cache-aware'],
  },
  {
    key: 'balance-rel',
    unit: 'ratio',
    default: '1.5',
    what: 'See balance-abs: the highest load must exceed this multiple of the lowest.',
    source: 'sglang-router CLI, --balance-rel-threshold',
    value: { kind: 'number', min: 0, max: 1_000_000 },
    policies: ['cache-aware'],
  },
  {
    key: 'ring-points',
    unit: 'points/worker',
    default: '160',
    what: 'Points of each worker on the hash ring.',
    source: 'the usual number of consistent hashing (ketama)',
    value: { kind: 'integer', min: 1, max: 10_000 },
    policies: ['consistent-hash'],
  },
  {
    key: 'seed',
    unit: '',
    default: '1',
    what: "Seed of the cluster's own chance: which worker a connection gets, how ties fall.",
    source: '',
    value: { kind: 'text' },
    policies: null,
  },
];
