type Fields = Readonly<Record<string, unknown>>;

/**
 * `fields` with a patch over them (RFC 7396): what is null in the patch is left out, objects are merged key by key, and
 * all else replaces what was there.
 */
export function mergePatch(fields: Fields, patch: Fields): Fields {
  const merged: Record<string, unknown> = { ...fields };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else {
      const known = merged[key];
      merged[key] = isFields(value) ? mergePatch(isFields(known) ? known : {}, value) : value;
    }
  }
  return merged;
}

/** A JSON object, not a list and not null. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
