import { type GroupSettings, type Lengths, lengthsOfGroup, WHOLE } from '../scenario/request-groups.js';
import type { Load } from './load.js';
import { type Cell, createCell, type TrialPlan } from './plan.js';

/** A load, of one group where there are several. */
export type RowLoad = Load & { readonly group?: string };

/** The requests behind one row of trials.csv: all of a trial, or those of one group. */
export interface TrialPart {
  /** The plan of these requests alone; `p12-c8-r2/long` is its id and `p12-c8/long` its cell's. */
  readonly plan: TrialPlan;
  /** Null for the whole of several groups, which has no single length. */
  readonly lengths: Lengths | null;
}

/** The rows of grid.csv: every cell, or every group of every cell, followed by the whole when it is asked for. */
export function planRows(settings: GroupSettings, cells: readonly Cell[]): readonly Cell[] {
  return cells.flatMap((cell) => rowGroups(settings).map((group) => rowOf(cell, group)));
}

/** The rows of one trial, in the order of {@link planRows}. */
export function splitTrial(settings: GroupSettings, trial: TrialPlan): readonly TrialPart[] {
  return rowGroups(settings).map((group) => ({
    plan: partOf(settings, trial, group),
    lengths: lengthsOfGroup(settings, group),
  }));
}

/** Whether a row repeats what the rows of its groups say. */
export function isWhole(cell: Cell): boolean {
  return cell.group === WHOLE;
}

function partOf(settings: GroupSettings, trial: TrialPlan, group: string | undefined): TrialPlan {
  if (group === undefined) return trial;
  const part = { ...trial, id: `${trial.id}/${group}`, cell: rowOf(trial.cell, group) };
  if (group === WHOLE) return part;
  const index = settings.groups.findIndex((known) => known.group === group);
  const keep = (_: number, seq: number) => trial.groupOf?.[seq] === index;
  return {
    ...part,
    prefixOf: trial.prefixOf.filter(keep),
    groupOf: trial.groupOf?.filter(keep) ?? null,
    dueMs: trial.dueMs?.filter(keep) ?? null,
  };
}

function rowGroups({ groups, whole }: GroupSettings): readonly (string | undefined)[] {
  const names = groups.map(({ group }) => group);
  if (names.length === 0) return [undefined];
  return whole ? [...names, WHOLE] : names;
}

function rowOf(cell: Cell, group: string | undefined): Cell {
  return group === undefined ? cell : createCell(cell.prefixes, cell.load, group);
}
