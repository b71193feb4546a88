import type { RunFile } from '../core/measure/run-file.js';
import type { Block, Cell } from './document/document.js';
import { formatCount } from './format.js';
import { describeLength } from './lengths.js';
import type { Messages } from './messages/en.js';
import type { WorkloadWords } from './messages/word-values.js';
import type { ReportData, ReportSide } from './report-data.js';

/** How the figures were made, and where and when each run was: what a reader needs to repeat or doubt them. */
export function buildMethod(report: ReportData, words: Messages): Block[] {
  const runs = report.sides.flatMap((side) => side.origin?.run ?? []);
  const items = [
    ...[...new Set(runs.map((run) => words.method.workload(workloadOf(run))))],
    ...[
      ...new Set(
        runs.map((run) => words.method.order(run.scenario.seed, run.scenario.start, run.scenario.warmup)),
      ),
    ],
    words.method.times,
    words.method.cells,
    words.method.cached,
    ...(report.comparison.candidates.length === 0 ? [] : [words.method.verdicts(report.comparison.method)]),
    words.method.files,
  ];
  return [
    { kind: 'heading', level: 2, text: words.sections.method },
    { kind: 'list', items },
    { kind: 'heading', level: 2, text: words.sections.provenance },
    provenanceTable(report, words),
  ];
}

function workloadOf(run: RunFile): WorkloadWords {
  const { requests, repeats } = run.scenario;
  return {
    prefixTokens: describeLength(run.scenario, 'prefixTokens'),
    tailTokens: describeLength(run.scenario, 'tailTokens'),
    outputTokens: describeLength(run.scenario, 'outputTokens'),
    requests: formatCount(requests),
    repeats: formatCount(repeats),
    cells: run.plan.cells.length,
  };
}

const HASH_SHOWN = 16;

function provenanceTable(report: ReportData, words: Messages): Block {
  const rows: readonly (readonly [string, (side: ReportSide) => string | null])[] = [
    [words.provenance.source, (side) => side.info.source],
    [words.provenance.target, (side) => side.origin?.variant.target.url ?? null],
    [words.provenance.model, (side) => side.origin?.variant.target.model ?? null],
    [words.provenance.dialect, (side) => side.origin?.variant.target.dialect ?? null],
    [words.provenance.cachedTokens, (side) => side.origin?.variant.target.cached_tokens ?? null],
    [words.provenance.workload, (side) => side.origin?.run.workload.sha256.slice(0, HASH_SHOWN) ?? null],
    [words.provenance.salt, (side) => saltOf(side, words)],
    [words.provenance.time, (side) => timeOf(side)],
    [words.provenance.status, (side) => side.origin?.run.status ?? null],
    [words.provenance.kvbench, (side) => side.origin?.run.provenance.kvbench ?? null],
    [words.provenance.machine, (side) => machineOf(side)],
    [words.provenance.clock, (side) => side.origin?.run.provenance.clock ?? null],
    [words.provenance.git, (side) => side.origin?.run.provenance.git ?? null],
    [words.provenance.command, (side) => commandOf(side)],
  ];
  return {
    kind: 'table',
    title: '',
    head: ['', ...report.sides.map((side) => side.info.label)],
    rows: rows.map(([name, value]) => [
      name,
      ...report.sides.map((side): Cell => value(side) ?? { text: words.provenance.unknown, tone: 'missing' }),
    ]),
    nameColumns: 1 + report.sides.length,
    notes: [],
  };
}

function saltOf(side: ReportSide, words: Messages): string | null {
  if (side.origin === null) return null;
  return side.origin.run.workload.salt_sha256?.slice(0, HASH_SHOWN) ?? words.provenance.noSalt;
}

function timeOf(side: ReportSide): string | null {
  if (side.origin === null) return null;
  const { started_at, ended_at } = side.origin.run.provenance;
  return `${started_at} – ${ended_at ?? '?'}`;
}

function machineOf(side: ReportSide): string | null {
  if (side.origin === null) return null;
  const { host, platform, cpu, cores, memory_gib, node } = side.origin.run.provenance;
  return `${host}: ${cpu}, ${cores} × CPU, ${memory_gib} GiB, ${platform}, Node ${node}`;
}

function commandOf(side: ReportSide): string | null {
  if (side.origin === null) return null;
  return ['kvbench', ...side.origin.run.provenance.argv].join(' ');
}
