import { createRng, type Rng, shuffled } from '../base/rng.js';
import type { RequestGroup } from '../scenario/request-groups.js';
import type { Scenario } from '../scenario/settings.js';
import { type Load, listLoads, loadId, planArrivals } from './load.js';

/** One point of the grid. */
export interface Cell {
  /** `p12-c8` or `p12-q20`; of one group of requests among several, `p12-c8/long`. */
  readonly id: string;
  readonly prefixes: number;
  readonly load: Load;
  /** Left out where the scenario has no groups. */
  readonly group?: string;
}

/** One repeat of a cell, its requests not drawn yet. */
export interface GridTrial {
  /** `p12-c8-r2`. */
  readonly id: string;
  readonly cell: Cell;
  /** From 1. */
  readonly repeat: number;
}

/** A trial with every request decided. Plain data, which threads can be sent. */
export interface TrialPlan extends GridTrial {
  /** Prefix group of each request, in the order of sending. */
  readonly prefixOf: Uint32Array;
  /** Position of each request's group in the scenario's list; null without groups. */
  readonly groupOf: Uint16Array | null;
  /** When each request of an open load is due, ms from the trial's start, ascending; null for a closed load. */
  readonly dueMs: Float64Array | null;
}

/** The settings that decide the plan. */
export type PlanSettings = Pick<
  Scenario,
  'seed' | 'prefixes' | 'concurrency' | 'rate' | 'requests' | 'repeats' | 'groups'
>;

export interface GridPlan {
  /** Row order of every table: prefixes, then concurrency or rate. */
  readonly cells: readonly Cell[];
  /** In the order in which they run. */
  readonly trials: readonly GridTrial[];
}

/**
 * Every trial of a run, as data; their requests are drawn one trial at a time ({@link planTrial}). Trials go repeat by
 * repeat over the whole grid, the cells of each repeat in an order drawn from the seed, so that drift of the machine does
 * not fall on one cell.
 */
export function planGrid(settings: PlanSettings): GridPlan {
  const cells = planCells(settings);
  const trials: GridTrial[] = [];
  for (let repeat = 1; repeat <= settings.repeats; repeat++) {
    const order = shuffled(cells, createRng(`${settings.seed}/order/r${repeat}`));
    for (const cell of order) trials.push({ id: `${cell.id}-r${repeat}`, cell, repeat });
  }
  return { cells, trials };
}

/**
 * Draws the requests of a trial. Prefixes are drawn uniformly and independently, so no remainder is dropped: n requests
 * are n requests. So are groups, by their shares, from a random stream of their own; each group has `prefixes` prefixes.
 */
export function planTrial(settings: PlanSettings, trial: GridTrial): TrialPlan {
  const { id, cell } = trial;
  const draw = createRng(`${settings.seed}/${id}/prefix-order`);
  const prefixOf = new Uint32Array(settings.requests);
  for (let i = 0; i < prefixOf.length; i++) prefixOf[i] = draw.int(cell.prefixes);
  return {
    ...trial,
    prefixOf,
    groupOf: planGroups(settings, id),
    dueMs: planArrivals(cell.load, settings.requests, () => createRng(`${settings.seed}/${id}/arrivals`)),
  };
}

/** The points of the grid alone, in the row order of every table. */
export function planCells(
  settings: Pick<PlanSettings, 'prefixes' | 'concurrency' | 'rate'>,
): readonly Cell[] {
  const loads = listLoads(settings);
  return settings.prefixes.flatMap((prefixes) => loads.map((load) => createCell(prefixes, load)));
}

/** One point of the grid, or of one group of requests at it. */
export function createCell(prefixes: number, load: Load, group?: string): Cell {
  const id = `p${prefixes}-${loadId(load)}`;
  return group === undefined ? { id, prefixes, load } : { id: `${id}/${group}`, prefixes, load, group };
}

function planGroups({ seed, requests, groups }: PlanSettings, id: string): Uint16Array | null {
  if (groups.length === 0) return null;
  const draw = createRng(`${seed}/${id}/group-order`);
  const all = groups.reduce((sum, { share }) => sum + share, 0);
  return Uint16Array.from({ length: requests }, () => drawGroup(draw, groups, all));
}

function drawGroup(draw: Rng, groups: readonly RequestGroup[], all: number): number {
  let left = draw.next() * all;
  const drawn = groups.findIndex(({ share }) => {
    left -= share;
    return left < 0;
  });
  // Rounding may leave a last sliver to nobody.
  return drawn < 0 ? groups.length - 1 : drawn;
}
