import { median } from '../base/statistics.js';
import type { TrialFacts } from './trial-facts.js';
import { byIdText, type WorkerLifetimes } from './worker-lifetimes.js';

/** How the ok requests of a cell spread over workers, over its kept trials. */
export interface WorkerLoad {
  /**
   * Busiest first; a worker seen in other cells of the run but not here has 0 requests. Where the target was started anew,
   * the busiest of each lifetime are one entry, with all their ids.
   */
  readonly workers: readonly { readonly worker: string; readonly requests: number; readonly share: number }[];
  /**
   * Coefficient of variation of requests per worker (standard deviation / mean), in each trial; the median over trials.
   * n requests spread by chance over W workers give about √((W − 1) / n).
   */
  readonly cv: number;
  /** What chance alone would give: √((W − 1) / n). */
  readonly cvByChance: number;
  /** Requests of each worker and prefix, one matrix for each kept trial: prefix 3 of two repeats is not the same text. */
  readonly trials: readonly WorkerPrefixCounts[];
}

/** Worker × prefix counts of one trial. */
export interface WorkerPrefixCounts {
  readonly repeat: number;
  readonly workers: readonly string[];
  /** `counts[w][p]`: ok requests of prefix p that worker w served. */
  readonly counts: readonly (readonly number[])[];
}

/** The load of one cell; `fleet` is the whole run's, so that an idle worker counts. Null when no ok request names its worker. */
export function summarizeWorkerLoad(
  trials: readonly { readonly repeat: number; readonly facts: TrialFacts }[],
  prefixes: number,
  fleet: WorkerLifetimes,
): WorkerLoad | null {
  const matrices = trials.map(({ repeat, facts }) =>
    countWorkerPrefixes(repeat, facts, prefixes, fleet.of(repeat)),
  );
  const served = matrices.map((matrix) => sumOf(matrix.counts.map(sumOf)));
  const all = sumOf(served);
  if (all === 0) return null;
  return {
    workers: rankWorkers(matrices).map((worker) => ({ ...worker, share: worker.requests / all })),
    cv: middle(matrices.map((matrix) => coefficientOfVariation(matrix.counts.map(sumOf)))),
    cvByChance: Math.sqrt((fleet.size - 1) / middle(served)),
    trials: matrices,
  };
}

/** Requests of the busiest worker of each lifetime, then of the second, and so on. */
function rankWorkers(
  matrices: readonly WorkerPrefixCounts[],
): { readonly worker: string; readonly requests: number }[] {
  const lifetimes = new Map<string, Map<string, number>>();
  for (const { workers, counts } of matrices) {
    const name = workers.join();
    const totals = lifetimes.get(name) ?? new Map<string, number>();
    lifetimes.set(name, totals);
    for (const [w, worker] of workers.entries()) {
      totals.set(worker, (totals.get(worker) ?? 0) + sumOf(counts[w] ?? []));
    }
  }
  const ranked = [...lifetimes.values()].map((totals) =>
    [...totals].sort((a, b) => b[1] - a[1] || byIdText(a[0], b[0])),
  );
  const most = Math.max(0, ...ranked.map((lifetime) => lifetime.length));
  return Array.from({ length: most }, (_, rank) => {
    const alike = ranked.flatMap((lifetime) => (lifetime[rank] === undefined ? [] : [lifetime[rank]]));
    return {
      worker: alike.map(([worker]) => worker).join(', '),
      requests: sumOf(alike.map(([, requests]) => requests)),
    };
  });
}

function countWorkerPrefixes(
  repeat: number,
  facts: TrialFacts,
  prefixes: number,
  workers: readonly string[],
): WorkerPrefixCounts {
  const rowOf = new Map(workers.map((worker, row) => [worker, row]));
  const counts = workers.map(() => new Array<number>(prefixes).fill(0));
  for (const { worker, prefix } of facts.ok) {
    const row = worker === null ? undefined : counts[rowOf.get(worker) ?? -1];
    if (row !== undefined && prefix !== null) row[prefix] = (row[prefix] ?? 0) + 1;
  }
  return { repeat, workers, counts };
}

function coefficientOfVariation(values: readonly number[]): number {
  const mean = sumOf(values) / values.length;
  if (mean === 0) return 0;
  const variance = sumOf(values.map((value) => (value - mean) ** 2)) / values.length;
  return Math.sqrt(variance) / mean;
}

function middle(values: readonly number[]): number {
  return median(values) ?? 0;
}

function sumOf(values: readonly number[]): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
