import type { RequestRecord } from '../../src/core/answer/request-record.js';
import { BROKEN } from './faults.js';
import type { LedgerEntry } from './wire.js';

/** Times in records are rounded to 1 µs, each end by itself. */
const ROUNDING_MS = 0.01;

/**
 * Compares the target's ledger with the client's records, request by request, and says each difference in words.
 * `planned` are the keys (`trial/seq`) of every planned request; `endedIdle` connections may each have swallowed one.
 */
export function reconcile(
  planned: ReadonlySet<string>,
  ledger: readonly LedgerEntry[],
  records: readonly RequestRecord[],
  endedIdle: number,
): string[] {
  const differences: string[] = [];
  const entries = new Map<string, LedgerEntry>();
  for (const entry of ledger) {
    if (entries.has(entry.key)) differences.push(`${entry.key} was sent twice`);
    entries.set(entry.key, entry);
  }
  const seen = new Set<string>();
  let swallowed = 0;
  for (const record of records) {
    const key = `${record.trial}/${record.seq}`;
    if (seen.has(key)) differences.push(`${key} has two records`);
    if (!planned.has(key)) differences.push(`${key} has a record and was never planned`);
    seen.add(key);
    const entry = entries.get(key);
    if (entry === undefined) swallowed++;
    differences.push(...(entry === undefined ? compareSwallowed(key, record) : compare(entry, record)));
  }
  for (const key of planned) if (!seen.has(key)) differences.push(`${key} has no record`);
  if (swallowed > endedIdle) {
    differences.push(`${swallowed} requests never arrived, ${endedIdle} connections were ended`);
  }
  return differences;
}

/** A request that never arrived: it was written to a kept connection that the target was closing. */
function compareSwallowed(key: string, record: RequestRecord): string[] {
  const { outcome, status, chunks, error, connect_ms } = record;
  const isRight =
    outcome === 'stream_error' &&
    status === null &&
    chunks === 0 &&
    connect_ms === null &&
    BROKEN.test(error?.code ?? '');
  return isRight
    ? []
    : [`${key} never arrived, its record: ${outcome} ${status} ${error?.code} ${connect_ms}`];
}

function compare(entry: LedgerEntry, record: RequestRecord): string[] {
  const wanted = {
    outcome: entry.outcome,
    status: entry.status,
    chunks: entry.chunks,
    prompt_tokens: entry.promptTokens,
    cached_tokens: entry.cachedTokens,
    output_tokens: entry.outputTokens,
    finish_reason: entry.finishReason,
  };
  const differences = Object.entries(wanted).flatMap(([name, value]) => {
    const got = record[name as keyof typeof wanted];
    return got === value ? [] : [`${name} is ${got}, was ${value}`];
  });
  const code = record.error?.code ?? null;
  const isRightCode = entry.code === null ? code === null : code !== null && entry.code.test(code);
  if (!isRightCode) differences.push(`error is ${code} (${record.error?.message}), was ${entry.code}`);
  // The client's span begins before the target has read the request, and ends after the target wrote the token.
  if (isShorter(record.ttft_ms, entry.receivedMs, entry.firstTokenMs)) {
    differences.push(`ttft_ms is ${record.ttft_ms}, less than the target took`);
  }
  if (isShorter(record.e2e_ms, entry.receivedMs, entry.lastTokenMs)) {
    differences.push(`e2e_ms is ${record.e2e_ms}, less than the target took`);
  }
  return differences.map((difference) => `${entry.key} (${entry.fault}): ${difference}`);
}

function isShorter(ms: number | null, fromMs: number, toMs: number | null): boolean {
  return toMs === null ? ms !== null : ms === null || ms < toMs - fromMs - ROUNDING_MS;
}
