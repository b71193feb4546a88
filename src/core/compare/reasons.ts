/** Why two variants do not differ, or not more: what the records can show, and what to do about it. */
export const REASONS = {
  'cached-tokens-not-reported':
    'have the server report them (vLLM: --enable-prompt-tokens-details; sglang: --enable-cache-report)',
  'cached-tokens-from-decode':
    'the decode worker of a disaggregated pair reports them, not the prefill worker that has the cache: read the hit rate from the router or the prefill workers',
  'prefix-below-block': 'only whole blocks hit: raise --prefix-tokens, or state the right --block-size',
  'everything-missed':
    'is prefix caching on? Something before the prefix may differ between requests: a chat template with a date or an id, a router that rewrites prompts, workers with another tokenizer',
  'one-worker': 'a router needs two to choose from: are the others registered and healthy?',
  'workers-not-reported':
    'placement cannot be told from eviction: have the router report workers (Dynamo: nvext.extra_fields worker_id)',
  'at-the-ceiling': 'nothing is left to win: use more prefixes, or a smaller cache',
  'fits-in-one-worker':
    'each worker can hold every prefix, so only its first request misses wherever it goes: use more or longer prefixes',
  'round-robin-in-phase':
    'the order of prefixes keeps step with the rotation, so each stays on few workers by accident: change the number of prefixes or workers',
  'capacity-short':
    'the caches are too small for these prefixes, whoever routes: fewer prefixes, or more cache',
  'hot-worker': 'its queue eats what its cache saves: look at the weights of load and overlap in the router',
  'load-concentrated':
    'requests that share a prefix share a worker and its decode batch: spread them over more prefixes, or have the router weigh load more against overlap',
  'queueing-hides-gain':
    'requests wait longer than a hit saves: lower the load, or compare at the load where the target is not saturated',
  'hit-saves-little': 'the prefill of a prefix is too short to matter here: use longer prefixes',
  'median-hits-in-both':
    'TTFT p50 is that of a hit either way: what fewer misses save shows in TTFT p99, E2E and throughput',
  'median-misses-in-both':
    'TTFT p50 moves where the hit rate passes 50 %: what more hits save shows in E2E, throughput and the distribution of TTFT',
  'repeats-differ': 'run with more --repeats or --requests: the change may be real but is not shown',
} as const;

export type ReasonCode = keyof typeof REASONS;
