import { percentile, sortedOf } from '../../core/base/statistics.js';
import { type ComparedCell, keptTrials } from '../../core/compare/compared-variant.js';
import type { RowLoad } from '../../core/workload/plan-rows.js';
import type { Messages } from '../messages/en.js';
import { inSendingOrder, type ReportData, rowsAt } from '../report-data.js';
import { type Figure, pickEvenly } from './figure.js';
import {
  endLabels,
  type LineLabel,
  labelSpaceOf,
  lineLayer,
  type PanelLayer,
  type PanelSize,
} from './panel-layers.js';
import { panelGrid } from './panels.js';
import { type AxisScale, logScale, yOf } from './scales.js';

const MOST_ROWS = 6;
const MOST_COLUMNS = 4;
/** Below it a TTFT is drawn as this: a logarithm has no 0. */
const LEAST_MS = 0.01;

/** Every percentile of TTFT, the requests of the kept trials together: a panel for each cell. Null without a TTFT. */
export function planTtftFigure(report: ReportData, words: Messages): Figure | null {
  const { prefixes, loads } = shownAxes(report);
  const curveOf = memoByCell(report, ttftCurve);
  const all = report.sides.flatMap((_, s) =>
    prefixes.flatMap((p) => loads.flatMap((load) => curveOf(s, p, load).map((point) => point.x))),
  );
  if (all.length === 0) return null;
  const x = withoutLastTick(logScale(all));
  const y = { type: 'linear', domain: [0, 1], ticks: [0, 0.5, 1] } as const;
  const names = report.sides.map((side) => side.info.label);
  return {
    name: 'ttft',
    title: words.figures.ttft.title,
    caption: words.figures.ttft.caption,
    spec: panelGrid(
      {
        description: words.figures.ttft.title,
        rows: prefixes.map(words.prefixes),
        columns: loads.map(words.load),
        x: { ...x, title: words.axis.ttft },
        y: { ...y, title: words.axis.share, format: '.0%' },
        panelHeight: 96,
        labelSpace: labelSpaceOf(names),
        panel: (row, column, size) => {
          const layers: PanelLayer[] = [];
          const labels: LineLabel[] = [];
          report.sides.forEach((side, s) => {
            const curve = curveOf(s, prefixes[row] ?? 0, loads[column] as RowLoad);
            if (curve.length === 0) return;
            layers.push(lineLayer(curve, side.style, { type: 'quantitative', points: false, width: 1.6 }));
            labels.push({ text: side.info.label, colour: side.style.colour, y: s * 14 + 10 });
          });
          if (layers.length === 0) return null;
          const key = row === 0 && column === loads.length - 1;
          return [...layers, ...(key ? endLabels(labels, size) : [])];
        },
      },
      words.notMeasured,
    ),
  };
}

/** Mean TTFT of consecutive tenths of each trial: a line for each trial, a panel for each cell. Null without a TTFT. */
export function planTimelineFigure(report: ReportData, words: Messages): Figure | null {
  const { prefixes, loads } = shownAxes(report);
  const linesOf = memoByCell(report, timelines);
  const all = report.sides.flatMap((_, s) =>
    prefixes.flatMap((p) =>
      loads.flatMap((load) =>
        linesOf(s, p, load)
          .flat()
          .map((point) => point.y),
      ),
    ),
  );
  if (all.length === 0) return null;
  const y = logScale(all);
  const names = report.sides.map((side) => side.info.label);
  return {
    name: 'timeline',
    title: words.figures.timeline.title,
    caption: words.figures.timeline.caption,
    spec: panelGrid(
      {
        description: words.figures.timeline.title,
        rows: prefixes.map(words.prefixes),
        columns: loads.map(words.load),
        x: { type: 'linear', domain: [0, 100], ticks: [0, 50, 100], title: words.axis.order },
        y: { ...y, title: words.axis.ttft },
        panelHeight: 96,
        labelSpace: labelSpaceOf(names),
        panel: (row, column, size) =>
          timelinePanel(
            report,
            size,
            y,
            (s) => linesOf(s, prefixes[row] ?? 0, loads[column] as RowLoad),
            column === loads.length - 1,
          ),
      },
      words.notMeasured,
    ),
  };
}

