// A scenario that lists variants, as one resolved scenario for each.

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { resolveScenario } from '../../dist/core/scenario/resolve-scenario.js';
import { parseScenario } from '../../dist/core/scenario/scenario-file.js';

/** The scenarios of a file's variants, in its order; `over` wins over the file. */
export function loadVariants(path, over = {}) {
  const { variants, ...shared } = parse(readFileSync(path, 'utf8'));
  return variants.map(({ variant, url }) =>
    resolveScenario(
      { ...parseScenario(JSON.stringify({ ...shared, variant, url }), path), ...over },
      () => variant,
    ),
  );
}
