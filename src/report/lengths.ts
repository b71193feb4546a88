import type { GroupSettings, Lengths } from '../core/scenario/request-groups.js';
import { formatCount } from './format.js';

/** `2,000`, or with groups `8,000 (long), 500 (short)`. */
export function describeLength(scenario: GroupSettings, key: keyof Lengths): string {
  const { groups = [] } = scenario;
  if (groups.length === 0) return formatCount(scenario[key]);
  return groups.map((group) => `${formatCount(group[key])} (${group.group})`).join(', ');
}
