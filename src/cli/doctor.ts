import type { Command } from 'commander';
import { EXIT, type ExitCode, usageError } from '../core/base/errors.js';
import { resolveScenario } from '../core/scenario/resolve-scenario.js';
import { probeCache } from '../engine/probe-cache.js';
import { drawSalt } from '../io/salt.js';
import { renderDoctor } from '../report/doctor.js';
import { probeHttp } from './connect-http.js';
import { interruptible } from './interrupt.js';
import { addSettingOptions, readSettingOptions } from './options.js';

const EXAMPLES = `
Examples:
  kvbench doctor --url http://127.0.0.1:8000
  kvbench doctor --client
  kvbench doctor --url https://router.example/v1 --api-key-env OPENAI_API_KEY

Exit codes: 0 good, 2 bad usage, 3 the target cannot be reached or is not ready.`;

/** `kvbench doctor`: what can be measured at this target? */
export function registerDoctor(program: Command): void {
  const command = program
    .command('doctor')
    .description(
      'Say what can be measured at a target (a few tiny requests), or what this machine can measure; nothing is written.',
    )
    .usage('--url URL [options] | --client');
  addSettingOptions(command, ['target']);
  command
    .optionsGroup('Output:')
    .option('--client', 'up to which load this client can be trusted here (20 s)')
    .option('--json', 'print the facts as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (options: Readonly<Record<string, unknown>>) => {
      command.setOptionValue('exitCode', await doctor(options));
    });
}

async function doctor(options: Readonly<Record<string, unknown>>): Promise<ExitCode> {
  if (options.client === true) {
    if (options.url !== undefined) {
      throw usageError(
        'doctor-client',
        '--client needs no --url: it brings its own server',
        'leave one of them out',
      );
    }
    return (await import('./doctor-client.js')).doctorClient(options.json === true);
  }
  const scenario = resolveScenario(readSettingOptions(options), () => 'target');
  if (scenario.url.startsWith('sim:')) {
    throw usageError(
      'doctor-sim',
      'the simulated cluster reports everything: there is nothing to find out',
      'give --url of a server',
    );
  }
  // Without being told to wait it says what it sees now.
  const readyTimeout = options.readyTimeout === undefined ? 0 : scenario.readyTimeout;
  const { facts, probe, cache } = await interruptible(async (stop) => {
    const probed = await probeHttp({ ...scenario, readyTimeout }, stop);
    const isBlockKnown = probed.facts.metrics?.some(({ servers }) =>
      servers.some((s) => s.block_size !== null),
    );
    const target = { ...probed.facts, fields: probed.probe.fields };
    const deps = { clock: probed.clock, stop, connect: probed.connect };
    return { ...probed, cache: await probeCache(target, scenario, deps, drawSalt(), isBlockKnown !== true) };
  });
  process.stdout.write(
    options.json === true
      ? `${JSON.stringify({ target: facts, sample: probe.sample, cache }, null, 2)}\n`
      : renderDoctor(facts, probe.sample, cache),
  );
  return EXIT.good;
}
