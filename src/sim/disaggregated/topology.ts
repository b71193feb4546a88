import { LEVELS, type Place, type PlacedWorker } from '../params/pool.js';
import type { SimParams } from '../params/sim-params.js';

/** The closest level two workers share; `far` when they share none, `unknown` when it can't be told. */
export type Locality = (typeof LEVELS)[number] | 'far' | 'unknown';

/** A missing label matches nothing, not even another missing one. `far` needs both regions known. */
export function localityOf(a: Place, b: Place): Locality {
  for (const level of LEVELS) if (a[level] !== null && a[level] === b[level]) return level;
  return a.region !== null && b.region !== null ? 'far' : 'unknown';
}

const NO_LABELS: Place = { host: null, rack: null, zone: null, region: null };

/** What the router knows of a worker's place at `nowMs`. */
export function labelsAt(worker: PlacedWorker, nowMs: number): Place {
  return nowMs < worker.labelValidMs ? worker.place : NO_LABELS;
}

/** Speeds of the paths KV can take. */
export type PathSettings = Pick<
  SimParams,
  'bytesPerToken' | 'hostGbps' | 'rdmaGbps' | 'tcpGbps' | 'latencyMs'
>;

/** How KV gets from one worker to another; null when it can't: different hosts, and one has no network path. */
export function pathBetween(from: PlacedWorker, to: PlacedWorker): 'host' | 'rdma' | 'tcp' | null {
  if (localityOf(from.place, to.place) === 'host') return 'host';
  if (from.nic === 'none' || to.nic === 'none') return null;
  return from.nic === 'rdma' && to.nic === 'rdma' ? 'rdma' : 'tcp';
}

/** Time to move the KV of `tokens` over a path: bytes / bandwidth + latency, ms. */
export function transferMs(
  settings: PathSettings,
  path: 'host' | 'rdma' | 'tcp',
  locality: Exclude<Locality, 'unknown'>,
  tokens: number,
): number {
  const gbps = { host: settings.hostGbps, rdma: settings.rdmaGbps, tcp: settings.tcpGbps }[path];
  return (tokens * settings.bytesPerToken * 8) / (gbps * 1e6) + settings.latencyMs[locality];
}
