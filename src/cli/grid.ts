import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { EXIT, type ExitCode, usageError } from '../core/base/errors.js';
import { resolveScenario } from '../core/scenario/resolve-scenario.js';
import type { PartialScenario, Scenario } from '../core/scenario/settings.js';
import { planGrid } from '../core/workload/plan.js';
import { readRun } from '../io/read-run.js';
import { drawSalt } from '../io/salt.js';
import { renderPlan } from '../report/plan.js';
import { variantOfUrl } from './connect-target.js';
import { measureGrid } from './measure-grid.js';
import { addSettingOptions, readSettingOptions } from './options.js';

interface GridOptions extends Readonly<Record<string, unknown>> {
  readonly out?: string;
  readonly dryRun?: boolean;
  readonly resume?: boolean;
  readonly quiet?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  kvbench grid scenarios/quickstart.yaml
  kvbench grid --url 'sim:round-robin?workers=6' --requests 120
  kvbench grid --url http://127.0.0.1:8000 --variant kv --out results/kv

Exit codes: 0 good, 1 findings forbid comparison, 2 bad usage, 3 target
unreachable, 4 too many failed, 130 interrupted. A scenario.yaml holds the same
settings; flags win over it.`;

/** `kvbench grid`: measures one target over a grid and writes a run directory. */
export function registerGrid(program: Command, argv: readonly string[]): void {
  const command = program
    .command('grid')
    .description('Measure a target over a grid of prefix groups and load.')
    .argument('[scenario]')
    .usage('[scenario.yaml] --url URL [options]');
  addSettingOptions(command);
  command
    .optionsGroup('Run:')
    .option('--out <DIR>', 'run directory, new or empty (results/VARIANT-TIME)')
    .option('--resume', 'continue the run in --out')
    .option('--dry-run', 'print the plan and exit')
    .option('--quiet', 'no progress')
    .option('--json', 'print the results as JSON')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', EXAMPLES)
    .action(async (file: string | undefined, options: GridOptions) => {
      command.setOptionValue('exitCode', await grid(file, options, argv));
    });
}

async function grid(
  file: string | undefined,
  options: GridOptions,
  argv: readonly string[],
): Promise<ExitCode> {
  const fromFile = file === undefined ? {} : await readScenario(file);
  if (options.resume === true && options.out === undefined) {
    throw usageError('no-out', '--resume needs the run directory to continue', 'give --out DIR');
  }
  const scenario = await withSalt(
    resolveScenario({ ...fromFile, ...readSettingOptions(options) }, variantOfUrl),
    options.resume === true ? options.out : undefined,
  );
  if (options.dryRun === true) {
    process.stdout.write(renderPlan(scenario, planGrid(scenario), options.json === true));
    return EXIT.good;
  }
  return measureGrid(scenario, {
    out: options.out ?? `results/${scenario.variant}-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`,
    resume: options.resume === true,
    quiet: options.quiet === true,
    json: options.json === true,
    argv,
  });
}

async function readScenario(file: string): Promise<PartialScenario> {
  let content: string;
  try {
    content = await readFile(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw usageError(
      'no-scenario',
      `cannot read the scenario ${file}: ${code === 'ENOENT' ? 'no such file' : code}`,
      'ready-made ones are in scenarios/',
    );
  }
  // The reader of YAML takes longer to load than a small run takes.
  const { parseScenario } = await import('../core/scenario/scenario-file.js');
  return parseScenario(content, file);
}

/** `--salt random` draws one now, so that run.json holds the salt that was used; a resumed run keeps the one it drew. */
async function withSalt(scenario: Scenario, resumed: string | undefined): Promise<Scenario> {
  if (scenario.salt !== 'random') return scenario;
  const earlier = resumed === undefined ? null : await readRun(resumed);
  return { ...scenario, salt: earlier?.kind === 'run' ? earlier.run.scenario.salt : drawSalt() };
}
