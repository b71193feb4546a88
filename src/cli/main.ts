import type { Command, CommanderError } from 'commander';
import { EXIT, KvbenchError } from '../core/base/errors.js';
import { suggest } from '../core/base/suggest.js';
import { VERSION } from '../io/version.js';

/** Adds a command. `argv` is the whole command line, for the provenance of what it writes. */
type Register = (program: Command, argv: readonly string[]) => void;

/** Each command's module is loaded when it is called: `kvbench --version` must not wait for a chart library. */
const COMMANDS: Readonly<
  Record<string, { readonly summary: string; readonly load: () => Promise<Register> }>
> = {
  grid: {
    summary: 'measure a target over a grid of prefixes and load',
    load: async () => (await import('./grid.js')).registerGrid,
  },
  diff: {
    summary: 'compare runs cell by cell, with intervals and verdicts',
    load: async () => (await import('./diff.js')).registerDiff,
  },
  report: {
    summary: 'report one or more runs: answer, tables, figures, record',
    load: async () => (await import('./report.js')).registerReport,
  },
  doctor: {
    summary: 'say what can be measured at a target',
    load: async () => (await import('./doctor.js')).registerDoctor,
  },
  sim: {
    summary: 'serve the simulated cluster over HTTP',
    load: async () => (await import('./sim.js')).registerSim,
  },
};

/**
 * Runs the command line.
 *
 * @returns the exit code of the contract (DESIGN.md, section 5).
 */
export async function main(argv: readonly string[]): Promise<number> {
  // Half of the start-up is commander: what prints a version need not wait for it.
  if (argv.length === 1 && /^(--version|-V)$/.test(argv[0] ?? '')) {
    process.stdout.write(`${VERSION}\n`);
    return EXIT.good;
  }
  const { Command } = await import('commander');
  const program = new Command('kvbench')
    .description('Does this LLM router make the KV cache pay, and by how much?')
    .version(VERSION)
    .exitOverride()
    .configureOutput({ outputError: () => {} });
  let exitCode: number = EXIT.good;
  program.hook('postAction', (_, action) => {
    exitCode = (action.getOptionValue('exitCode') as number | undefined) ?? EXIT.good;
  });
  try {
    const name = argv[0] ?? '';
    const command = COMMANDS[name];
    if (command === undefined) {
      listCommands(program);
      if (name !== '' && !name.startsWith('-') && name !== 'help') throw unknownCommand(name);
    } else {
      (await command.load())(program, argv);
    }
    await program.parseAsync(argv.length === 0 ? ['--help'] : [...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    return report(error);
  }
}

// A reader that has seen enough (`| head`) is no error; the event may come after main has ended.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.exitCode = EXIT.usage;
  });
}

function listCommands(program: Command): void {
  for (const [name, { summary }] of Object.entries(COMMANDS)) program.command(name).description(summary);
  program.addHelpText(
    'after',
    "\nTry it without a cluster: kvbench grid --url 'sim:kv?workers=6' --out results/try",
  );
}

function unknownCommand(name: string): KvbenchError {
  const near = suggest(name, Object.keys(COMMANDS));
  return new KvbenchError({
    code: 'unknown-command',
    message: `unknown command "${name}"`,
    exitCode: EXIT.usage,
    hint: near === null ? `there are ${Object.keys(COMMANDS).join(', ')}` : `did you mean "kvbench ${near}"?`,
  });
}

function report(error: unknown): number {
  if (isCommanderError(error)) {
    if (error.exitCode === 0) return EXIT.good;
    process.stderr.write(`kvbench: ${oneLine(error.message.replace(/^error: /, ''))}\n`);
    return EXIT.usage;
  }
  if (error instanceof KvbenchError) {
    const hint = error.hint === null ? '' : `; ${error.hint}`;
    process.stderr.write(`kvbench: ${oneLine(error.message)}${hint}\n`);
    return error.exitCode;
  }
  const stack = error instanceof Error ? error.stack : String(error);
  process.stderr.write(`kvbench: a fault of kvbench itself, please report it: ${stack}\n`);
  return INTERNAL_FAULT;
}

/** Outside the contract's codes, which all tell of the user's run (EX_SOFTWARE of sysexits.h). */
const INTERNAL_FAULT = 70;

/** By its code: the class itself is loaded late. */
function isCommanderError(error: unknown): error is CommanderError {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('commander.');
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ');
}
