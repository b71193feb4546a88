import type { FactRecord } from '../answer/request-record.js';
import { percentile, rangeOf, sortedOf } from '../base/statistics.js';
import type { TimeHistogram } from '../base/time-histogram.js';
import type { ClientCheck } from './client-check.js';
import type { Found } from './finding-codes.js';
import { trialEvidence } from './trial-evidence.js';

/** How long the slots of ok requests stayed taken after their last token; in run.json. */
export interface SlotHold {
  readonly answers: number;
  readonly mean_ms: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
}

/** The summary of such times; null for none. */
export function summarizeHold(held: TimeHistogram): SlotHold | null {
  const [mean_ms, p50_ms, p99_ms] = [held.mean(), held.percentile(0.5), held.percentile(0.99)];
  if (mean_ms === null || p50_ms === null || p99_ms === null) return null;
  return { answers: held.size(), mean_ms, p50_ms, p99_ms };
}

/** Throughput that is lower by this share for want of load is another throughput. */
const MOVED_SHARE = 0.1;
/** Shorter is the luck of a machine; so is less than twice the usual answer. */
const LEAST_DRAIN_MS = 50;
/** Below so many rounds of the load, its beginning and end are most of it. */
const FEWEST_ROUNDS = 4;

/**
 * A closed load's last answers, while fewer and fewer are in flight, took so long that the throughput of the whole trial is
 * not that of its load. What completed until the last request was sent is of full slots: the requests then in flight
 * stand for those that had not begun when it started.
 */
export function findDrain(
  planned: readonly FactRecord[],
  ok: readonly FactRecord[],
  slots: number | null,
): Found | null {
  if (slots === null || ok.length < FEWEST_ROUNDS * slots) return null;
  const sent = rangeOf(planned.flatMap((record) => record.sent_ms ?? []));
  const ends = ok.map((record) => (record.sent_ms ?? 0) + (record.e2e_ms ?? 0));
  const last = rangeOf(ends).most;
  const [fullMs, spanMs] = [sent.most - sent.least, last - sent.least];
  const usualMs = percentile(sortedOf(ok.map((record) => record.e2e_ms)), 0.5) ?? 0;
  if (fullMs <= 0 || spanMs - fullMs < Math.max(LEAST_DRAIN_MS, 2 * usualMs)) return null;
  const until = (1000 * ends.filter((end) => end <= sent.most).length) / fullMs;
  const whole = (1000 * ok.length) / spanMs;
  if (whole >= (1 - MOVED_SHARE) * until) return null;
  return {
    code: 'long-drain',
    evidence: trialEvidence('drained', {
      share: shareText((last - sent.most) / spanMs),
      drainS: seconds(last - sent.most),
      durationS: seconds(spanMs),
      slots,
      whole: rate(whole),
      until: rate(until),
    }),
  };
}

/** The client's own share of such a time is within so many times its usual lateness. */
const CLIENT_LATE = 3;
const LEAST_HOLD_MS = 2;

/** Slots of a closed load stay taken after the last token, so that fewer answers are made than slots would allow. */
export function findHeldSlots(
  hold: SlotHold,
  meanE2eMs: number | null,
  slots: number | null,
  client: Pick<ClientCheck, 'loop_delay_mean_ms'> | null,
): Found | null {
  const least = Math.max(LEAST_HOLD_MS, CLIENT_LATE * (client?.loop_delay_mean_ms ?? 0));
  if (slots === null || meanE2eMs === null || hold.mean_ms < least) return null;
  const share = hold.mean_ms / (hold.mean_ms + meanE2eMs);
  if (share <= MOVED_SHARE) return null;
  return {
    code: 'slots-held',
    evidence: trialEvidence('held-after-last', {
      meanMs: hold.mean_ms,
      p50Ms: hold.p50_ms,
      e2eMs: Number(meanE2eMs.toFixed(1)),
      share: shareText(share),
    }),
  };
}

function shareText(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(2);
}

function rate(perSecond: number): string {
  return perSecond.toFixed(perSecond < 10 ? 2 : 1);
}
