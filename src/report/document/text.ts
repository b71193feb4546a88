import CliTable from 'cli-table3';
import { type Block, type Notice, type Table, textOf } from './document.js';

const WIDTH = 80;

/** A document as plain text for 80 columns, without colour; a wider table is continued below itself. Figures are left out. */
export function renderText(blocks: readonly Block[]): string {
  const parts = blocks.flatMap((block) => renderBlock(block));
  return parts.length === 0 ? '' : `${parts.join('\n\n')}\n`;
}

function renderBlock(block: Block): string[] {
  switch (block.kind) {
    case 'heading':
      return [block.text];
    case 'paragraph':
      return [wrap(block.text, '')];
    case 'answer':
      return [block.sentences.map((sentence) => wrap(sentence, '')).join('\n')];
    case 'notices':
      return [block.notices.map(renderNotice).join('\n')];
    case 'table':
      return [renderTable(block)];
    case 'list':
      return [block.items.map((item) => wrap(item, '  ')).join('\n')];
    case 'figure':
      return [];
  }
}

const LABELS = {
  drop: 'DROPPED ',
  forbid: 'FORBIDS COMPARISON ',
  withhold: 'WITHHOLDS MEASURES ',
  caution: 'CAUTION ',
  note: 'NOTE ',
  reason: '',
} as const;

function renderNotice({ tone, code, about, seen, advice }: Notice): string {
  const line = wrap(`${LABELS[tone]}${code}${about === '' ? '' : ` (${about})`}: ${seen}`, '');
  return advice === '' ? line : `${line}\n${wrap(`-> ${advice}`, '  ')}`;
}

function renderTable(table: Table): string {
  const rows = table.rows.map((row) => row.map(textOf));
  const widths = table.head.map((_, c) => Math.max(0, ...rows.map((row) => row[c]?.length ?? 0)));
  const head = fits(table.head.map((text, c) => Math.max(text.length, widths[c] ?? 0)))
    ? table.head
    : table.head.map((text, c) => broken(text, widths[c] ?? 0));
  const full = head.map((text, c) =>
    Math.max(widths[c] ?? 0, ...text.split('\n').map((line) => line.length)),
  );
  const parts = splitColumns(full, table.nameColumns === 0 ? 1 : table.nameColumns).map((columns) =>
    alignColumns(
      columns.map((c) => head[c] ?? ''),
      rows.map((row) => columns.map((c) => row[c] ?? '')),
      table.nameColumns,
    ),
  );
  const notes = table.notes.map((note) => wrap(note, '  '));
  return [...(table.title === '' ? [] : [table.title]), ...parts, ...notes].join('\n');
}

const GAP = 2;

function fits(widths: readonly number[]): boolean {
  return widths.reduce((sum, width) => sum + GAP + width, 0) <= WIDTH;
}

/** A heading in lines no wider than its column, or its longest word. */
function broken(text: string, width: number): string {
  const most = Math.max(width, ...text.split(' ').map((word) => word.length));
  return breakLines(text, most, '').join('\n');
}

/** The columns of each part: as many as fit, each part with the `fixed` ones at its left. */
function splitColumns(widths: readonly number[], fixed: number): number[][] {
  const names = widths.slice(0, fixed).map((_, c) => c);
  const parts: number[][] = [];
  let part = [...names];
  for (let c = fixed; c < widths.length; c++) {
    if (part.length > fixed && !fits([...part, c].map((column) => widths[column] ?? 0))) {
      parts.push(part);
      part = [...names];
    }
    part.push(c);
  }
  return [...parts, part];
}

function alignColumns(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  nameColumns: number,
): string {
  const table = new CliTable({
    head: [...head],
    chars: NO_RULES,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    colAligns: head.map((_, column) => (column < nameColumns ? 'left' : 'right')),
  });
  table.push(...rows.map((row) => [...row]));
  return table.toString().replace(/^/gm, ' '.repeat(GAP)).replace(/ +$/gm, '');
}

const NO_RULES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: ' '.repeat(GAP),
};

/** Breaks a text between words, every line indented, those after the first a little more. */
function wrap(text: string, indent: string): string {
  return breakLines(`${indent}${text}`, WIDTH, `${indent}  `).join('\n');
}

function breakLines(text: string, width: number, indent: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/(?<=\S) /)) {
    const next = line === '' ? word : `${line} ${word}`;
    if (next.length <= width || line === '') line = next;
    else {
      lines.push(line);
      line = `${indent}${word}`;
    }
  }
  return [...lines, line];
}
