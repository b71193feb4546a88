import type { RequestRecord } from '../answer/request-record.js';

/** Steps of a rotation that may be out of order: two requests sent together can reach the router the other way round. */
const LEAST_IN_ORDER = 0.8;

/**
 * Whether a trial's requests went round the workers in a fixed order: in the order of sending, each worker is nearly
 * always followed by the same other one. False of fewer than two workers.
 */
export function isRoundRobin(planned: readonly RequestRecord[]): boolean {
  const workers = planned
    .filter((record) => record.sent_ms !== null && record.worker !== null)
    .sort((a, b) => (a.sent_ms ?? 0) - (b.sent_ms ?? 0) || a.seq - b.seq)
    .map((record) => record.worker as string);
  const followers = new Map<string, Map<string, number>>();
  for (let i = 1; i < workers.length; i++) {
    const [from, to] = [workers[i - 1] as string, workers[i] as string];
    const counts = followers.get(from) ?? new Map<string, number>();
    followers.set(from, counts.set(to, (counts.get(to) ?? 0) + 1));
  }
  if (followers.size < 2) return false;
  const usual = new Map(
    [...followers].map(([from, counts]) => [from, [...counts].sort((a, b) => b[1] - a[1])[0]]),
  );
  const targets = new Set([...usual.values()].map((follower) => follower?.[0]));
  if (targets.size !== followers.size) return false;
  const inOrder = [...usual.values()].reduce((sum, follower) => sum + (follower?.[1] ?? 0), 0);
  return inOrder >= LEAST_IN_ORDER * (workers.length - 1);
}
