import { howToReport } from '../../core/answer/dialects.js';
import type { ComparisonFindingCode } from '../../core/compare/comparison-finding-codes.js';
import type { ReasonCode } from '../../core/compare/reasons.js';
import type { FindingCode } from '../../core/measure/finding-codes.js';

/** What to do about each finding of a trial or cell, in English. */
export const FINDING_ADVICE: Readonly<Record<FindingCode, string>> = {
  contaminated:
    'the cache was warm for this seed: rerun with --salt random (same lengths, new text), or clear the caches',
  'warm-despite-salt':
    'the text is salted, so no earlier run left it in the caches: an earlier variant of this run, a mirror or a retry did, or something before the prefix is cached too; restart the servers between variants (setup and teardown of a variant)',
  'cached-tokens-from-decode':
    'a decode worker, which gets every prompt whole from its prefill worker, reported these counts: they give no hit rate, but the times stand; read the hit rate from the prefill workers or the router (--metrics-url)',
  'cached-tokens-impossible':
    'more tokens are cached than the prompt has, in too many answers to leave out: there is no hit rate, but the times stand; compare with what the server itself counts (--metrics-url)',
  'prompt-tokens-without-cached':
    'the target does not include cached tokens in prompt_tokens, so the ratio of the two means nothing; the hit rate and the times stand',
  'prompt-tokens-short':
    'the target counts fewer tokens than words were sent: it truncates prompts (raise its context length, or lower --prefix-tokens and --tail-tokens) or does not count them; truncated prompts have shorter times',
  'nothing-cached':
    'is prefix caching on, and does --block-size match the servers? Nothing can hit when the prefix is shorter than a block, prompts differ before it (a date or an id in the chat template), workers use different hash seeds, or the cache is too small for one prefix',
  'impossible-counts':
    'the cache measures leave these answers out: engines count cached tokens twice when a request is preempted and restarted',
  interrupted: 'the trial was stopped before its end: run the command again with --resume',
  'no-ok-request': "every request failed: read error.message in requests.jsonl and the target's own log",
  'missing-records':
    'requests.jsonl has lost lines of this trial: read it from the original, or run the trial again',
  'missing-trials': 'the cell has fewer kept trials than repeats: compare it only after a rerun',
  'mixed-cached-tokens':
    'some answers carry cached_tokens but none carries 0: the target may omit zeros, so there is no hit rate; the times stand; rerun with --dialect auto to probe the target',
  'not-streamed':
    'whole answers arrived at once, so TTFT would equal E2E and is not given, nor is TPOT; E2E and throughput stand: is streaming off at the target, or does a proxy buffer the stream?',
  'stream-gathered':
    'something between client and engine buffers the stream (a proxy, compression, time slices): TTFT is late by the time its burst took to fill, and gaps are those between bursts; turn buffering off, or compare E2E and throughput',
  'long-drain':
    'a few slow last answers stretched the trial, so its throughput is not that of its load: raise --requests, and find out what made them slow',
  'slots-held':
    'the target keeps answers open after their last token, so throughput is lower than slots and E2E would allow: does it end the stream late, or hold the connection?',
  'concurrency-not-reached':
    'a trial has fewer requests than slots: raise --requests to at least ten times the concurrency',
  'workers-changed':
    'the trials before and after it were not measured on the same cluster: wait until every worker is up and healthy, then run again',
  'failed-requests': 'figures cover ok requests only: a mode that loses its slow requests looks fast',
  'prompt-tokens-spread':
    'prompt_tokens should differ from the plan by one constant (the chat template): this tokenizer splits some words, so lengths are not exact',
  'output-tokens-differ':
    'answers ended before --output-tokens, and E2E and throughput depend on where; use a dialect that can set ignore_eos',
  'cached-tokens-not-reported': `there is no hit rate: have the server report cached tokens (${howToReport('cachedTokens')}); a server that omits zeros and never hit looks the same`,
  'cached-tokens-partly-reported': 'hit rate and ratio cover only the requests that reported cached_tokens',
  'held-first-token':
    "the target seems to send with Nagle's algorithm on (no TCP_NODELAY): a hit, ready within 40 ms of its response head, waits for a delayed acknowledgement, while a miss does not, so TTFT understates the gain; set TCP_NODELAY there, or turn off delayed acknowledgements for the route on a Linux client (docs/client.md)",
  'servers-disagree':
    'the servers did not count the same requests: is someone else using the cluster, is a server missing from --metrics-url, or do answers come from the side that does not cache (decode instead of prefill)? (docs/server-metrics.md)',
  'server-restarted': 'a server restarted during the trial with an empty cache: run the trial again',
  'requests-preempted':
    'a cache filled up and requests started over, so times include work done twice: lower the load, or give the engines more cache',
  'block-size-differs':
    'the ceiling and the lost hits are computed with the wrong block size: leave --block-size out to use what the servers say',
  'client-limited':
    'part of these times may be the client, not the server: lower --concurrency, raise --threads where cores are free, or keep other work off this machine; kvbench doctor --client says what it can do',
};

