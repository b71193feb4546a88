/** Lengths of a request, tokens. */
export interface Lengths {
  readonly prefixTokens: number;
  readonly tailTokens: number;
  readonly outputTokens: number;
}

/** One kind of request of a scenario that mixes several: long documents, short chats. */
export interface RequestGroup extends Lengths {
  readonly group: string;
  /** Relative to the shares of the other groups: 1 and 3 are a quarter and three quarters of the requests. */
  readonly share: number;
}

/** The group of the rows that combine all groups. No group may have this name. */
export const WHOLE = 'whole';

/** The settings that say how trials are split into rows. */
export interface GroupSettings extends Lengths {
  readonly groups: readonly RequestGroup[];
  readonly whole: boolean;
}

/** The kinds of request of a scenario: its groups, or the one that it is. */
export function lengthsOf(settings: GroupSettings): readonly Lengths[] {
  return isGrouped(settings) ? settings.groups : [settings];
}

export function isGrouped({ groups }: Pick<GroupSettings, 'groups'>): boolean {
  return groups.length > 0;
}

/** The lengths of a row's requests: the scenario's without a group. Null for the whole of several groups. */
export function lengthsOfGroup(settings: GroupSettings, group: string | undefined): Lengths | null {
  if (group === undefined) return settings;
  return settings.groups.find((known) => known.group === group) ?? null;
}
