import type { FactRecord } from '../../answer/request-record.js';
import type { Evidence } from '../../base/evidence.js';
import { type CacheRules, cachedTokensOf } from '../cache-counts.js';
import { trialEvidence } from '../trial-evidence.js';
import type { TrialServers } from './server-counts.js';
import { witnessOf } from './server-witness.js';

/** Cached tokens of servers and answers may differ by this share of the prompt tokens, or by one block. */
const CACHED_TOLERANCE = 0.005;
/** Servers may count this share of requests more than were sent, or two. */
const REQUEST_TOLERANCE = 0.01;

/** Reasons not to trust a trial that only the servers' own counters show. */
export type ServerFindingCode =
  | 'servers-disagree'
  | 'server-restarted'
  | 'requests-preempted'
  | 'block-size-differs';

/**
 * What servers counted over a trial that its records do not bear out. `records` are all of the trial; those of its
 * measured phase are compared. `told` is the block size in the servers' metrics, null for none.
 */
export function findInServers(
  servers: TrialServers,
  records: readonly FactRecord[],
  rules: CacheRules,
  told: number | null,
): readonly { readonly code: ServerFindingCode; readonly evidence: Evidence }[] {
  const sent = records.filter((record) => record.phase === 'measure' && record.sent_ms !== null);
  const restarted = servers.servers.filter((one) => one.restarted).map(({ server }) => server);
  const preemptions = servers.servers.reduce((sum, one) => sum + (one.preemptions ?? 0), 0);
  const differing = findDifference(servers, sent, rules);
  return [
    ...(differing === null ? [] : [{ code: 'servers-disagree', evidence: differing } as const]),
    ...(restarted.length === 0
      ? []
      : [
          { code: 'server-restarted', evidence: trialEvidence('restarted', { servers: restarted }) } as const,
        ]),
    ...(preemptions === 0
      ? []
      : [{ code: 'requests-preempted', evidence: trialEvidence('preempted', { preemptions }) } as const]),
    ...(told === null || told === rules.blockSize
      ? []
      : [
          {
            code: 'block-size-differs',
            evidence: trialEvidence('block-size-told', { told, stated: rules.blockSize }),
          } as const,
        ]),
  ];
}

function findDifference(
  servers: TrialServers,
  sent: readonly FactRecord[],
  rules: CacheRules,
): Evidence | null {
  const witness = witnessOf(servers);
  if (witness === null) return null;
  const { by, requests } = witness;
  // Prefill and decode engines each count a request once: twice as many is no other traffic.
  const extra = requests === null || requests === 2 * sent.length ? 0 : requests - sent.length;
  if (extra > Math.max(2, REQUEST_TOLERANCE * sent.length)) {
    return trialEvidence('servers-requests', { by, servers: requests ?? 0, sent: sent.length });
  }
  // What a request that failed had cached is not known here, and counted there.
  if (sent.length === 0 || sent.some(({ outcome }) => outcome !== 'ok')) return null;
  const cached = sent.map((record) => cachedTokensOf(record, rules));
  if (cached.includes(null)) return null;
  const answers = cached.reduce<number>((sum, tokens) => sum + (tokens ?? 0), 0);
  const prompts = sent.reduce((sum, { prompt_tokens }) => sum + (prompt_tokens ?? 0), 0);
  return Math.abs(witness.cachedTokens - answers) > Math.max(rules.blockSize, CACHED_TOLERANCE * prompts)
    ? trialEvidence('servers-cached', { by, servers: witness.cachedTokens, answers })
    : null;
}
