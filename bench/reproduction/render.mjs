// docs/reproduction.md from compared figures. Pure: strings in, a string out.

import { meanDeviations } from './compare.mjs';
import { KINDS } from './published.mjs';

const VARIANTS = ['baseline', 'round-robin', 'kv', 'kv-unseeded', 'kv-approx'];
const AIMS = {
  request_hit_rate: 2.5,
  cached_token_ratio: 0.025,
  workers_per_prefix: 0.7,
  ttft_p50_ms: 20,
  throughput_rps: 20,
};
const UNITS = {
  request_hit_rate: ' points',
  cached_token_ratio: '',
  workers_per_prefix: '',
  ttft_p50_ms: ' %',
  ttft_p99_ms: ' %',
  throughput_rps: ' %',
};

/** Mean absolute deviations, calibration and test cells apart. */
export function renderSummary(compared) {
  const calibration = new Map(meanDeviations(compared, 'calibration').map((row) => [row.measure, row]));
  const test = new Map(meanDeviations(compared, 'test').map((row) => [row.measure, row]));
  const rows = Object.keys(KINDS).map((measure) => [
    KINDS[measure].title.replace(/, (ms|%|requests\/s)$/, ''),
    formatMean(measure, calibration.get(measure)),
    formatMean(measure, test.get(measure)),
    AIMS[measure] === undefined ? 'none' : `${AIMS[measure]}${UNITS[measure]}`,
  ]);
  return table(['measure', 'calibration cells', 'test cells', 'aim'], rows);
}

function formatMean(measure, row) {
  if (row === undefined) return 'none published';
  const digits = KINDS[measure].deviation === 'plain' ? 3 : 1;
  return `${row.deviation.toFixed(digits)}${UNITS[measure]} (${row.cells})`;
}

/** Every cell of every measure: published, simulated, deviation. */
export function renderCells(compared, set) {
  return Object.entries(KINDS)
    .map(([measure, kind]) => {
      const own = compared.filter((figure) => figure.measure === measure && figure.set === set);
      if (own.length === 0) return '';
      const variants = VARIANTS.filter((variant) => own.some((figure) => figure.variant === variant));
      const keys = [...new Set(own.map(cellName))];
      const rows = keys.map((key) => {
        const cell = own.filter((figure) => cellName(figure) === key);
        return [
          key,
          ...variants.map((variant) => formatFigure(cell.find((figure) => figure.variant === variant))),
        ];
      });
      return `**${kind.title}**\n\n${table(['workers, prefixes, concurrency', ...variants], rows)}`;
    })
    .filter((text) => text !== '')
    .join('\n\n');
}

function cellName({ workers, prefixes, concurrency }) {
  return `${workers}, ${prefixes}, ${concurrency}`;
}

function formatFigure(figure) {
  if (figure === undefined) return '';
  const { digits, deviation } = KINDS[figure.measure];
  const sign = figure.deviation < 0 ? '−' : '+';
  const off = Math.abs(figure.deviation).toFixed(deviation === 'percent' ? 0 : digits);
  const unit = deviation === 'percent' ? ' %' : '';
  return `${figure.published} → ${figure.simulated.toFixed(digits)} (${sign}${off}${unit})`;
}

/** How many of the published orders hold, and those that do not. */
export function renderOrders(orders) {
  const lost = orders.filter((order) => !order.kept);
  const head = `${orders.length - lost.length} of ${orders.length} published gaps that are larger than their noise have the same sign in the simulation.`;
  if (lost.length === 0) return head;
  const rows = lost.map(({ a, b }) => [
    `${KINDS[a.measure].title}: ${cellName(a)}`,
    `${a.variant} ${a.published}, ${b.variant} ${b.published}`,
    `${a.simulated.toFixed(KINDS[a.measure].digits)}, ${b.simulated.toFixed(KINDS[a.measure].digits)}`,
  ]);
  return `${head} Those that have not:\n\n${table(['measure and cell', 'published', 'simulated'], rows)}`;
}

/** The cells furthest off, worst first, in multiples of the aim (or of the mean where there is none). */
export function renderWorst(compared, count) {
  const rows = compared
    .filter((figure) => AIMS[figure.measure] !== undefined)
    .map((figure) => ({ figure, times: Math.abs(figure.deviation) / AIMS[figure.measure] }))
    .sort((a, b) => b.times - a.times)
    .slice(0, count)
    .map(({ figure, times }) => [
      KINDS[figure.measure].title,
      `${figure.variant}: ${cellName(figure)}`,
      figure.set,
      formatFigure(figure),
      `${times.toFixed(1)} × the aim`,
    ]);
  return table(
    ['measure', 'variant: workers, prefixes, concurrency', 'set', 'published → simulated', 'off'],
    rows,
  );
}

export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
