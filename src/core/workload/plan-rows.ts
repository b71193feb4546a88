import { type GroupSettings, type Lengths, lengthsOfGroup, WHOLE } from '../scenario/request-groups.js';
import type { Load } from './load.js';
import { type Cell, createCell, type TrialPlan } from './plan.js';

/** A load, of one group where there are several. */
export type RowLoad = Load & { readonly group?: string };

/** What one row of trials.csv is of: all requests of a trial, or those of one group. */
export interface TrialPart {
  /** The plan of these requests alone; `p12-c8-r2/long` is its id and `p12-c8/long` its cell's. */
  readonly plan: TrialPlan;
  /** Null for the whole of several groups, which has no lengths of its own. */
  readonly lengths: Lengths | null;
}

/** The rows of grid.csv: every cell, or every group of every cell, and the whole after them when it is asked for. */
export function planRows(settings: GroupSettings, cells: readonly Cell[]): readonly Cell[] {
  return cells.flatMap((cell) => rowNames(settings).map((group) => rowOf(cell, group)));
}

/** The rows of one trial, in the order of {@link planRows}. */
export function splitTrial(settings: GroupSettings, trial: TrialPlan): readonly TrialPart[] {
  return rowNames(settings).map((name) => {
    const cell = rowOf(trial.cell, name);
    const index = (settings.groups ?? []).findIndex(({ group }) => group === name);
    const keep = (_: number, seq: number) => trial.groupOf?.[seq] === index;
    const plan =
      name === null
        ? trial
        : name === WHOLE
          ? { ...trial, id: `${trial.id}/${name}`, cell }
          : {
              ...trial,
              id: `${trial.id}/${name}`,
              cell,
              prefixOf: trial.prefixOf.filter(keep),
              groupOf: trial.groupOf?.filter(keep) ?? null,
              dueMs: trial.dueMs?.filter(keep) ?? null,
            };
    return { plan, lengths: lengthsOfGroup(settings, cell.group) };
  });
}

/** Whether a row repeats what the rows of its groups say. */
export function isWhole(cell: Cell): boolean {
  return cell.group === WHOLE;
}

function rowNames(settings: GroupSettings): readonly (string | null)[] {
  const names = (settings.groups ?? []).map(({ group }) => group);
  if (names.length === 0) return [null];
  return settings.whole === true ? [...names, WHOLE] : names;
}

function rowOf(cell: Cell, group: string | null): Cell {
  return group === null ? cell : createCell(cell.prefixes, cell.load, group);
}
