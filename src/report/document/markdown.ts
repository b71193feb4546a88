import { type Block, type Notice, type Table, textOf, titleOf } from './document.js';

/** A document as GitHub-flavoured Markdown. Figures are linked as `figures/NAME.svg`, beside the file. */
export function renderMarkdown(blocks: readonly Block[]): string {
  return `${blocks.map(renderBlock).join('\n\n')}\n`;
}

function renderBlock(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(block.level)} ${escapeText(block.text)}`;
    case 'paragraph':
      return escapeText(block.text);
    case 'answer':
      return block.sentences.map((sentence) => `> ${escapeText(sentence)}`).join('\n>\n');
    case 'notices':
      return block.notices.map(renderNotice).join('\n');
    case 'table':
      return renderTable(block);
    case 'figure':
      return `### ${escapeText(block.figure.title)}\n\n![${escapeText(block.figure.title)}](figures/${block.figure.name}.svg)\n\n${escapeText(block.figure.caption)}`;
    case 'list':
      return block.items.map((item) => `- ${escapeText(item)}`).join('\n');
  }
}

const TONE_MARKS = { drop: '⛔', forbid: '⛔', withhold: '⚠', caution: '⚠', note: '·', reason: '·' } as const;

function renderNotice(notice: Notice): string {
  const advice = notice.advice === '' ? '' : ` *${escapeText(notice.advice)}*`;
  return `- ${TONE_MARKS[notice.tone]} **${escapeText(titleOf(notice))}** (\`${notice.code}\`): ${escapeText(notice.seen)}.${advice}`;
}

function renderTable(table: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rules = table.head.map((_, column) => (column < table.nameColumns ? '---' : '---:'));
  const rows = table.rows.map((row) => line(row.map((cell) => escapeCell(textOf(cell)))));
  const notes = table.notes.length === 0 ? '' : `\n\n${table.notes.map(escapeText).join('  \n')}`;
  const title = table.title === '' ? '' : `### ${escapeText(table.title)}\n\n`;
  return title + [line(table.head.map(escapeCell)), line(rules), ...rows].join('\n') + notes;
}

/** Characters that would start a mark-up of their own. */
function escapeText(text: string): string {
  return text.replace(/[\\`*_[\]<>]/g, '\\$&').replace(/\s*\n\s*/g, ' ');
}

function escapeCell(text: string): string {
  return escapeText(text).replace(/\|/g, '\\|');
}

/** A Markdown table of cells that hold Markdown. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
