import { EXIT, KvbenchError, usageError } from '../core/base/errors.js';
import { suggest } from '../core/base/suggest.js';
import type { Clock, ModelList, StopSignal, TargetControl } from './ports.js';

export interface ReadyTarget {
  readonly model: string;
  readonly models: readonly string[];
}

const POLL_EVERY_MS = 500;

/**
 * Polls the target's model list until it holds the model (routers list one seconds after their workers are ready).
 * Without an asked model, until it holds any; that one is taken.
 *
 * @throws KvbenchError, exit code 3 when the time is over: unreachable, no list, or the model not in it; 2 when several
 * models are listed and none was asked for.
 */
export async function waitReady(
  target: { readonly url: string; readonly model: string | null; readonly timeoutMs: number },
  control: TargetControl,
  clock: Clock,
  stop: StopSignal,
): Promise<ReadyTarget> {
  const deadline = clock.now() + target.timeoutMs;
  for (;;) {
    const list = await control.listModels();
    const model = list.kind === 'listed' ? chooseModel(list.ids, target.model) : null;
    if (list.kind === 'listed' && model !== null) return { model, models: list.ids };
    if (clock.now() + POLL_EVERY_MS > deadline || stop.stopping) throw notReady(target, list);
    await new Promise<void>((resolve) => clock.at(clock.now() + POLL_EVERY_MS, resolve));
  }
}

function chooseModel(ids: readonly string[], asked: string | null): string | null {
  if (asked !== null) return ids.includes(asked) ? asked : null;
  if (ids.length > 1) {
    throw usageError(
      'several-models',
      `the target lists ${ids.length} models: ${ids.join(', ')}`,
      'choose one with --model',
    );
  }
  return ids[0] ?? null;
}

function notReady(
  target: { readonly url: string; readonly model: string | null; readonly timeoutMs: number },
  list: ModelList,
): KvbenchError {
  const waited = `after ${target.timeoutMs / 1000} s (--ready-timeout)`;
  if (list.kind === 'unreachable') {
    return unreachable(
      'target-down',
      `${target.url} cannot be reached ${waited}: ${list.message}`,
      'is the router running, and is the port right?',
    );
  }
  if (list.kind === 'no-list') {
    return unreachable(
      'no-model-list',
      `${target.url} gives no model list ${waited}: HTTP ${list.status} ${list.message}`,
      'is the base URL right? For a target without /v1/models use --skip-ready --model ID',
    );
  }
  if (list.ids.length === 0) {
    return unreachable(
      'no-models',
      `${target.url} lists no model ${waited}`,
      'the router is up but no worker has registered: look at its log',
    );
  }
  const near = target.model === null ? null : suggest(target.model, list.ids);
  return unreachable(
    'model-not-listed',
    `${target.url} does not list the model "${target.model}" ${waited}; it lists ${list.ids.join(', ')}`,
    near === null ? 'leave --model out to take the listed one' : `did you mean --model ${near}?`,
  );
}

/** A {@link KvbenchError} with exit code 3. */
export function unreachable(code: string, message: string, hint: string): KvbenchError {
  return new KvbenchError({ code, message, exitCode: EXIT.unreachable, hint });
}
