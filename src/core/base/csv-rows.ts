/**
 * Splits CSV text (RFC 4180: quotes, doubled quotes, commas and line ends within quotes; LF or CRLF; a byte order mark)
 * into rows of cells. Lines without any text are left out.
 */
export function parseCsvRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;

  function endCell(): void {
    row.push(cell);
    cell = '';
  }
  function endRow(): void {
    endCell();
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
  }

  for (let at = text.startsWith('\uFEFF') ? 1 : 0; at < text.length; at++) {
    const char = text[at] as string;
    if (quoted) {
      if (char !== '"') cell += char;
      else if (text[at + 1] === '"') {
        cell += '"';
        at++;
      } else quoted = false;
    } else if (char === '"' && cell === '') quoted = true;
    else if (char === ',') endCell();
    else if (char === '\n') endRow();
    else if (char !== '\r') cell += char;
  }
  if (cell !== '' || row.length > 0) endRow();
  return rows;
}
