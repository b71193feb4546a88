import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './support/cli.js';

/** Scripts that are run by hand and import what `npm run build` makes. */
const SCRIPTS = ['bench', 'docs'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.mjs'))
    .map((file) => join(ROOT, folder, file)),
);

describe('the scripts of bench and docs', () => {
  it('import what is there', async () => {
    const missing: string[] = [];
    let seen = 0;
    for (const script of SCRIPTS) {
      const imports = readFileSync(script, 'utf8').matchAll(
        /import \{([^}]*)\} from '([^']*\/dist\/[^']*)'/g,
      );
      for (const [, names = '', specifier = ''] of imports) {
        const file = relative(join(ROOT, 'dist'), resolve(script, '..', specifier)).replace(/\.js$/, '.ts');
        const module: object = await import(join(ROOT, 'src', file));
        for (const name of names.split(',').map((text) => text.trim())) {
          seen++;
          if (name !== '' && !(name in module)) missing.push(`${relative(ROOT, script)}: ${name} of ${file}`);
        }
      }
    }
    expect(missing).toEqual([]);
    expect(seen).toBeGreaterThan(20);
  });
});
