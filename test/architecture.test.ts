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

/** What is in a folder, in the order in which it may build on each other: each on what stands before it. */
const ORDERS: Readonly<Record<string, readonly string[]>> = {
  core: ['base', 'scenario', 'workload', 'answer', 'measure', 'compare'],
  sim: [
    'clock',
    'params',
    'worker',
    'prompt-segments.ts',
    'policies',
    'cluster.ts',
    'request-trace.ts',
    'disaggregated',
    'transport.ts',
    'http',
  ],
};

/** Files that import each other in a circle, type imports included: Tarjan's strongly connected components. */
function circles(): string[][] {
  const importsBy = new Map(FILES.map((file) => [file, [] as string[]]));
  for (const { file, target } of IMPORTS) importsBy.get(file)?.push(target.replace(/\.js$/, '.ts'));
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  function visit(file: string): number {
    const own = index.size;
    index.set(file, own);
    low.set(file, own);
    stack.push(file);
    for (const next of importsBy.get(file) ?? []) {
      if (!importsBy.has(next)) continue;
      const reached = index.has(next) ? (stack.includes(next) ? index.get(next) : undefined) : visit(next);
      low.set(file, Math.min(low.get(file) ?? own, reached ?? own));
    }
    if (low.get(file) === own) {
      const circle = stack.splice(stack.indexOf(file));
      if (circle.length > 1) found.push(circle);
    }
    return low.get(file) ?? own;
  }
  for (const file of FILES) if (!index.has(file)) visit(file);
  return found;
}

describe('the arrows between folders', () => {
  it('lead in no circle from file to file', () => {
    expect(circles()).toEqual([]);
  });

  it.each(Object.entries(ORDERS))('keep the order inside %s', (folder, order) => {
    const inside = (file: string) => file.startsWith(`${folder}/`);
    const rank = (file: string) => order.indexOf(file.replace(/\.js$/, '.ts').split('/')[1] ?? '');
    expect(FILES.filter((file) => inside(file) && rank(file) < 0)).toEqual([]);
    const upward = IMPORTS.filter(
      ({ file, target }) => inside(file) && inside(target) && rank(target) > rank(file),
    );
    expect(upward.map(shown)).toEqual([]);
  });

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
    const allowed = (file: string) => file.startsWith('io/') || file.startsWith('sim/http/');
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
