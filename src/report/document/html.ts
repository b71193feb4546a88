import { type Block, type Cell, type Notice, type Table, textOf, titleOf } from './document.js';
import { REPORT_CSS } from './html-style.js';

export interface HtmlOptions {
  /** Of the text, `en` or `ko`. */
  readonly lang: string;
  /** SVG of each figure, by its name. */
  readonly figures: ReadonlyMap<string, string>;
}

/**
 * A report as one HTML file that needs nothing else: no network, no script. Follows the reader's light or dark theme and
 * prints.
 */
export function renderHtml(blocks: readonly Block[], options: HtmlOptions): string {
  const title = blocks.find((block) => block.kind === 'heading')?.text ?? 'kvbench';
  return `<!doctype html>
<html lang="${options.lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${REPORT_CSS}</style>
</head>
<body>
<main>
${blocks.map((block) => renderBlock(block, options)).join('\n')}
</main>
</body>
</html>
`;
}

function renderBlock(block: Block, options: HtmlOptions): string {
  switch (block.kind) {
    case 'heading':
      return `<h${block.level}>${escapeHtml(block.text)}</h${block.level}>`;
    case 'paragraph':
      return `<p>${escapeHtml(block.text)}</p>`;
    case 'answer':
      return `<div class="answer">${block.sentences.map((text) => `<p>${escapeHtml(text)}</p>`).join('')}</div>`;
    case 'notices':
      return `<ul class="notices">${block.notices.map(renderNotice).join('')}</ul>`;
    case 'table':
      return renderTable(block);
    case 'figure': {
      const { name, title, caption } = block.figure;
      return `<figure><h3>${escapeHtml(title)}</h3><div class="scroll">${options.figures.get(name) ?? ''}</div><figcaption>${escapeHtml(caption)}</figcaption></figure>`;
    }
    case 'list':
      return `<ul>${block.items.map((item) => `<li>${escapeHtml(item)}</li>`).join('')}</ul>`;
  }
}

function renderNotice(notice: Notice): string {
  const advice = notice.advice === '' ? '' : `<span class="advice">${escapeHtml(notice.advice)}</span>`;
  return `<li class="${notice.tone}"><strong>${escapeHtml(titleOf(notice))}</strong> <code>${escapeHtml(notice.code)}</code><span>${escapeHtml(notice.seen)}</span>${advice}</li>`;
}

function renderTable(table: Table): string {
  const head = table.head.map((text) => `<th scope="col">${escapeHtml(text)}</th>`).join('');
  const rows = table.rows.map((row, index) => renderRow(row, table, index)).join('\n');
  const notes = table.notes.map((note) => `<p class="note">${escapeHtml(note)}</p>`).join('');
  const title = table.title === '' ? '' : `<h3>${escapeHtml(table.title)}</h3>\n`;
  return `${title}<div class="scroll"><table class="${table.nameColumns >= table.head.length ? 'text' : `names-${table.nameColumns}`}"><thead><tr>${head}</tr></thead>
<tbody>
${rows}
</tbody></table></div>${notes}`;
}

/** A row whose first name differs from the one above begins a block of rows, and says so with a rule. */
function renderRow(row: readonly Cell[], table: Table, index: number): string {
  const above = table.rows[index - 1]?.[0];
  const begins = table.nameColumns > 1 && above !== undefined && textOf(above) !== textOf(row[0] ?? '');
  const cells = row.map((cell, column) => {
    const tone = typeof cell === 'string' ? '' : cell.tone;
    const name = column < table.nameColumns ? 'name' : '';
    const names = [name, tone].filter((text) => text !== '').join(' ');
    return `<td${names === '' ? '' : ` class="${names}"`}>${renderCell(cell)}</td>`;
  });
  return `<tr${begins ? ' class="begins"' : ''}>${cells.join('')}</tr>`;
}

function renderCell(cell: Cell): string {
  if (typeof cell === 'string' || cell.detail === undefined) return escapeHtml(textOf(cell));
  return `${escapeHtml(cell.text)}<small>${escapeHtml(cell.detail)}</small>`;
}

function escapeHtml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
