import type { Evidence } from '../base/evidence.js';
import type { RunFile, VariantRun } from '../measure/run-file.js';
import { blockSizeIn } from '../measure/servers/metrics-source.js';
import { type Scenario, SETTINGS } from '../scenario/settings.js';
import type { ComparedVariant } from './compared-variant.js';
import { comparisonEvidence, type Difference } from './comparison-evidence.js';

/** How the requests of two runs relate in the cells they share. */
export type WorkloadRelation =
  | { readonly kind: 'same' | 'other-salt' }
  | { readonly kind: 'different'; readonly evidence: Evidence };

/** What decides the requests of a cell, whatever else is in the grid. */
const CELL_DECIDED_BY = ['seed', 'requests', 'prefixTokens', 'tailTokens', 'outputTokens', 'groups'] as const;
/** What decides which cells and repeats there are. */
const GRID_DECIDED_BY = ['prefixes', 'concurrency', 'rate', 'repeats'] as const;

/**
 * Whether two runs sent the same requests in the cells they share. The hash covers the whole grid, so it differs between
 * grids even where a shared cell got the same requests; there the settings and the version decide.
 */
export function compareWorkloads(a: RunFile, b: RunFile): WorkloadRelation {
  const settings = differing(differingSettings(a.scenario, b.scenario, CELL_DECIDED_BY));
  if (settings !== null) return { kind: 'different', evidence: settings };
  const sameHash = a.workload.sha256 === b.workload.sha256;
  const sameGrid = differingSettings(a.scenario, b.scenario, GRID_DECIDED_BY).length === 0;
  if (!sameHash && (sameGrid || a.provenance.kvbench !== b.provenance.kvbench)) {
    const [first, second] = [a.workload.sha256.slice(0, 12), b.workload.sha256.slice(0, 12)];
    return { kind: 'different', evidence: comparisonEvidence('hashes-differ', { first, second }) };
  }
  return { kind: a.workload.salt_sha256 === b.workload.salt_sha256 ? 'same' : 'other-salt' };
}

type Origin = NonNullable<ComparedVariant['origin']>;

/** How requests are sent; the scenario's lengths and the target itself are compared elsewhere. */
const CLIENT_SETTINGS = [
  'connections',
  'endpoint',
  'warmup',
  'start',
  'timeout',
  'firstTokenTimeout',
  'idleTimeout',
] as const;

/** How two runs sent their requests differently. */
export function differingClientSettings(a: Origin, b: Origin): Difference[] {
  return [
    ...differingSettings(a.run.scenario, b.run.scenario, CLIENT_SETTINGS),
    ...differingSent(a.variant, b.variant, 'work'),
  ];
}

/** Fields that ask a server what it did without changing it. */
const REPORT_FIELDS = ['stream', 'stream_options', 'nvext', 'return_token_ids', 'return_meta_info'];

/** Fields of the request bodies that differ: those that change the work, or those that only ask for a report. */
export function differingSent(a: VariantRun, b: VariantRun, which: 'work' | 'report'): Difference[] {
  return [...new Set([...Object.keys(a.target.sent), ...Object.keys(b.target.sent)])]
    .filter((key) => REPORT_FIELDS.includes(key) === (which === 'report'))
    .flatMap((key) => differ(key, a.target.sent[key], b.target.sent[key], true));
}

/** Versions and machines that differ. */
export function differingVersions(a: RunFile, b: RunFile): Difference[] {
  const keys = ['kvbench', 'node', 'host', 'cpu'] as const;
  return keys.flatMap((key) => differ(key, a.provenance[key], b.provenance[key]));
}

/** How cached tokens and blocks were counted differently. */
export function differingCacheRules(a: Origin, b: Origin): Difference[] {
  return [
    ...differ('cached_tokens', a.variant.target.cached_tokens, b.variant.target.cached_tokens),
    ...differ(
      'block-size',
      blockSizeIn(a.run.scenario, a.variant.target),
      blockSizeIn(b.run.scenario, b.variant.target),
    ),
  ];
}

function differingSettings(a: Scenario, b: Scenario, keys: readonly (keyof Scenario)[]): Difference[] {
  // Runs older than a setting lack it: its initial value held.
  const of = (scenario: Scenario, key: keyof Scenario) => scenario[key] ?? SETTINGS[key].initial;
  return keys.flatMap((key) => differ(key, of(a, key), of(b, key)));
}

/** Empty when the two are the same. */
export function differ(what: string, a: unknown, b: unknown, sent = false): Difference[] {
  return sameText(a, b) ? [] : [{ what, sent, first: shown(a), second: shown(b) }];
}

/** The differences as evidence; null when there are none. */
export function differing(differences: readonly Difference[]): Evidence | null {
  return differences.length === 0 ? null : comparisonEvidence('differing', { differences });
}

/** Whether two values are the same JSON. */
export function sameText(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function shown(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
