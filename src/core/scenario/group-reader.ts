import { z } from 'zod';
import { WHOLE } from './request-groups.js';
import { nameLabel, type Reader, textFields, wholeNumber } from './setting-readers.js';

/** One entry of a scenario's `groups:`, before the scenario's own lengths fill in. */
export interface ListedGroup {
  readonly group: string;
  readonly share: number;
  /** Each null: the scenario's. */
  readonly prefixTokens: number | null;
  readonly tailTokens: number | null;
  readonly outputTokens: number | null;
}

const ENTRY = textFields(['group', 'share', 'prefix-tokens', 'tail-tokens', 'output-tokens']);
const NAME = nameLabel();
const LENGTH = wholeNumber(1);

/** A list of request groups, each with a name of its own and a share above 0. */
export function requestGroupList(): Reader<readonly ListedGroup[]> {
  return z.unknown().transform((value, context): ListedGroup[] => {
    const refuse = (message: string) => {
      context.issues.push({ code: 'custom', message, input: value });
      return z.NEVER;
    };
    if (!Array.isArray(value) || value.length === 0) {
      return refuse('expected a list of groups, each with a "group" name and a "share"');
    }
    const read: ListedGroup[] = [];
    for (const [index, item] of value.entries()) {
      const entry = readEntry(item);
      const where = `entry ${index + 1}: `;
      if (typeof entry === 'string') return refuse(`${where}${entry}`);
      if (read.some(({ group }) => group === entry.group))
        return refuse(`${where}"${entry.group}" comes twice`);
      read.push(entry);
    }
    return read;
  }) as unknown as Reader<readonly ListedGroup[]>;
}

/** What is wrong with it, or the entry. */
function readEntry(item: unknown): ListedGroup | string {
  const entry = ENTRY.safeParse(item);
  if (!entry.success) return messageOf(entry.error);
  const name = NAME.safeParse(entry.data.group);
  if (!name.success) return `group: ${messageOf(name.error)}`;
  if (name.data === WHOLE) return `group: "${WHOLE}" names the rows of all groups together`;
  const share = Number(entry.data.share);
  if (!(share > 0 && Number.isFinite(share))) {
    return `share: expected a number above 0, got ${entry.data.share ?? 'nothing'}`;
  }
  const lengths: (number | null)[] = [];
  for (const key of ['prefix-tokens', 'tail-tokens', 'output-tokens'] as const) {
    const text = entry.data[key];
    const length = LENGTH.safeParse(text);
    if (text !== undefined && !length.success) return `${key}: ${messageOf(length.error)}`;
    lengths.push(length.data ?? null);
  }
  const [prefixTokens = null, tailTokens = null, outputTokens = null] = lengths;
  return { group: name.data, share, prefixTokens, tailTokens, outputTokens };
}

function messageOf(error: z.ZodError): string {
  return error.issues[0]?.message ?? 'not readable';
}