/** The panels stand close: a number at the right end would meet the first of the next panel. */
function withoutLastTick(scale: AxisScale): AxisScale {
  const high = Math.log(Number(scale.domain[1]));
  const low = Math.log(Number(scale.domain[0]));
  const ticks = scale.ticks.filter((tick) => (high - Math.log(Number(tick))) / (high - low) > 0.08);
  return { ...scale, ticks: ticks.length < 2 ? scale.ticks : ticks };
}

function timelinePanel(
  report: ReportData,
  size: PanelSize,
  y: AxisScale,
  linesOf: (side: number) => readonly Point[][],
  labelled: boolean,
): PanelLayer[] | null {
  const layers: PanelLayer[] = [];
  const labels: LineLabel[] = [];
  report.sides.forEach((side, s) => {
    const lines = linesOf(s);
    for (const line of lines) {
      layers.push(lineLayer(line, side.style, { type: 'quantitative', points: false, width: 1.2 }));
    }
    const ends = lines.flatMap((line) => line[line.length - 1]?.y ?? []);
    const end = percentile(sortedOf(ends), 0.5);
    if (end !== null)
      labels.push({ text: side.info.label, colour: side.style.colour, y: yOf(end, y, size.height) });
  });
  if (layers.length === 0) return null;
  return [...layers, ...(labelled ? endLabels(labels, size) : [])];
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Nearest-rank percentiles 1…99 and both ends: what a curve of this size can show, whatever the number of requests. */
function ttftCurve(cell: ComparedCell): Point[] {
  const ttft = sortedOf(keptTrials(cell).flatMap((trial) => trial.facts.ok.map((record) => record.ttft_ms)));
  const first = ttft[0];
  if (first === undefined) return [];
  const steps = Math.min(100, ttft.length);
  const points = Array.from({ length: steps }, (_, i) => {
    const p = (i + 1) / steps;
    return { x: Math.max(LEAST_MS, percentile(ttft, p) ?? 0), y: p };
  });
  return [{ x: Math.max(LEAST_MS, first), y: 0 }, ...points];
}

const WINDOWS = 10;

/** A line for each kept trial: mean TTFT of each window of requests, at the window's middle in % of the trial. */
function timelines(cell: ComparedCell): Point[][] {
  return keptTrials(cell).map((trial) => {
    const ttft = inSendingOrder(trial).flatMap((record) => record.ttft_ms ?? []);
    const windows = Math.min(WINDOWS, ttft.length);
    return Array.from({ length: windows }, (_, i) => {
      const from = Math.floor((i * ttft.length) / windows);
      const to = Math.floor(((i + 1) * ttft.length) / windows);
      const mean = ttft.slice(from, to).reduce((sum, ms) => sum + ms, 0) / (to - from);
      return { x: (50 * (from + to)) / ttft.length, y: Math.max(LEAST_MS, mean) };
    });
  });
}

function shownAxes(report: ReportData): {
  readonly prefixes: readonly number[];
  readonly loads: readonly RowLoad[];
} {
  return { prefixes: pickEvenly(report.prefixes, MOST_ROWS), loads: pickEvenly(report.loads, MOST_COLUMNS) };
}

/** What `make` gives for a side and a cell, made once; empty where the side never measured the cell. */
function memoByCell<T>(report: ReportData, make: (cell: ComparedCell) => readonly T[]) {
  const known = new Map<string, readonly T[]>();
  return (s: number, prefixes: number, load: RowLoad): readonly T[] => {
    const side = report.sides[s];
    const rows = side === undefined ? null : rowsAt(side, prefixes, load);
    if (rows === null) return [];
    const key = `${s}\n${rows.cell.id}`;
    const made = known.get(key) ?? make(rows);
    known.set(key, made);
    return made;
  };
}
