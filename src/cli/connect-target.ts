import type { Scenario } from '../core/scenario/settings.js';
import type { StopSignal } from '../engine/ports.js';
import type { ConnectedTarget } from './connected-target.js';

/** Label of a run whose variant nobody named: the policy of a simulated cluster, else `target`. */
export function variantOfUrl(url: string): string {
  return /^sim:([\w-]+)/.exec(url)?.[1] ?? 'target';
}

/**
 * Makes a target ready: the simulated cluster in this process, or a server that lists its model and answers a probe.
 *
 * @throws KvbenchError: exit code 2 for a bad URL or sim parameters, 3 when the server does not get ready.
 */
export async function connectTarget(scenario: Scenario, stop: StopSignal): Promise<ConnectedTarget> {
  return scenario.url.startsWith('sim:')
    ? (await import('./connect-sim.js')).connectSim(scenario)
    : (await import('./connect-http.js')).connectHttp(scenario, stop);
}
