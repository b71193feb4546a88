import Table from 'cli-table3';

/** A plain table without rules or colour, indented by two; the first `nameColumns` read from the left, the rest from the right. */
export function textTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  nameColumns = 0,
): string {
  const table = new Table({
    head: [...head],
    chars: NO_RULES,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    colAligns: head.map((_, column) => (column < nameColumns ? 'left' : 'right')),
  });
  table.push(...rows.map((row) => [...row]));
  return table.toString().replace(/^/gm, '  ').replace(/ +$/gm, '');
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
  middle: '  ',
};
