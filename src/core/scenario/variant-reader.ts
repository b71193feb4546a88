import { namedList, type Reader } from './setting-readers.js';

/** One entry of a scenario's `variants:`, before the scenario's own URL fills in. */
export interface ListedVariant {
  readonly variant: string;
  /** Null: the scenario's. */
  readonly url: string | null;
  readonly setup: string | null;
  readonly teardown: string | null;
}

/** A list of variants, each with a unique name. */
export function variantList(): Reader<readonly ListedVariant[]> {
  return namedList(
    'a list of variants, each with a "variant" name and a "url"',
    ['variant', 'url', 'setup', 'teardown'],
    (variant, { url = null, setup = null, teardown = null }): ListedVariant => ({
      variant,
      url,
      setup,
      teardown,
    }),
  );
}
