import type { FactRecord } from '../answer/request-record.js';
import type { Cell, Load, TrialPlan } from '../workload/plan.js';

/** Lengths of a request, tokens. */
export interface Lengths {
  readonly prefixTokens: number;
  readonly tailTokens: number;
  readonly outputTokens: number;
}

/** One kind of request of a scenario that mixes several: long documents, short chats. */
export interface RequestGroup extends Lengths {
  readonly group: string;
  /** Of the requests, against the shares of the other groups: 1 and 3 are a quarter and three quarters. */
  readonly share: number;
}

/** The group of the rows that hold all groups together. No group may have this name. */
export const WHOLE = 'whole';

/** A load, of one group where there are several. */
export type RowLoad = Load & { readonly group?: string };

/** What of a scenario says how its trials are split into rows. Both are missing in runs of before there were groups. */
export interface GroupSettings extends Lengths {
  readonly groups?: readonly RequestGroup[];
  readonly whole?: boolean;
}

/** What one row of trials.csv is of: all requests of a trial, or those of one group. */
export interface TrialPart {
  /** The plan of these requests alone; `p12-c8-r2/long` is its id and `p12-c8/long` its cell's. */
  readonly plan: TrialPlan;
  /** Null for the whole of several groups, which has no lengths of its own. */
  readonly lengths: Lengths | null;
}

/** The kinds of request of a scenario: its groups, or the one that it is. */
export function lengthsOf(settings: GroupSettings): readonly Lengths[] {
  return isGrouped(settings) ? (settings.groups ?? []) : [settings];
}

export function isGrouped({ groups = [] }: Pick<GroupSettings, 'groups'>): boolean {
  return groups.length > 0;
}

/** The lengths of a row's requests: the scenario's without a group. Null for the whole of several groups. */
export function lengthsOfGroup(settings: GroupSettings, group: string | undefined): Lengths | null {
  if (group === undefined) return settings;
  return settings.groups?.find((known) => known.group === group) ?? null;
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

/** The records that a row is made from. */
export function recordsIn<R extends FactRecord>(part: TrialPart, records: readonly R[]): readonly R[] {
  const { group } = part.plan.cell;
  return group === undefined || group === WHOLE
    ? records
    : records.filter((record) => record.group === group);
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
  return group === null ? cell : { ...cell, id: `${cell.id}/${group}`, group };
}
