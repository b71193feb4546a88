import type { TargetFacts } from '../core/measure/run-file.js';
import type { Scenario } from '../core/scenario/settings.js';
import type { ClientMonitor, Clock, LoadCrew, StopSignal, Transport } from '../engine/ports.js';

/** A target that is ready to be measured. */
export interface ConnectedTarget {
  readonly facts: TargetFacts;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly monitor: ClientMonitor;
  /** Who sends instead of the thread of this process, which could; absent where it always does. */
  readonly crewOf?: (local: LoadCrew) => LoadCrew;
  /** Lines on the run that no record holds, printed below the tables; null or absent for none. */
  notes?(): string | null;
  close(): Promise<void>;
}

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
