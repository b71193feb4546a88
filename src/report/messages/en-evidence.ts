import type { ComparisonEvidence } from '../../core/compare/comparison-evidence.js';
import type { ReasonEvidence } from '../../core/compare/reason-evidence.js';
import type { TrialEvidence } from '../../core/measure/trial-evidence.js';
import type { AllEvidence, EvidenceTexts } from '../describe-evidence.js';

const TRIAL: EvidenceTexts<TrialEvidence> = {
  'workers-changed': ({ joined, left }) =>
    [
      ...(joined === null ? [] : [`${joined.count} of the workers joined late (first seen in ${joined.at})`]),
      ...(left === null ? [] : [`${left.count} of the workers left (last seen in ${left.after})`]),
    ].join(', '),
  unsent: (of) => `${of.unsent} of ${of.requests} requests were never sent`,
  'none-ok': (of) => `0 of ${of.requests} requests ok; first error: ${of.error ?? 'none'}`,
  'records-missing': (of) => `${of.records} records of ${of.requests} requests`,
  'too-few-requests': (of) => `${of.requests} requests cannot keep ${of.concurrency} in flight`,
  'tails-cached': (of) =>
    `${of.requests} requests had more tokens cached than their prefix has (up to ${of.most} tokens, prefix ${of.prefixTokens})`,
  'primers-hit': (of) =>
    `the primers of ${of.hit} of ${of.prefixes} prefixes hit (${of.tokens} cached tokens)`,
  'first-requests-hit': (of) =>
    `the first request of ${of.hit} of ${of.prefixes} prefixes hit (prefix ${of.prefix}: ${of.tokens} cached tokens)`,
  failed: (of) =>
    `${of.failed} of ${of.requests} failed: ${of.outcomes.map(([outcome, count]) => `${count} ${outcome}`).join(', ')}`,
  'cached-tokens-carried': (of) =>
    `${of.reported} of ${of.answers} answers carry cached_tokens${of.lacksZero ? ', none of them 0' : ''}`,
  'counts-impossible': (of) =>
    `${of.records} of ${of.answers} answers cannot be right (up to ${of.cached} of ${of.prompt} prompt tokens cached, prefix ${of.prefixTokens})`,
  'whole-prompts-cached': (of) =>
    `${of.whole} of ${of.answers} answers report all but ${of.fewest} or more tokens of the prompt as cached, as do the first requests of ${of.firsts} of ${of.prefixes} prefixes`,
  'zero-but-router-hits': (of) =>
    `cached_tokens is 0 in all ${of.answers} answers, the router's kv_hit_rate is ${of.rate}`,
  'zero-and-split': (of) =>
    `cached_tokens is 0 in all ${of.answers} answers, ${of.split} of them prefilled and decoded by different workers`,
  'repeats-missed': (of) =>
    `none of ${of.requests} requests hit, though ${of.repeats} came after their prefix was answered${of.sameWorker ? ' by the same worker' : ''} (${of.perPrefix} requests a prefix; prefix ${of.prefixTokens} tokens, blocks of ${of.blockSize})`,
  'prompts-without-cached': (of) =>
    `prompt_tokens from ${of.least} to ${of.most} where ${of.planned} words were sent; adding cached_tokens gives as many`,
  'prompts-short': (of) =>
    `prompt_tokens from ${of.least} to ${of.most} where ${of.planned} words were sent: fewer in ${of.short} of ${of.answers} answers${of.zero === 0 ? '' : `, 0 in ${of.zero}`}`,
  'prompt-tokens': (of) => `prompt_tokens from ${of.least} to ${of.most}`,
  'other-lengths': (of) =>
    `${of.other} of ${of.answers} answers are not ${of.asked} tokens long (${of.least}-${of.most})`,
  'tokens-gathered': (of) =>
    `${of.gathered} of ${of.answers} answers came in bursts: ${of.perRead} tokens a read at the median, in ${of.reads} reads an answer${of.gapMs === null ? '' : `, ${of.gapMs} ms apart`}; the first read carried ${of.firstRead}`,
  drained: (of) =>
    `${of.share} of the duration (${of.drainS} of ${of.durationS} s) ran below ${of.slots} in flight, when no request was left to send; throughput was ${of.until} req/s until then, ${of.whole} over all`,
  'held-after-last': (of) =>
    `requests ended ${of.meanMs} ms after their last token on average (${of.p50Ms} ms at the median; E2E ${of.e2eMs} ms): slots were kept from the next request for ${of.share} of the time`,
  'whole-in-one-read': (of) => `${of.whole} of ${of.answers} answers of several tokens came in one read`,
  'first-tokens-held': (of) =>
    `${of.held} of ${of.answers} first tokens came ${of.from}-${of.until} ms after the head of their answer, ${of.sooner} between ${of.together} and ${of.from} ms`,
  'client-limit': (of) => {
    const clauses = [
      ...of.lost.map(({ measure, boundMs, valueMs }) =>
        boundMs < valueMs
          ? `${LATE[measure]} of ${valueMs} ms may be up to ${boundMs} ms too long`
          : `${LATE[measure]} of ${valueMs} ms may be all the client's lateness (up to ${boundMs} ms)`,
      ),
      ...(of.leftLateMs === null ? [] : [`requests left ${of.leftLateMs} ms after they were due at p99`]),
      ...(of.inFlight === null
        ? []
        : [`${of.inFlight.mean} of ${of.inFlight.asked} requests were in flight on average`]),
    ];
    return `${clauses.join(', ')} (CPU ${of.cpuShare} of a core, ${of.threads} thread${of.threads === 1 ? '' : 's'})`;
  },
  'servers-cached': (of) =>
    `the ${of.by}s counted ${of.servers} cached tokens, the answers carried ${of.answers}`,
  'servers-requests': (of) => `the ${of.by}s counted ${of.servers} requests, ${of.sent} were sent`,
  restarted: (of) => `counters went backwards: ${of.servers.join(', ')}`,
  preempted: (of) => `${of.preemptions} preemptions`,
  'block-size-told': (of) => `--block-size ${of.stated}; the servers say ${of.told}`,
  'trials-kept': (of) => `${of.kept} of ${of.repeats} trials kept, ${of.dropped} dropped`,
  'said-by-grid': () => 'as grid.csv says',
  'grid-without': (of) => `no ${of.file}: only its grid.csv is read`,
  'columns-missing': (of) => `no column ${of.columns.join(', ')}: not compared`,
  'no-requests-file': () => 'no requests.jsonl: the run was killed before its first request',
  'records-unended': (of) => `requests.jsonl: ${of.records} records of trials that never ended, left out`,
  'last-line-cut': (of) => `requests.jsonl: its last line (${of.line}) is cut short, 1 record left out`,
  'lines-broken': (of) =>
    `requests.jsonl: ${of.lines} lines are not records (first: line ${of.first}), left out`,
};

