import { cachedTokensOf } from './facts.js';
import type { Reading } from './measures.js';
import { type RequestRecord, roundMs } from './record.js';
import { percentile, sortedOf } from './statistics.js';

/**
 * The form that should accompany every routing experiment: its fields in the order of the form. `stated` fields can be
 * filled in a scenario's `record:` block; a `condition` is something whose change may explain a difference by itself.
 */
export const RECORD_FIELDS = [
  field('request-group', 'workload', 'stated'),
  field('input-length', 'workload', 'seen'),
  field('output-length', 'workload', 'seen'),
  field('offered-load', 'workload', 'seen'),
  field('completed-load', 'workload', 'seen'),
  field('model', 'system', 'seen', 'condition'),
  field('router-mode', 'system', 'seen', 'condition'),
  field('image', 'system', 'stated', 'condition'),
  field('router-commit', 'system', 'stated', 'condition'),
  field('deployment-mode', 'system', 'stated', 'condition'),
  field('prefill-workers', 'system', 'stated', 'condition'),
  field('decode-workers', 'system', 'stated', 'condition'),
  field('gpu', 'system', 'stated', 'condition'),
  field('nic', 'system', 'stated', 'condition'),
  field('valid-at', 'system', 'stated'),
  field('transport', 'path', 'stated', 'condition'),
  field('candidates-unreachable', 'path', 'stated'),
  field('candidates-without-information', 'path', 'stated'),
  field('candidates-before-filter', 'path', 'stated'),
  field('candidates-after-filter', 'path', 'stated'),
  field('choice', 'path', 'stated'),
  field('load-per-candidate', 'path', 'stated'),
  field('locality-per-candidate', 'path', 'stated'),
  field('segments', 'path', 'stated'),
  field('changed-condition', 'change', 'stated'),
  field('control-run', 'change', 'stated'),
  field('revert', 'change', 'stated'),
] as const;

export type RecordField = (typeof RECORD_FIELDS)[number]['key'];

export type RecordSection = 'workload' | 'system' | 'path' | 'change';

interface Field<K extends string> {
  readonly key: K;
  readonly section: RecordSection;
  /** `seen` fields are filled by kvbench alone. */
  readonly by: 'stated' | 'seen';
  readonly condition: boolean;
}

function field<const K extends string>(
  key: K,
  section: RecordSection,
  by: 'stated' | 'seen',
  role?: 'condition',
): Field<K> {
  return { key, section, by, condition: role === 'condition' };
}

/** The fields that a scenario's `record:` block may state. */
export const STATED_FIELDS = RECORD_FIELDS.map(({ key }) => key);

/** What a scenario's `record:` block says; a field that it leaves out is missing here and empty in the form. */
export type StatedRecord = Readonly<Partial<Record<RecordField, string>>>;

/** `record` in run.json: what the user stated, and what the requests of each variant show. */
export interface ExperimentRecord {
  readonly stated: Readonly<Record<RecordField, string | null>>;
  /** By variant name; empty until the run has ended. */
  readonly seen: Readonly<Record<string, SeenFacts>>;
}

/** What the answered requests of one variant show. Keys as in run.json; null when no answer says it. */
export interface SeenFacts {
  readonly answers: number;
  readonly prompt_tokens: Range | null;
  readonly output_tokens: Range | null;
  /** Distinct ids. */
  readonly prefill_workers: number | null;
  readonly decode_workers: number | null;
  /** Answers whose prefill and decode workers are both known and differ: a disaggregated deployment. */
  readonly split_answers: number | null;
  /** The workers that hold the prefixes, busiest first. */
  readonly workers: readonly SeenWorker[];
  /** Medians, ms, each over the answers that report it: the segments up to the first token. */
  readonly segments: Readonly<Record<Segment, number | null>>;
}

export interface SeenWorker {
  readonly worker: string;
  /** Of the answers that name a worker. */
  readonly share: number;
  /** Σ cached / Σ prompt tokens of its answers that report both. */
  readonly cached_token_ratio: number | null;
}

