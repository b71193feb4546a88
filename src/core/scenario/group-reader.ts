import { WHOLE } from './request-groups.js';
import { firstMessage, namedList, type Reader, wholeNumber } from './setting-readers.js';

/** One entry of a scenario's `groups:`, before the scenario's own lengths fill in. */
export interface ListedGroup {
  readonly group: string;
  readonly share: number;
  /** Each null: the scenario's. */
  readonly prefixTokens: number | null;
  readonly tailTokens: number | null;
  readonly outputTokens: number | null;
}

const LENGTHS = ['prefix-tokens', 'tail-tokens', 'output-tokens'] as const;
const LENGTH = wholeNumber(1);

/** A list of request groups, each with a unique name and a share above 0. */
export function requestGroupList(): Reader<readonly ListedGroup[]> {
  return namedList(
    'a list of groups, each with a "group" name and a "share"',
    ['group', 'share', ...LENGTHS],
    (group, fields): ListedGroup | string => {
      if (group === WHOLE) return `group: "${WHOLE}" names the rows of all groups together`;
      const share = Number(fields.share);
      if (!(share > 0 && Number.isFinite(share))) {
        return `share: expected a number above 0, got ${fields.share ?? 'nothing'}`;
      }
      const lengths: (number | null)[] = [];
      for (const key of LENGTHS) {
        const length = LENGTH.safeParse(fields[key]);
        if (fields[key] !== undefined && !length.success) return `${key}: ${firstMessage(length.error)}`;
        lengths.push(length.data ?? null);
      }
      const [prefixTokens = null, tailTokens = null, outputTokens = null] = lengths;
      return { group, share, prefixTokens, tailTokens, outputTokens };
    },
  );
}
