import { z } from 'zod';
import { nameLabel, type Reader, textFields } from './setting-readers.js';

/** One entry of a scenario's `variants:`, before the scenario's own URL fills in. */
export interface ListedVariant {
  readonly variant: string;
  /** Null: the scenario's. */
  readonly url: string | null;
  readonly setup: string | null;
  readonly teardown: string | null;
}

const ENTRY = textFields(['variant', 'url', 'setup', 'teardown']);
const NAME = nameLabel();

/** A list of variants, each with a name of its own. */
export function variantList(): Reader<readonly ListedVariant[]> {
  return z.unknown().transform((value, context): ListedVariant[] => {
    const refuse = (message: string) => {
      context.issues.push({ code: 'custom', message, input: value });
      return z.NEVER;
    };
    if (!Array.isArray(value) || value.length === 0) {
      return refuse('expected a list of variants, each with a "variant" name and a "url"');
    }
    const read: ListedVariant[] = [];
    for (const [index, item] of value.entries()) {
      const entry = ENTRY.safeParse(item);
      const where = `entry ${index + 1}: `;
      if (!entry.success) return refuse(`${where}${entry.error.issues[0]?.message}`);
      const { variant, url = null, setup = null, teardown = null } = entry.data;
      const name = NAME.safeParse(variant);
      if (!name.success) return refuse(`${where}variant: ${name.error.issues[0]?.message}`);
      if (read.some((other) => other.variant === name.data))
        return refuse(`${where}"${name.data}" comes twice`);
      read.push({ variant: name.data, url, setup, teardown });
    }
    return read;
  }) as unknown as Reader<readonly ListedVariant[]>;
}
