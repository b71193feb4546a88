import type { Segment } from '../../core/measure/experiment-record.js';
import type { RecordField, RecordSection } from '../../core/scenario/experiment-fields.js';
import { formatCount } from '../format.js';

/** The experiment record, in English. */
export const EN_RECORD = {
  intro: (empty: number, all: number) =>
    `What should be known of a routing experiment before its result is trusted. ${empty} of ${all} fields are empty: a scenario's record: block fills them.`,
  field: 'field',
  empty: '— empty',
  sections: {
    workload: 'Requests',
    system: 'System',
    path: 'Choice and path',
    change: 'Change and control',
  } satisfies Readonly<Record<RecordSection, string>>,
  fields: {
    'request-group': 'request group',
    'input-length': 'input length, tokens',
    'output-length': 'output length, tokens',
    'offered-load': 'offered load',
    'completed-load': 'completed load',
    model: 'model',
    'router-mode': 'router mode',
    image: 'image',
    'router-commit': 'router commit',
    'deployment-mode': 'deployment mode',
    'prefill-workers': 'prefill workers',
    'decode-workers': 'decode workers',
    gpu: 'GPU',
    nic: 'NIC',
    'valid-at': 'when that was valid',
    transport: 'transport actually used',
    'candidates-unreachable': 'unreachable candidates',
    'candidates-without-information': 'candidates with missing information',
    'candidates-before-filter': 'candidates before the filter',
    'candidates-after-filter': 'candidates after the filter',
    choice: 'the choice',
    'load-per-candidate': 'load per candidate',
    'locality-per-candidate': 'locality per candidate',
    segments: 'segments until the first token',
    'changed-condition': 'the one condition changed',
    'control-run': 'control run',
    revert: 'how to revert',
  } satisfies Readonly<Record<RecordField, string>>,
  segments: {
    send_lag_ms: 'waiting in the client',
    connect_ms: 'connecting',
    prefill_wait_ms: 'queue before prefill',
    prefill_ms: 'prefill',
    kv_transfer_ms: 'KV transfer',
    ttft_ms: 'TTFT at the client',
  } satisfies Readonly<Record<Segment, string>>,
  seen: {
    groups: (prefixes: readonly number[]) => `${prefixes.join(', ')} prefix groups`,
    inputs: (prefix: string, tail: string, reported: string | null) =>
      `${prefix} shared + ${tail} unique${reported === null ? '' : `; reported ${reported}`}`,
    outputs: (asked: string, reported: string | null) =>
      `${asked} asked for${reported === null ? '' : `; reported ${reported}`}`,
    offered: (concurrency: readonly number[], rates: readonly number[]) =>
      [
        ...(concurrency.length > 0 ? [`${concurrency.join(', ')} in flight (closed)`] : []),
        ...(rates.length > 0 ? [`${rates.join(', ')} req/s (open)`] : []),
      ].join('; '),
    completed: (low: string, high: string) => `${low}–${high} req/s, by cell`,
    deployment: (split: number, answers: number) =>
      `seen: prefill and decode worker differ in ${formatCount(split)} of ${formatCount(answers)} answers`,
    count: (workers: number) => `seen: ${workers}`,
    ran: (from: string, until: string) => `run from ${from} until ${until}`,
    chosen: (ids: number, lifetimes: number) =>
      lifetimes === 1
        ? `seen: ${ids} workers served requests`
        : `seen: ${ids} worker ids served requests, in ${lifetimes} sets one after the other (the target was restarted)`,
    locality: (list: string) => `cached-token ratio over all cells ${list}`,
    medians: (list: string) => `medians over all cells: ${list}`,
    isControl: 'this one',
    changed: (fields: readonly string[]) =>
      fields.length === 0 ? 'seen: none' : `seen: ${fields.join(', ')}`,
  },
} as const;