/** What to do about each finding of a comparison, in English. */
export const COMPARISON_ADVICE: Readonly<Record<ComparisonFindingCode, string>> = {
  'workload-differs':
    'rerun one of them with the same seed, lengths and number of requests; only --salt may differ',
  'model-differs': 'rerun one of them with the same --model',
  'output-lengths-differ':
    'E2E and throughput depend on it: use a dialect that fixes the length (ignore_eos) on both',
  'client-settings-differ': 'rerun one of them with the settings of the other',
  'clock-differs': 'simulated and real time are not comparable',
  'success-sets-differ':
    'a mode that loses its slow requests looks fast: find out why they failed, then rerun',
  'no-common-cell': 'run both over the same prefixes and loads',
  'percentile-unsupported':
    'a p99 of fewer than 100 requests is little more than the maximum: raise --requests',
  'run-incomplete': 'finish the run with --resume, or compare it knowing what is missing',
  'few-failures-differ': 'latencies cover ok requests only: a p99 can hinge on a single lost request',
  'conditions-changed': 'a difference cannot be attributed to one of them: change one condition at a time',
  'versions-differ': 'this may explain a difference: rerun both on one machine with one version',
  'reading-differs': 'hit rates may not mean the same: rerun both with --dialect auto to probe the target',
  'asked-differently':
    'fields that only ask for reports should not change the figures, but the requests were not identical',
  'cells-differ': 'only cells measured by both are compared',
  'repeats-left-out': 'only repeats kept by both are compared',
  'one-repeat': 'without repeats the noise is unknown, so there is no verdict: run with --repeats 3 or more',
  'same-run': 'give two different runs',
  'grid-only': 'give run directories for intervals, verdicts and the split of lost hits',
  'read-with-loss': 'the rest was read normally',
  'salt-differs':
    'the same workload except for its salt: same lengths and order, different text; this guards against a warm cache',
};

/** What to do about each reason for a missing or small difference, in English. */
export const REASON_ADVICE: Readonly<Record<ReasonCode, string>> = {
  'cached-tokens-not-reported': `have the server report them (${howToReport('cachedTokens')}); a server that omits zeros and never hit looks the same`,
  'cached-tokens-from-decode':
    'the decode worker of a disaggregated pair reports them, not the prefill worker that has the cache: read the hit rate from the router or the prefill workers',
  'prefix-below-block': 'only whole blocks hit: raise --prefix-tokens, or state the right --block-size',
  'everything-missed':
    'is prefix caching on? Something before the prefix may differ between requests: a chat template with a date or an id, a router that rewrites prompts, workers with different tokenizers',
  'one-worker': 'a router needs at least two workers to choose from: are the others registered and healthy?',
  'all-on-one-worker':
    'other workers exist but this mode does not use them: do they reach its index, and does it weigh load against overlap?',
  'deals-in-turn':
    'it ignores the prefix and takes turns, like a router that has fallen back: is KV-aware routing on, do the workers publish their cache events, do block size and hashes of router and workers agree?',
  'placed-by-chance':
    'it does not look at prefixes: is KV-aware routing on, do the workers publish their cache events, do block size and hashes of router and workers agree?',
  'workers-not-reported': `placement and eviction cannot be separated: have the router name workers (${howToReport('workers')})`,
  'at-the-ceiling': 'nothing is left to win: use more prefixes, or a smaller cache',
  'fits-in-one-worker':
    'each worker can hold every prefix, so only its first request misses wherever it goes: use more or longer prefixes',
  'round-robin-in-phase':
    'the order of prefixes happens to match the rotation, so each stays on few workers: change the number of prefixes or workers',
  'capacity-short':
    'the caches are too small for these prefixes under any routing: use fewer prefixes, or more cache',
  'hot-worker': "its queue costs what its cache saves: check the router's weights of load and overlap",
  'load-concentrated':
    'requests that share a prefix share a worker and its decode batch: spread them over more prefixes, or have the router weigh load more against overlap',
  'queueing-hides-gain':
    'requests wait longer than a hit saves: lower the load, or compare at a load that does not saturate the target',
  'hit-saves-little': 'the prefill of a prefix is too short to matter here: use longer prefixes',
  'median-hits-in-both':
    'TTFT p50 is that of a hit either way: what fewer misses save shows in TTFT p99, E2E and throughput',
  'median-misses-in-both':
    'TTFT p50 moves where the hit rate passes 50 %: what more hits save shows in E2E, throughput and the distribution of TTFT',
  'client-late':
    "reduce the client's lateness: fewer requests in flight, more --threads where cores are free, no other work on its machine; hit rates and workers are not affected",
  'repeats-differ': 'run with more --repeats or --requests: the change may be real but is within noise',
};
