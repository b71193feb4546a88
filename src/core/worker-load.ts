import type { TrialFacts } from './measures.js';
import { median } from './statistics.js';

/** How the ok requests of a cell spread over workers, over its kept trials. */
export interface WorkerLoad {
  /** Busiest first; a worker seen in other cells of the run but not here has 0 requests. */
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

/**
 * The load of one cell. `known` are the workers of the whole run, so that an idle one counts. Null when no ok request
 * names its worker.
 */
export function summarizeWorkerLoad(
  trials: readonly { readonly repeat: number; readonly facts: TrialFacts }[],
  prefixes: number,
  known: Iterable<string>,
): WorkerLoad | null {
  const names = [...new Set(known)].sort(byIdText);
  const matrices = trials.map(({ repeat, facts }) => countWorkerPrefixes(repeat, facts, prefixes, names));
  const totals = names.map((worker, w) => ({
    worker,
    requests: matrices.reduce((sum, matrix) => sum + sumOf(matrix.counts[w] ?? []), 0),
  }));
  const all = sumOf(totals.map((total) => total.requests));
  if (all === 0) return null;
  const cvs = matrices.map((matrix) => coefficientOfVariation(matrix.counts.map(sumOf)));
  const served = matrices.map((matrix) => sumOf(matrix.counts.map(sumOf)));
  return {
    workers: totals
      .map((total) => ({ ...total, share: total.requests / all }))
      .sort((a, b) => b.requests - a.requests || byIdText(a.worker, b.worker)),
    cv: middle(cvs),
    cvByChance: Math.sqrt((names.length - 1) / middle(served)),
    trials: matrices,
  };
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

/** Ids are text, but `w2` should come before `w10`. */
function byIdText(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
