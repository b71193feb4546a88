import { percentile, sortedOf } from '../../core/base/statistics.js';
import { type DecodeSettings, isNear } from './decode-choice.js';
import type { DecodeRecord } from './decode-pool.js';
import type { DecodeListener, DecodeSegments } from './disaggregated-cluster.js';

/** A choice with the segments until its first token. */
export interface LoggedDecision extends DecodeRecord {
  readonly segments: DecodeSegments;
}

/** What a run's decode choices came to. */
export interface DecodeLog {
  readonly note: DecodeListener;
  /** The last decisions, oldest first. */
  recent(): readonly LoggedDecision[];
  summary(): DecodeSummary;
}

export interface DecodeSummary {
  readonly decisions: number;
  /** At least as near as the least affinity. */
  readonly near: number;
  /** Known to be further. */
  readonly far: number;
  /** Locality not known. */
  readonly unknown: number;
  readonly failedOpen: number;
  /** Decisions that left out a candidate because it was unreachable. */
  readonly withUnreachable: number;
  /** Nearest-rank p50 and p99, ms; null without decisions. */
  readonly decodeWaitMs: Percentiles | null;
  readonly transferMs: Percentiles | null;
  readonly ttftMs: Percentiles | null;
}

export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
}

const DECISIONS_KEPT = 1000;

/** An empty log. */
export function createDecodeLog({ minAffinity }: DecodeSettings): DecodeLog {
  const kept: LoggedDecision[] = [];
  const waits: number[] = [];
  const transfers: number[] = [];
  const ttfts: number[] = [];
  const counts = { near: 0, far: 0, unknown: 0, failedOpen: 0, withUnreachable: 0 };
  return {
    note(record, segments) {
      kept.push({ ...record, segments });
      if (kept.length >= 2 * DECISIONS_KEPT) kept.splice(0, DECISIONS_KEPT);
      waits.push(segments.decodeWaitMs);
      transfers.push(segments.transferMs);
      ttfts.push(segments.ttftMs);
      const locality = record.chosen?.locality ?? 'unknown';
      if (locality === 'unknown') counts.unknown++;
      else if (isNear(locality, minAffinity)) counts.near++;
      else counts.far++;
      if (record.failedOpen) counts.failedOpen++;
      if (record.before.some(({ reachable }) => !reachable)) counts.withUnreachable++;
    },
    recent: () => kept.slice(-DECISIONS_KEPT),
    summary: () => ({
      decisions: ttfts.length,
      ...counts,
      decodeWaitMs: percentiles(waits),
      transferMs: percentiles(transfers),
      ttftMs: percentiles(ttfts),
    }),
  };
}

/** The log as lines of text: shares of near, far and unknown choices, then wait, transfer and TTFT. */
export function renderDecodeSummary(settings: DecodeSettings, summary: DecodeSummary): string {
  const { decodePolicy, minAffinity } = settings;
  const share = (count: number): string =>
    summary.decisions === 0 ? '–' : `${((100 * count) / summary.decisions).toFixed(1)} %`;
  const times = (value: Percentiles | null): string =>
    value === null ? '–' : `${value.p50.toFixed(1)} / ${value.p99.toFixed(1)} ms`;
  return [
    `Decode choices by ${decodePolicy}, ${summary.decisions} (near: same ${minAffinity})`,
    `  near ${share(summary.near)}, far ${share(summary.far)}, unknown ${share(summary.unknown)}` +
      `; failed open ${share(summary.failedOpen)}; unreachable left out in ${share(summary.withUnreachable)}`,
    `  decode wait p50 / p99   ${times(summary.decodeWaitMs)}`,
    `  KV transfer p50 / p99   ${times(summary.transferMs)}`,
    `  TTFT p50 / p99          ${times(summary.ttftMs)}`,
  ].join('\n');
}

function percentiles(values: readonly number[]): Percentiles | null {
  const sorted = sortedOf(values);
  const p50 = percentile(sorted, 0.5);
  const p99 = percentile(sorted, 0.99);
  return p50 === null || p99 === null ? null : { p50, p99 };
}
