import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './support/cli.js';

const SRC = join(ROOT, 'src');

/** Folder → folders it may import from (DESIGN.md, section 6). */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  core: ['core'],
  engine: ['core', 'engine'],
  sim: ['core', 'sim', 'engine/ports.js'],
  io: ['core', 'io', 'engine/ports.js'],
  report: ['core', 'report'],
  cli: ['core', 'engine', 'sim', 'io', 'report', 'cli'],
};

interface Import {
  readonly file: string;
  readonly from: string;
  readonly target: string;
}

function importsOf(file: string): Import[] {
  const path = join(SRC, file);
  const text = readFileSync(path, 'utf8');
  const found = text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g);
  return [...found].map(([, specifier = '']) => ({
    file,
    from: file.split('/')[0] ?? '',
    target: specifier.startsWith('.') ? relative(SRC, resolve(path, '..', specifier)) : specifier,
  }));
}

const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const IMPORTS = FILES.flatMap(importsOf);
const shown = ({ file, target }: Import) => `${file} → ${target}`;

describe('the arrows between folders', () => {
  it('finds the imports at all', () => {
    expect(IMPORTS.length).toBeGreaterThan(100);
  });

  it('hold', () => {
    const broken = IMPORTS.filter(({ target }) => FILES.includes(target.replace(/\.js$/, '.ts'))).filter(
      ({ from, target }) =>
        !ARROWS[from]?.some((allowed) => target === allowed || target.startsWith(`${allowed}/`)),
    );
    expect(broken.map(shown)).toEqual([]);
  });

  it('leave sockets and HTTP to io', () => {
    const wire = /^(node:(net|tls|https?|http2|dgram)|undici)$/;
    const importers = IMPORTS.filter(({ target }) => wire.test(target));
    const allowed = (file: string) => file.startsWith('io/') || file === 'sim/http-server.ts';
    expect(importers.filter(({ file }) => !allowed(file)).map(shown)).toEqual([]);
  });

  it('keep core, engine and report free of Node, clocks, consoles and chance', () => {
    const pure = FILES.filter((file) => /^(core|engine|report)\//.test(file));
    const node = IMPORTS.filter(
      ({ from, target }) => ['core', 'engine', 'report'].includes(from) && target.startsWith('node:'),
    );
    expect(node.map(shown)).toEqual([]);
    const impure = pure.filter((file) =>
      /\b(Date\.now|new Date\(\)|performance\.now|Math\.random|console\.|process\.|setTimeout|setInterval|setImmediate)\b/.test(
        readFileSync(join(SRC, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, ''),
      ),
    );
    expect(impure).toEqual([]);
  });
});
