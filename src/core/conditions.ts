/**
 * Names of the recorded conditions (run.json's `record`, nested ones as `parent.child`) that two runs state differently.
 * A condition that only one of them states counts: nobody knows that it was the same. Without any record, none.
 */
export function findChangedConditions(
  a: Readonly<Record<string, unknown>> | null,
  b: Readonly<Record<string, unknown>> | null,
): string[] {
  if (a === null && b === null) return [];
  const first = flatten(a ?? {});
  const second = flatten(b ?? {});
  return [...new Set([...first.keys(), ...second.keys()])].filter(
    (key) => first.get(key) !== second.get(key),
  );
}

function flatten(record: Readonly<Record<string, unknown>>, parent = ''): Map<string, string> {
  const flat = new Map<string, string>();
  for (const [key, value] of Object.entries(record)) {
    const name = parent === '' ? key : `${parent}.${key}`;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [inner, text] of flatten(value as Record<string, unknown>, name)) flat.set(inner, text);
    } else if (value !== null && value !== undefined && value !== '') flat.set(name, JSON.stringify(value));
  }
  return flat;
}
