import type { Command } from 'commander';
import { EXIT, type ExitCode, usageError } from '../core/base/errors.js';
import { suggest } from '../core/base/suggest.js';
import { compareVariants } from '../core/compare/compare.js';
import { buildComparedVariants } from '../core/compare/compared-variant.js';
import { isForbidden } from '../core/compare/comparison-findings.js';
import { isShut, judgeFailRules, parseFailRule } from '../core/compare/fail-rule.js';
import { COMPARED_KEYS, type MeasureKey } from '../core/measure/measures.js';
import type { RunInput } from '../core/measure/run-input.js';
import { readRun } from '../io/read-run.js';
import { describeEvidence } from '../report/describe-evidence.js';
import { renderDiffCsv } from '../report/diff-csv.js';
import { buildDiff } from '../report/diff-document.js';
import { renderDiffJson } from '../report/diff-json.js';
import { renderMarkdown } from '../report/document/markdown.js';
import { renderText } from '../report/document/text.js';
import { EN } from '../report/messages/en.js';

interface DiffOptions {
  readonly measures?: string;
  readonly workerCapacity?: string;
  readonly all?: boolean;
  readonly workers?: boolean;
  readonly failOn?: readonly string[];
  readonly json?: boolean;
  readonly csv?: boolean;
  readonly markdown?: boolean;
}

const HELP = `
A rule of --fail-on is MEASURE[@CELL] COMPARATOR CHANGE UNIT: % for times and
throughput, pp for rates; CELL is p12-c8, p12, c8 or q20. It holds where the
change is beyond the limit and statistically significant (where there is no
verdict, as from grid.csv alone, beyond the limit).

Examples:
  kvbench diff results/round-robin results/kv
  kvbench diff results/baseline results/rr results/kv --worker-capacity 3.95
  kvbench diff old/grid.csv new/grid.csv --markdown
  kvbench diff main pr --fail-on 'ttft_p99_ms>+10%'

Exit codes: 0 good, 1 findings forbid the comparison or a rule holds, 2 bad
usage.`;

/** `kvbench diff`: compares runs cell by cell, with intervals and verdicts. */
export function registerDiff(program: Command): void {
  const command = program
    .command('diff')
    .description('Compare runs cell by cell: what changed, is it more than noise, and why.')
    .argument('<RUN...>', 'run directories or grid.csv files, the baseline first')
    .usage('BASELINE CANDIDATE... [options]')
    .option('--all', 'intervals, lost hits, load of the workers, method; not the answer alone')
    .option('--measures <LIST>', 'changes to print with intervals, or all (CSV, JSON hold all)')
    .option('--worker-capacity <N>', 'prefixes one worker can hold: adds the capacity ceiling')
    .option('--workers', 'print the requests of every worker and prefix, too')
    .option('--fail-on <RULE>', "exit 1 when it holds, as 'ttft_p99_ms>+10%'; repeat for more", collect)
    .option('--json', 'everything, as JSON')
    .option('--csv', 'a row for each cell and measure')
    .option('--markdown', 'tables for a report')
    .addHelpText('after', HELP)
    .action(async (paths: string[], options: DiffOptions) => {
      command.setOptionValue('exitCode', await diff(paths, options));
    });
}

async function diff(paths: readonly string[], options: DiffOptions): Promise<ExitCode> {
  const measures = readMeasures(options.measures);
  const workerCapacity = readCapacity(options.workerCapacity);
  const rules = (options.failOn ?? []).map(parseFailRule);
  if ([options.json, options.csv, options.markdown].filter((format) => format === true).length > 1) {
    throw usageError('diff-format', 'give only one of --json, --csv and --markdown');
  }
  const inputs: RunInput[] = [];
  for (const path of paths) inputs.push(await readRun(path));
  const sides = buildComparedVariants(inputs);
  if (sides.length < 2) {
    throw usageError(
      'one-variant',
      `${paths[0]} holds one variant: there is nothing to compare it with`,
      'give the baseline first, then one candidate or more',
    );
  }
  const comparison = compareVariants(sides, { workerCapacity });
  const gates = judgeFailRules(rules, comparison);
  const view = { measures, all: options.all === true, workers: options.workers === true, gates };
  if (options.json === true) process.stdout.write(renderDiffJson(comparison, gates));
  else if (options.markdown === true) process.stdout.write(renderMarkdown(buildDiff(comparison, view)));
  else if (options.csv === true) {
    process.stdout.write(renderDiffCsv(comparison));
    for (const { code, evidence, severity } of comparison.findings) {
      if (severity !== 'note')
        process.stderr.write(`kvbench: ${severity} ${code}: ${describeEvidence(evidence, EN.evidence)}\n`);
    }
  } else process.stdout.write(renderText(buildDiff(comparison, view)));
  return isForbidden(comparison.findings) || isShut(gates) ? EXIT.findings : EXIT.good;
}

function collect(value: string, all: readonly string[] | undefined): readonly string[] {
  return [...(all ?? []), value];
}

function readMeasures(list: string | undefined): readonly MeasureKey[] | null {
  if (list === undefined) return null;
  if (list === 'all') return COMPARED_KEYS;
  return list.split(',').map((name) => {
    const measure = COMPARED_KEYS.find((known) => known === name.trim());
    if (measure !== undefined) return measure;
    const near = suggest(name, COMPARED_KEYS);
    throw usageError(
      'flag-value',
      `--measures: there is no compared measure "${name}"`,
      near === null ? `there are ${COMPARED_KEYS.join(', ')}` : `did you mean "${near}"?`,
    );
  });
}

function readCapacity(value: string | undefined): number | null {
  if (value === undefined) return null;
  const read = Number(value);
  if (value.trim() !== '' && Number.isFinite(read) && read > 0) return read;
  throw usageError('flag-value', `--worker-capacity: expected a number above 0, got "${value}"`);
}
