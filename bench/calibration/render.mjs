// Tables of docs/statistics.md.

/** Runs of a variant against itself; `judged`: pairs of [title, comparisons of each pair of runs]. */
export function renderNulls(judged) {
  const rows = judged.map(([title, pairs]) => {
    const all = pairs.flat();
    return [
      title,
      String(all.length),
      `${all.filter((one) => one.called).length} (${percent(all, (one) => one.called)})`,
      `${pairs.filter((pair) => pair.some((one) => one.called)).length} of ${pairs.length}`,
      percent(all, excludesNothing),
      percent(all, (one) => one.byRequests),
      percent(all, (one) => one.byRepeats),
    ];
  });
  return table(
    [
      'nothing changed',
      'comparisons',
      'called different',
      'pairs with a false call',
      '95 % interval excludes 0',
      'by requests alone',
      'by repeats alone',
    ],
    rows,
  );
}

export function excludesNothing({ low, high }) {
  return low > 0 || high < 0;
}

export function percent(all, test) {
  return `${((100 * all.filter(test).length) / all.length).toFixed(1)} %`;
}

export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return ['', line(head), line(head.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line), ''].join(
    '\n',
  );
}