const COMPARISON: EvidenceTexts<ComparisonEvidence> = {
  differing: (of) =>
    of.differences
      .map(
        ({ what, sent, first, second }) =>
          `${sent ? 'sent ' : ''}${what}: ${first ?? 'none'} and ${second ?? 'none'}`,
      )
      .join('; '),
  'hashes-differ': (of) => `the hashes over every prompt differ (${of.first} and ${of.second})`,
  'other-salt': () => 'same workload hash, different salt',
  'conditions-changed': (of) =>
    `${of.changed.length} recorded conditions changed: ${of.changed.map(({ key, before, after }) => `${key}: ${before ?? 'not stated'} and ${after ?? 'not stated'}`).join('; ')}`,
  'same-run': () => 'both are the same run',
  'no-common-cell': () => 'no cell was measured by both',
  'lone-cells': (of) =>
    `${of.cells === 1 ? '1 cell was' : `${of.cells} cells were`} measured by only one of them`,
  'answer-lengths': (of) => `answers of ${of.first} and ${of.second} tokens on average`,
  'ok-in-one': (of) =>
    `${of.differ} of ${of.requests} requests were ok in only one run (failed: ${of.failed.join(' and ')})`,
  'other-repeats': () => 'different repeats were kept',
  'single-trials': () => 'each cell has a single trial',
  'no-requests': () => 'grid.csv holds no requests',
  'cells-unmeasured': (of) =>
    `the run is ${of.status}: ${of.unmeasured} of ${of.cells} cells were never measured`,
  'few-ok': () => 'fewer than 100 ok requests in a trial',
};

const REASON: EvidenceTexts<ReasonEvidence> = {
  'short-prefix': (of) => `a prefix of ${of.prefixTokens} tokens, blocks of ${of.blockSize}`,
  'none-hit': (of) =>
    `none of ${of.requests} requests hit, though each prefix was sent ${of.perPrefix} times`,
  'workers-unnamed': () => 'no answer names its worker',
  'one-worker': (of) => `one worker served every request (${of.worker})`,
  'one-of-several': (of) =>
    `${of.candidate} sends everything to one worker (${of.worker}), ${of.baseline} used ${of.workers}`,
  'dealt-in-turn': (of) =>
    `${of.candidate} deals requests in turn: each prefix on ${of.spread} of ${of.workers} workers (${of.byChance} by chance)`,
  'placed-as-by-chance': (of) =>
    `${of.candidate} places requests as chance would: each prefix on ${of.spread} of ${of.workers} workers (${of.byChance} by chance)`,
  'ratio-at-ceiling': (of) => `${of.baseline} already gets ${of.ratio} of at most ${of.ceiling}`,
  'nothing-evicted': (of) =>
    `${of.baseline} evicted nothing though each prefix was on ${of.spread} of ${of.workers} workers`,
  'few-workers-met': (of) =>
    `${of.baseline} goes round robin, yet a prefix meets ${of.spread} of ${of.workers} workers (${of.byChance} by chance)`,
  'lost-to-eviction': (of) =>
    `${of.candidate} loses ${of.eviction} of all it could hit to eviction, ${of.placement} to placement`,
  'busiest-worker': (of) => `${of.worker} served ${of.share} of the requests, an even share is ${of.even}`,
  'slower-on-fewer': (of) =>
    `TPOT p50 ${of.change} ${of.unit}; its busiest worker served ${of.share} of the requests (an even share is ${of.even}), the load varies by ${of.cv} (${of.baseline} ${of.cvBefore})`,
  'hit-rates': (of) =>
    `${of.baseline} hits with ${of.before} of the requests, ${of.candidate} with ${of.after}`,
  'hits-wait': (of) =>
    `a hit takes ${of.usual} ms to its first token at the median, ${of.best} ms at best${of.wait === null ? '' : `; the server reports a wait of ${of.wait} ms at the median`}`,
  'hit-like-miss': (of) => `TTFT p50 is ${of.hits} ms for hits, ${of.misses} ms for misses`,
  'change-by-client': (of) =>
    `${of.measure} ${of.change} ${of.unit}, of which up to ${of.margin} ${of.unit} may be the client's lateness`,
  'change-in-noise': (of) => `${of.measure} ${of.change} ${of.unit}, 95 % interval ${of.low} to ${of.high}`,
};

/** What was seen, in English. */
export const EN_EVIDENCE: EvidenceTexts<AllEvidence> = { ...TRIAL, ...COMPARISON, ...REASON };

const LATE = { ttft_mean_ms: 'TTFT mean', ttft_p50_ms: 'TTFT p50', ttft_p99_ms: 'TTFT p99' } as const;
