// The published tables as a flat list of figures, each with the cell it belongs to and which set that cell is in.

const CALIBRATION_CONCURRENCY = new Set([4, 8]);

/** Units in which deviations are told: points for shares of requests, the plain difference, or per cent of the published. */
const KINDS = {
  request_hit_rate: { title: 'Request hit rate, %', deviation: 'points', digits: 1, scale: 100 },
  cached_token_ratio: { title: 'Cached-token ratio', deviation: 'plain', digits: 3, scale: 1 },
  workers_per_prefix: { title: 'Workers per prefix', deviation: 'plain', digits: 2, scale: 1 },
  ttft_p50_ms: { title: 'TTFT p50, ms', deviation: 'percent', digits: 0, scale: 1 },
  ttft_p99_ms: { title: 'TTFT p99, ms', deviation: 'percent', digits: 0, scale: 1 },
  throughput_rps: { title: 'Throughput, requests/s', deviation: 'percent', digits: 1, scale: 1 },
};

export { KINDS };

/** Every published figure: `{ measure, workers, prefixes, concurrency, variant, published, set }`, in units of the publication. */
export function flattenPublished(publication) {
  const figures = [];
  const add = (measure, workers, prefixes, concurrency, variant, published) => {
    const known = figures.find(
      (other) =>
        other.measure === measure &&
        other.workers === workers &&
        other.prefixes === prefixes &&
        other.concurrency === concurrency &&
        other.variant === variant,
    );
    // The same cell is printed twice with other rounding: the finer table comes first.
    if (known !== undefined) return;
    const calibrates = workers === 6 && CALIBRATION_CONCURRENCY.has(concurrency);
    figures.push({
      measure,
      workers,
      prefixes,
      concurrency,
      variant,
      published,
      set: calibrates ? 'calibration' : 'test',
    });
  };
  for (const table of publication.tables) {
    if (table.by_concurrency !== undefined) {
      for (const [row, cells] of Object.entries(table.rows)) {
        const [workers, prefixes] = row.match(/\d+/g).map(Number);
        table.by_concurrency.forEach((concurrency, i) => {
          add('request_hit_rate', workers, prefixes, concurrency, 'kv', cells.kv[i]);
        });
      }
      continue;
    }
    const measures = table.metric.split('/');
    for (const [prefixes, row] of Object.entries(table.rows)) {
      for (const [variant, value] of Object.entries(row)) {
        measures.forEach((measure, i) => {
          const published = Array.isArray(value) ? value[i] : value;
          add(measure, table.workers, Number(prefixes), table.concurrency, variant, published);
        });
      }
    }
  }
  return figures;
}
