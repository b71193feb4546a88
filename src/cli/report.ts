import { basename, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { EXIT, type ExitCode, usageError } from '../core/base/errors.js';
import { compareVariants } from '../core/compare/compare.js';
import { buildComparedVariants } from '../core/compare/compared-variant.js';
import type { RunData, RunInput } from '../core/measure/run-input.js';
import { summarizeRun } from '../core/measure/run-summary.js';
import { makeFolder, writeAtomically } from '../io/files.js';
import { readRun } from '../io/read-run.js';
import { cellColumns, trialColumns } from '../report/columns.js';
import { renderCsv } from '../report/csv.js';
import type { Block } from '../report/document/document.js';
import { renderHtml } from '../report/document/html.js';
import { renderMarkdown } from '../report/document/markdown.js';
import { LANGUAGES, type Language, wordsOf } from '../report/messages/languages.js';
import { buildReport, withoutFigures } from '../report/report-blocks.js';
import { buildReportData } from '../report/report-data.js';

interface ReportOptions {
  readonly out?: string;
  readonly lang: string;
  readonly workerCapacity?: string;
}

const HELP = `
The first run is the baseline, the others are compared with it. With --out DIR:
  DIR/report.md, DIR/report.html   the same report twice; the HTML is one file
  DIR/figures/*.svg
  DIR/trials.csv, DIR/grid.csv     rebuilt from run.json and requests.jsonl; of
                                   several runs DIR/runs/NAME/trials.csv …

Examples:
  kvbench report results/kv > kv.md
  kvbench report results/round-robin results/kv --out report
  kvbench report results/rr results/kv --worker-capacity 4 --lang ko --out report

Exit codes: 0 good, 1 written, but findings forbid the comparison, 2 bad usage.`;

/** `kvbench report`: answer, tables, figures and experiment record of one or more runs. */
export function registerReport(program: Command): void {
  const command = program
    .command('report')
    .description('Report one or more runs: answer, tables, figures, experiment record.')
    .argument('<RUN...>', 'run directories (or grid.csv files: tables only)')
    .usage('RUN... [--out DIR] [options]')
    .option('--out <DIR>', 'write the report here (default: Markdown to stdout)')
    .option('--lang <LANG>', `${LANGUAGES.join(' or ')}`, 'en')
    .option('--worker-capacity <N>', 'prefixes one worker can hold: adds the capacity ceiling')
    .addHelpText('after', HELP)
    .action(async (paths: string[], options: ReportOptions) => {
      command.setOptionValue('exitCode', await report(paths, options));
    });
}

async function report(paths: readonly string[], options: ReportOptions): Promise<ExitCode> {
  const language = LANGUAGES.find((lang) => lang === options.lang);
  if (language === undefined) {
    throw usageError('flag-value', `--lang: expected ${LANGUAGES.join(' or ')}, got "${options.lang}"`);
  }
  const inputs: RunInput[] = [];
  for (const path of paths) inputs.push(await readRun(path));
  const sides = buildComparedVariants(inputs);
  const comparison = compareVariants(sides, { workerCapacity: readCapacity(options.workerCapacity) });
  const words = wordsOf(language);
  const blocks = buildReport(buildReportData(comparison, sides), words);
  if (options.out === undefined) {
    process.stdout.write(renderMarkdown(withoutFigures(blocks, words)));
  } else {
    await writeReport(options.out, blocks, inputs, language);
    const answer = blocks.find((block) => block.kind === 'answer');
    process.stdout.write(
      `${answer?.sentences.join('\n') ?? ''}\n\nReport: ${join(options.out, 'report.html')}\n`,
    );
  }
  return comparison.findings.some((finding) => finding.severity === 'forbid') ? EXIT.findings : EXIT.good;
}

async function writeReport(
  out: string,
  blocks: readonly Block[],
  inputs: readonly RunInput[],
  language: Language,
): Promise<void> {
  const found = await makeFolder(out);
  if (found.includes('run.json')) {
    throw usageError('out-is-run', `${out} holds a run`, 'give --out a separate folder, such as report');
  }
  const save = async (name: string, content: string) => {
    await writeAtomically(join(out, name), content);
  };
  await makeFolder(join(out, 'figures'));
  const figures = new Map<string, string>();
  // Loaded here: drawing needs chart libraries that take a second to load.
  const { drawSvg } = await import('../report/figures/draw.js');
  for (const block of blocks) {
    if (block.kind !== 'figure') continue;
    const svg = await drawSvg(block.figure.spec);
    figures.set(block.figure.name, svg);
    await save(join('figures', `${block.figure.name}.svg`), `${svg}\n`);
  }
  await save('report.md', renderMarkdown(blocks));
  await save('report.html', renderHtml(blocks, { lang: language, figures }));
  const runs = inputs.filter((input) => input.kind === 'run');
  const names = folderNames(runs);
  for (const [index, run] of runs.entries()) {
    const folder = runs.length === 1 ? '' : join('runs', names[index] ?? '');
    if (folder !== '') await makeFolder(join(out, folder));
    const summary = summarizeRun(run.run, run.records);
    await save(join(folder, 'trials.csv'), renderCsv(trialColumns(run.run.scenario), summary.trials));
    await save(join(folder, 'grid.csv'), renderCsv(cellColumns(run.run.scenario), summary.cells));
  }
}

/** The last folder of each run's path; a number is appended to one that came before. */
function folderNames(runs: readonly RunData[]): string[] {
  const used = new Map<string, number>();
  return runs.map(({ source }) => {
    const name = basename(resolve(source));
    const times = (used.get(name) ?? 0) + 1;
    used.set(name, times);
    return times === 1 ? name : `${name}-${times}`;
  });
}

function readCapacity(value: string | undefined): number | null {
  if (value === undefined) return null;
  const read = Number(value);
  if (Number.isFinite(read) && read > 0) return read;
  throw usageError('flag-value', `--worker-capacity: expected a number above 0, got "${value}"`);
}
