import { EXIT, KvbenchError } from '../core/base/errors.js';
import type { Scenario, VariantSpec } from '../core/scenario/settings.js';
import { scenarioOf } from '../core/scenario/variants.js';
import type { StopSignal } from '../engine/ports.js';
import { type Hook, runHook } from '../io/shell-hook.js';
import { connectTarget } from './connect-target.js';
import type { ConnectedTarget } from './connected-target.js';

/** The targets of a run's variants, set up and torn down around the blocks of trials that need them. */
export interface VariantTargets {
  /**
   * Gets a variant ready: its setup, then its target. One without a setup stays connected.
   *
   * @throws KvbenchError when the setup fails (exit code 3, its output on stderr) or the target does not get ready.
   */
  enter(spec: VariantSpec): Promise<ConnectedTarget>;
  /** Tears down a variant that has a setup; a failing teardown is reported on stderr and stops nothing. */
  leave(spec: VariantSpec): Promise<void>;
  /** Notes on the run from targets still connected, beyond their records; null for none. */
  notes(): string | null;
  closeAll(): Promise<void>;
}

export function createVariantTargets(scenario: Scenario, stop: StopSignal): VariantTargets {
  const connected = new Map<string, ConnectedTarget>();
  const hooks = new Map<string, Hook>();
  let entered = 0;

  async function enter(spec: VariantSpec): Promise<ConnectedTarget> {
    const known = connected.get(spec.variant);
    if (known !== undefined) return known;
    entered++;
    if (spec.setup !== null) hooks.set(spec.variant, await setUp(spec, spec.setup, stop));
    const target = await connectUnlessStopped(scenarioOf(scenario, spec), stop, entered === 1);
    connected.set(spec.variant, target);
    return target;
  }

  async function leave(spec: VariantSpec): Promise<void> {
    if (spec.setup === null && spec.teardown === null) return;
    const target = connected.get(spec.variant);
    connected.delete(spec.variant);
    await target?.close();
    if (spec.teardown !== null) await tearDown(spec, spec.teardown);
    await hooks.get(spec.variant)?.endGroup();
    hooks.delete(spec.variant);
  }

  return {
    enter,
    leave,
    notes: () => {
      const said = [...connected.values()].flatMap((target) => target.notes?.() ?? []);
      return said.length === 0 ? null : said.join('\n');
    },
    closeAll: async () => {
      const specs = scenario.variants.filter(({ variant }) => connected.has(variant) || hooks.has(variant));
      for (const spec of specs) await leave(spec);
      for (const target of connected.values()) await target.close();
    },
  };
}

async function setUp(spec: VariantSpec, command: string, stop: StopSignal): Promise<Hook> {
  const hook = await runHook(command, environmentOf(spec), (end) => stop.onAbort(end));
  if (hook.ok) return hook;
  await hook.endGroup();
  if (hook.output !== '') process.stderr.write(`${hook.output}\n`);
  throw new KvbenchError({
    code: 'setup-failed',
    message: `the setup of variant ${spec.variant} failed (${hook.how}): ${command}`,
    exitCode: EXIT.unreachable,
    hint: 'what was measured before it is kept: run again with --resume',
  });
}

async function tearDown(spec: VariantSpec, command: string): Promise<void> {
  const hook = await runHook(command, environmentOf(spec), () => () => {});
  await hook.endGroup();
  if (hook.ok) return;
  process.stderr.write(
    `kvbench: the teardown of variant ${spec.variant} failed (${hook.how}): ${command}${hook.output === '' ? '' : `\n${hook.output}`}\n`,
  );
}

function environmentOf(spec: VariantSpec): Record<string, string> {
  return { KVBENCH_VARIANT: spec.variant, KVBENCH_URL: spec.url };
}

/** As {@link connectTarget}; a failure after Ctrl-C is not blamed on the target. */
async function connectUnlessStopped(
  scenario: Scenario,
  stop: StopSignal,
  first: boolean,
): Promise<ConnectedTarget> {
  try {
    return await connectTarget(scenario, stop);
  } catch (error) {
    if (!stop.stopping) throw error;
    throw new KvbenchError({
      code: 'interrupted',
      message: first
        ? 'interrupted before the first trial; nothing was measured'
        : `interrupted while ${scenario.variant} was getting ready; what was measured before is kept`,
      exitCode: EXIT.interrupted,
    });
  }
}
