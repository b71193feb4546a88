import { type Command, Option } from 'commander';
import { EXIT, type ExitCode, usageError } from '../core/base/errors.js';
import { createRealClock } from '../io/real-clock.js';
import { type SimServer, type SimTotals, startSimServer } from '../sim/http/server.js';
import { WORKER_ENGINES, type WorkerEngine } from '../sim/http/vllm.js';
import { POLICIES } from '../sim/params/declarations.js';
import {
  buildSimParams,
  capacityBlocks,
  checkRequestFits,
  isDisaggregated,
} from '../sim/params/sim-params.js';

interface SimOptions {
  readonly listen: string;
  readonly policy: string;
  readonly workers?: string;
  readonly capacityRequests?: string;
  readonly capacityBlocks?: string;
  readonly promptTokens: string;
  readonly workerPorts?: string;
  readonly workerEngine: WorkerEngine;
  readonly model: string;
  readonly seed?: string;
  readonly set?: readonly string[];
}

const EXAMPLES = `
Policies: ${POLICIES.join(' ').replace(/(.{60}\S*) /g, '$1\n          ')}

Examples:
  kvbench sim --policy round-robin --workers 3
  kvbench sim --policy kv --set temperature=0.5 --set event-delay-ms=20
  kvbench sim --workers 4 --worker-ports 9001
  kvbench sim --workers 2 --worker-ports 9001 --worker-engine vllm-scale-out

Parameters for --set are in docs/simulator.md. Ctrl-C ends it with a summary.
Exit codes: 0 ended by Ctrl-C, 2 bad usage or a port that is taken.`;

/** `kvbench sim`: the simulated cluster as an OpenAI-compatible server, in real time. */
export function registerSim(program: Command): void {
  const command = program
    .command('sim')
    .description('Serve the simulated cluster over HTTP, in real time.')
    .option('--listen <HOST:PORT>', 'where the router listens', '127.0.0.1:8000')
    .option('--policy <NAME>', 'router policy', 'kv')
    .option('--workers <N>', 'engines behind the router (6)')
    .option('--capacity-requests <N>', 'cache of a worker, in prompts of --prompt-tokens (3.95)')
    .option('--capacity-blocks <N>', 'cache of a worker in blocks, instead')
    .option('--prompt-tokens <N>', 'length of the prompts that --capacity-requests counts', '2300')
    .option('--worker-ports <FIRST>', 'also give each worker its own port, counting up; 0: any free ones')
    .addOption(
      new Option(
        '--worker-engine <NAME>',
        "what the workers' ports answer as; as vllm no worker names itself",
      )
        .choices(WORKER_ENGINES)
        .default('sim'),
    )
    .option('--model <ID>', 'model to list', 'sim')
    .option('--seed <TEXT>', "seed of the cluster's random choices (1)")
    .addOption(
      new Option('--set <KEY=VALUE>', 'any other parameter; repeat for more').argParser(
        (value: string, all: string[] | undefined) => [...(all ?? []), value],
      ),
    )
    .addHelpText('after', EXAMPLES)
    .action(async (options: SimOptions) => {
      command.setOptionValue('exitCode', await sim(options));
    });
}

async function sim(options: SimOptions): Promise<ExitCode> {
  const params = buildSimParams(options.policy, readParams(options));
  const promptTokens = parseWhole('--prompt-tokens', options.promptTokens, 1, 100_000_000);
  checkRequestFits(params, promptTokens, 1);
  const { host, port } = parseListen(options.listen);
  const workerPort =
    options.workerPorts === undefined ? null : parseWhole('--worker-ports', options.workerPorts, 0, 65_535);
  if (workerPort !== null && isDisaggregated(params)) {
    throw usageError('sim-ports', '--worker-ports has no meaning with the pools prefill and decode');
  }
  if (workerPort !== null && workerPort + params.workers > 65_536) {
    throw usageError(
      'sim-ports',
      `--worker-ports ${workerPort}: ${params.workers} ports do not fit below 65536`,
    );
  }
  const server = await openServer(() =>
    startSimServer({
      params,
      blocks: capacityBlocks(params, promptTokens),
      model: options.model,
      clock: createRealClock(),
      host,
      port,
      workerPort,
      workerEngine: options.workerEngine,
    }),
  );
  const address = host.includes(':') ? `[${host}]` : host;
  process.stdout.write(
    `Listening on http://${address}:${server.port}: sim:${params.policy}, ${params.workers} workers, model ${options.model}\n`,
  );
  server.workerPorts.forEach((own, worker) => {
    process.stdout.write(`Worker w${worker} on http://${address}:${own}\n`);
  });
  await untilSignal();
  const totals = server.totals();
  await server.close();
  process.stderr.write(renderTotals(totals));
  return EXIT.good;
}

function readParams(options: SimOptions): Map<string, string> {
  const given = new Map<string, string>();
  const named: Readonly<Record<string, string | undefined>> = {
    workers: options.workers,
    'capacity-requests': options.capacityRequests,
    'capacity-blocks': options.capacityBlocks,
    seed: options.seed,
  };
  for (const [key, value] of Object.entries(named)) if (value !== undefined) given.set(key, value);
  for (const item of options.set ?? []) {
    const equals = item.indexOf('=');
    if (equals < 1) throw usageError('sim-set', `--set takes KEY=VALUE, got "${item}"`);
    const key = item.slice(0, equals);
    if (given.has(key)) throw usageError('sim-set', `"${key}" is given twice`);
    given.set(key, item.slice(equals + 1));
  }
  return given;
}

/** `127.0.0.1:8000`, `[::1]:8000`, `localhost:8000`, or a port alone on the loopback interface. */
function parseListen(text: string): { readonly host: string; readonly port: number } {
  const match = /^(?:(?:\[([^\]]+)\]|([^:[\]]+)):)?(\d+)$/.exec(text);
  if (match === null)
    throw usageError('sim-listen', `--listen takes HOST:PORT, got "${text}"`, 'for example 127.0.0.1:8000');
  return {
    host: match[1] ?? match[2] ?? '127.0.0.1',
    port: parseWhole('--listen', match[3] ?? '', 0, 65_535),
  };
}

function parseWhole(flag: string, text: string, min: number, max: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw usageError('sim-value', `${flag} must be a whole number from ${min} to ${max}, got "${text}"`);
}

async function openServer(open: () => Promise<SimServer>): Promise<SimServer> {
  try {
    return await open();
  } catch (error) {
    const { code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
    const where = `${address ?? 'the address'}:${port ?? ''}`;
    if (code === 'EADDRINUSE') {
      throw usageError(
        'sim-port-busy',
        `${where} is taken by another program`,
        'choose another port, or 0 for any free one',
      );
    }
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw usageError('sim-listen', `can't listen on ${where}: ${code}`);
    }
    throw error;
  }
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      process.off('SIGINT', end);
      process.off('SIGTERM', end);
      resolve();
    };
    process.on('SIGINT', end);
    process.on('SIGTERM', end);
  });
}

function renderTotals(totals: SimTotals): string {
  const { lateness } = totals;
  const mean = lateness.events === 0 ? 0 : lateness.sumMs / lateness.events;
  const counts = `${totals.answered} answered, ${totals.aborted} left early, ${totals.refused} refused`;
  const timing = `events came ${mean.toFixed(1)} ms late on average, ${lateness.maxMs.toFixed(0)} ms at most`;
  const verdict = lateness.kept
    ? ''
    : 'More than 1 % of them came over 5 ms late: this machine could not keep the timing of the simulation.\n';
  return `${counts}; ${timing}\n${verdict}`;
}
