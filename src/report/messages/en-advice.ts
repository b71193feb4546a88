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
    'these are the counts of a decode worker, which gets every prompt whole from its prefill worker: no hit rate can be made of them, and the times stand; read the hit rate from the prefill workers or the router (--metrics-url)',
  'cached-tokens-impossible':
    'more tokens are cached than the prompt has, too often to leave those answers out: no hit rate can be made of them, and the times stand; compare with what the server itself counts (--metrics-url)',
  'prompt-tokens-without-cached':
    'the target counts cached tokens beside prompt_tokens, not in it, so the ratio of the two means nothing; the hit rate and the times stand',
  'prompt-tokens-short':
    'the target counts fewer tokens than words were sent: it cuts prompts (raise its context length, or lower --prefix-tokens and --tail-tokens) or does not count them; where prompts are cut, times are those of shorter ones',
  'nothing-cached':
    'is prefix caching on, and --block-size what the servers have? A prefix shorter than a block cannot hit, nor can prompts that differ before it (a date or an id in the chat template), workers with other hash seeds, or a cache too small for one prefix',
  'impossible-counts':
    'the cache measures are without these answers: engines count the cached tokens of a request twice that was preempted and begun again',
  interrupted: 'the trial was stopped before its end: run the command again with --resume',
  'no-ok-request': "every request failed: read error.message in requests.jsonl and the target's own log",
  'missing-records':
    'requests.jsonl has lost lines of this trial: read it from the original, or run the trial again',
  'missing-trials': 'the cell has fewer kept trials than repeats: compare it only after a rerun',
  'mixed-cached-tokens':
    'some answers carry cached_tokens and none carries 0: the target may leave zeros out, and then no hit rate can be given; the times stand; rerun with --dialect auto so that it is probed',
  'not-streamed':
    'whole answers came at once, so TTFT is E2E and neither it nor TPOT is given; E2E and throughput stand: is streaming off at the target, or does a proxy gather the stream?',
  'stream-gathered':
    'something on the way gathers the stream (a proxy that buffers, compression, a time slice): TTFT is later than the first token by as long as its burst took to fill, and gaps are those between bursts; turn buffering off, or compare E2E and throughput',
  'long-drain':
    'the throughput of the whole trial is not that of its load: a few slow last answers stretched it; raise --requests, and find out what made them slow',
  'slots-held':
    'the target keeps answers open after their last token, so throughput is lower than slots and E2E would allow: does it end the stream late, or hold the connection?',
  'concurrency-not-reached':
    'a trial has fewer requests than slots: raise --requests to ten times the concurrency or more',
  'failed-requests': 'figures are of the ok requests only: a mode that loses its slow requests looks fast',
  'prompt-tokens-spread':
    'prompt_tokens should differ from the plan by one constant (the chat template): this tokenizer splits some words, so lengths are not exact',
  'output-tokens-differ':
    'answers ended before --output-tokens: E2E and throughput depend on where; use a dialect that can set ignore_eos',
  'cached-tokens-not-reported': `no hit rate can be given: have the server report it (${howToReport('cachedTokens')}); one that leaves zeros out and never hit looks the same`,
  'cached-tokens-partly-reported':
    'hit rate and ratio are over the requests that reported cached_tokens only',
  'held-first-token':
    "the target seems to send with Nagle's algorithm on (no TCP_NODELAY): an answer that is ready within 40 ms of its head, as a hit is, waits for a delayed acknowledgement, and a miss does not, so TTFT shows less of the gain than there is; set TCP_NODELAY there, or on a Linux client turn delayed acknowledgements off for the route (docs/client.md)",
  'servers-disagree':
    'the servers counted other requests than these: does someone else use the cluster, is a server missing from --metrics-url, or do answers report another side than the one that caches (prefill and decode)? (docs/server-metrics.md)',
  'server-restarted': 'a server started anew during the trial, with an empty cache: run it again',
  'requests-preempted':
    'a cache ran full and requests began anew, so times hold work done twice: lower the load, or give the engines more cache',
  'block-size-differs':
    'the ceiling and the lost hits are reckoned with the wrong blocks: leave --block-size out to take what the servers say',
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
    'a p99 of fewer than 100 requests is hardly more than the maximum: raise --requests',
  'run-incomplete': 'finish the run with --resume, or compare what it has knowingly',
  'few-failures-differ': 'latencies are of the ok requests only: a p99 can hinge on a single lost one',
  'conditions-changed': 'a difference cannot be put down to one of them: change one condition at a time',
  'versions-differ': 'a difference may come from there: rerun both on one machine with one version',
  'reading-differs': 'hit rates may not mean the same: rerun with --dialect auto so that both are probed',
  'asked-differently':
    'fields that only ask for reports should change no figure, but the requests were not the same',
  'cells-differ': 'only cells that both measured are compared',
  'repeats-left-out': 'only repeats that both kept are compared',
  'one-repeat': 'nothing shows how much repeats differ, so there is no verdict: run with --repeats 3 or more',
  'same-run': 'a run does not differ from itself',
  'grid-only': 'give run directories for intervals, verdicts and the split of lost hits',
  'read-with-loss': 'the rest was read',
  'salt-differs':
    'the same workload but for its salt: same lengths and order, other text; good against a warm cache',
};

/** What to do about each reason for a missing or small difference, in English. */
export const REASON_ADVICE: Readonly<Record<ReasonCode, string>> = {
  'cached-tokens-not-reported': `have the server report them (${howToReport('cachedTokens')}); one that leaves zeros out and never hit looks the same`,
  'cached-tokens-from-decode':
    'the decode worker of a disaggregated pair reports them, not the prefill worker that has the cache: read the hit rate from the router or the prefill workers',
  'prefix-below-block': 'only whole blocks hit: raise --prefix-tokens, or state the right --block-size',
  'everything-missed':
    'is prefix caching on? Something before the prefix may differ between requests: a chat template with a date or an id, a router that rewrites prompts, workers with another tokenizer',
  'one-worker': 'a router needs two to choose from: are the others registered and healthy?',
  'all-on-one-worker':
    'the others are there, and this mode does not use them: do they reach its index, and does it weigh load against overlap?',
  'deals-in-turn':
    'it goes round whatever the prefix, as a router does that has fallen back: is KV-aware routing on, do the workers publish their cache events, do block size and hashes of router and workers agree?',
  'placed-by-chance':
    'it does not look at prefixes: is KV-aware routing on, do the workers publish their cache events, do block size and hashes of router and workers agree?',
  'workers-not-reported': `placement cannot be told from eviction: have the router name workers (${howToReport('workers')})`,
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
  'client-late':
    'run the client where it is not late: fewer requests in flight, more --threads where cores are free, no other work on its machine; hit rates and workers are not touched',
  'repeats-differ': 'run with more --repeats or --requests: the change may be real but is not shown',
};