export interface Range {
  readonly min: number;
  readonly max: number;
}

/** In the order in which they pass: inside the client, connecting, the server's own parts, all as the client sees it. */
export const SEGMENTS = [
  'send_lag_ms',
  'connect_ms',
  'prefill_wait_ms',
  'prefill_ms',
  'kv_transfer_ms',
  'ttft_ms',
] as const;

export type Segment = (typeof SEGMENTS)[number];

/** A form with every field of it, as it stands before the first request. */
export function buildExperimentRecord(stated: StatedRecord): ExperimentRecord {
  const all = RECORD_FIELDS.map(({ key }) => [key, stated[key] ?? null] as const);
  return { stated: Object.fromEntries(all) as ExperimentRecord['stated'], seen: {} };
}

/** What the measured, answered requests show. `records` are of one variant, of any trials and phases. */
export function observeRecords(records: readonly RequestRecord[], reading: Reading): SeenFacts {
  const ok = records.filter((record) => record.phase === 'measure' && record.outcome === 'ok');
  const both = ok.filter((record) => record.prefill_worker !== null && record.decode_worker !== null);
  return {
    answers: ok.length,
    prompt_tokens: rangeOf(ok, (record) => record.prompt_tokens),
    output_tokens: rangeOf(ok, (record) => record.output_tokens),
    prefill_workers: distinct(ok, (record) => record.prefill_worker),
    decode_workers: distinct(ok, (record) => record.decode_worker),
    split_answers:
      both.length === 0
        ? null
        : both.filter((record) => record.prefill_worker !== record.decode_worker).length,
    workers: workersOf(ok, reading),
    segments: Object.fromEntries(
      SEGMENTS.map((segment) => [
        segment,
        roundOrNull(percentile(sortedOf(ok.map((record) => segmentOf(record, segment))), 0.5)),
      ]),
    ) as SeenFacts['segments'],
  };
}

function segmentOf(record: RequestRecord, segment: Segment): number | null {
  switch (segment) {
    case 'send_lag_ms':
    case 'connect_ms':
    case 'ttft_ms':
      return record[segment];
    default:
      return record.server?.[segment] ?? null;
  }
}

function rangeOf(
  records: readonly RequestRecord[],
  value: (record: RequestRecord) => number | null,
): Range | null {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const record of records) {
    const read = value(record);
    if (read === null) continue;
    min = Math.min(min, read);
    max = Math.max(max, read);
  }
  return max === Number.NEGATIVE_INFINITY ? null : { min, max };
}

function distinct(
  records: readonly RequestRecord[],
  value: (record: RequestRecord) => string | null,
): number | null {
  const values = new Set(records.map(value));
  values.delete(null);
  return values.size === 0 ? null : values.size;
}

function workersOf(ok: readonly RequestRecord[], reading: Reading): SeenWorker[] {
  const groups = new Map<string, RequestRecord[]>();
  for (const record of ok) {
    if (record.worker === null) continue;
    const group = groups.get(record.worker);
    if (group === undefined) groups.set(record.worker, [record]);
    else group.push(record);
  }
  const named = [...groups.values()].reduce((sum, group) => sum + group.length, 0);
  return [...groups]
    .map(([worker, group]) => ({
      worker,
      share: round(group.length / named),
      cached_token_ratio: cachedRatio(group, reading),
    }))
    .sort((a, b) => b.share - a.share || (a.worker < b.worker ? -1 : 1));
}

function cachedRatio(group: readonly RequestRecord[], reading: Reading): number | null {
  let cached = 0;
  let prompt = 0;
  for (const record of group) {
    const known = cachedTokensOf(record, reading);
    if (known === null || record.prompt_tokens === null) continue;
    cached += known;
    prompt += record.prompt_tokens;
  }
  return prompt === 0 ? null : round(cached / prompt);
}

function roundOrNull(ms: number | null): number | null {
  return ms === null ? null : roundMs(ms);
}

function round(value: number): number {
  return Number(value.toFixed(6));
}
