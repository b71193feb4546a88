import { loadSize } from '../../core/workload/load.js';
import type { RowLoad } from '../../core/workload/plan-rows.js';
import type { Messages } from '../messages/en.js';
import { type ReportData, rowsAt } from '../report-data.js';
import { type Figure, pickEvenly } from './figure.js';
import {
  bandLayer,
  CEILING_STYLE,
  endLabels,
  type LineLabel,
  labelSpaceOf,
  lineLayer,
} from './panel-layers.js';
import { panelGrid } from './panels.js';
import { yOf, zeroScale } from './scales.js';

const MOST_PREFIXES = 4;

/** Completed requests per second over requests in flight, a panel for each number of prefixes. Null without a closed load. */
export function planThroughputFigure(report: ReportData, words: Messages): Figure | null {
  return planFigure(report, words, 'closed', 'throughput', words.axis.concurrency);
}

/** Completed over offered requests per second, with the line where both are equal. Null without an open load. */
export function planOpenThroughputFigure(report: ReportData, words: Messages): Figure | null {
  return planFigure(report, words, 'open', 'throughput-open', words.axis.rate);
}

function planFigure(
  report: ReportData,
  words: Messages,
  kind: RowLoad['kind'],
  name: string,
  xTitle: string,
): Figure | null {
  const loads = report.loads.filter((load) => load.kind === kind);
  const groups = [...new Set(loads.map((load) => load.group))];
  const prefixes = pickEvenly(report.prefixes, MOST_PREFIXES);
  const rowOf = (s: number, p: number, load: RowLoad) => {
    const side = report.sides[s];
    return side === undefined ? undefined : rowsAt(side, p, load)?.summary;
  };
  const highs = report.sides.flatMap((_, s) =>
    prefixes.flatMap((p) =>
      loads.flatMap((load) => {
        const row = rowOf(s, p, load);
        return row?.bands.throughput_rps?.max ?? row?.values.throughput_rps ?? [];
      }),
    ),
  );
  if (highs.length === 0) return null;
  // What is offered to one group is not the whole rate.
  const offered = kind === 'open' && groups.every((group) => group === undefined);
  const y = zeroScale(offered ? [...highs, ...loads.map(amountOf)] : highs);
  const names = report.sides.map((side) => side.info.label);
  const xs = [...new Set(loads.map((load) => String(amountOf(load))))];
  return {
    name,
    title: words.figures.throughput.title,
    caption: words.figures.throughput.caption,
    spec: panelGrid(
      {
        description: words.figures.throughput.title,
        rows: groups.map((group) => group ?? ''),
        columns: prefixes.map(words.prefixes),
        x: { type: 'point', domain: xs, ticks: xs, title: xTitle },
        y: { ...y, title: words.axis.throughput },
        panelHeight: 170,
        labelSpace: labelSpaceOf(offered ? [...names, words.offered] : names),
        panel: (panelRow, column, size) => {
          const p = prefixes[column] ?? 0;
          const curves = report.sides.map((side, s) => ({
            text: side.info.label,
            style: side.style,
            rows: loads
              .filter((load) => load.group === groups[panelRow])
              .map((load) => ({ x: String(amountOf(load)), row: rowOf(s, p, load) })),
          }));
          const labels: LineLabel[] = [];
          const layers = curves.flatMap(({ text, style, rows }) => {
            const points = rows.map(({ x, row }) => ({ x, y: row?.values.throughput_rps ?? null }));
            const last = points.filter((point) => point.y !== null).pop()?.y ?? null;
            if (last === null) return [];
            labels.push({ text, colour: style.colour, y: yOf(last, y, size.height) });
            const band = rows.map(({ x, row }) => ({
              x,
              min: row?.bands.throughput_rps?.min ?? null,
              max: row?.bands.throughput_rps?.max ?? null,
            }));
            return [
              bandLayer(band, style, 'ordinal'),
              lineLayer(points, style, { type: 'ordinal', points: true }),
            ];
          });
          if (layers.length === 0) return null;
          if (offered) {
            const line = loads.map((load) => ({ x: String(amountOf(load)), y: amountOf(load) }));
            layers.push(lineLayer(line, CEILING_STYLE, { type: 'ordinal', points: false, width: 1.5 }));
            const last = line[line.length - 1]?.y ?? 0;
            labels.push({ text: words.offered, colour: CEILING_STYLE.colour, y: yOf(last, y, size.height) });
          }
          return [...layers, ...(column === prefixes.length - 1 ? endLabels(labels, size) : [])];
        },
      },
      words.notMeasured,
    ),
  };
}

function amountOf(load: RowLoad): number {
  return Number(loadSize(load).toFixed(3));
}
