import { usageError } from '../../core/base/errors.js';

/** How a worker's KV leaves and enters its host. */
export type Nic = 'rdma' | 'tcp' | 'none';

/** Where a worker is; a level that has no label is null. */
export interface Place {
  readonly host: string | null;
  readonly rack: string | null;
  readonly zone: string | null;
  readonly region: string | null;
}

/** A worker of a pool: where it truly is, and what it lets the router know. */
export interface PlacedWorker {
  readonly place: Place;
  readonly nic: Nic;
  /** The router sees its place until then, ms; Infinity for ever, 0 for never. */
  readonly labelValidMs: number;
  /** Whether the router can know its load. */
  readonly reportsLoad: boolean;
}

/** How close two workers can be, closest first. */
export const LEVELS = ['host', 'rack', 'zone', 'region'] as const;

/**
 * Reads a pool: `2*h1/r1/z1/g1/rdma,1*h2/r1/z1/g1/tcp:noload`. Each entry is COUNT*HOST/RACK/ZONE/REGION/NIC, `-` for a
 * missing label, and may end in `:hidden` (no labels at all), `:noload` (load not reported) or `:valid=SECONDS` (labels
 * go stale). Throws a usage error that names the entry.
 */
export function parsePool(key: string, text: string): PlacedWorker[] {
  const workers = text.split(',').flatMap((entry) => parseEntry(key, entry.trim()));
  return workers;
}

function parseEntry(key: string, entry: string): PlacedWorker[] {
  const match =
    /^(?:(\d+)\*)?([\w.-]+)\/([\w.-]+)\/([\w.-]+)\/([\w.-]+)\/(rdma|tcp|none)((?::[\w=.]+)*)$/.exec(entry);
  const count = Number(match?.[1] ?? 1);
  if (match === null || count < 1 || count > 100_000) {
    throw usageError(
      'sim-topology',
      `sim: ${key} must be COUNT*HOST/RACK/ZONE/REGION/NIC entries with NIC rdma, tcp or none, got "${entry}"`,
      'for example 2*h1/r1/z1/g1/rdma',
    );
  }
  const label = (text: string | undefined): string | null =>
    text === undefined || text === '-' ? null : text;
  let labelValidMs = Number.POSITIVE_INFINITY;
  let reportsLoad = true;
  for (const flag of (match[7] ?? '').split(':').slice(1)) {
    const valid = /^valid=(\d+(?:\.\d+)?)$/.exec(flag);
    if (flag === 'hidden') labelValidMs = 0;
    else if (flag === 'noload') reportsLoad = false;
    else if (valid !== null) labelValidMs = Number(valid[1]) * 1000;
    else {
      throw usageError(
        'sim-topology',
        `sim: ${key}: unknown mark ":${flag}" in "${entry}"`,
        'marks are :hidden, :noload and :valid=SECONDS',
      );
    }
  }
  const place = {
    host: label(match[2]),
    rack: label(match[3]),
    zone: label(match[4]),
    region: label(match[5]),
  };
  return new Array<PlacedWorker>(count).fill({ place, nic: match[6] as Nic, labelValidMs, reportsLoad });
}

/** Throws a usage error when a host is in two racks, a rack in two zones, or a zone in two regions. */
export function checkTopology(workers: readonly PlacedWorker[]): void {
  const parents = new Map<string, string>();
  for (const { place } of workers) {
    for (let i = 0; i + 1 < LEVELS.length; i++) {
      const level = LEVELS[i] as (typeof LEVELS)[number];
      const above = LEVELS[i + 1] as (typeof LEVELS)[number];
      const child = place[level];
      const parent = place[above];
      if (child === null || parent === null) continue;
      const key = `${level} ${child}`;
      const known = parents.get(key);
      if (known !== undefined && known !== parent) {
        throw usageError(
          'sim-topology',
          `contradictory topology: ${key} is in ${above} ${known} and in ${above} ${parent}`,
        );
      }
      parents.set(key, parent);
    }
  }
}
