import type { TargetFacts } from '../core/measure/run-file.js';
import type { ClientMonitor, Clock, LoadCrew, Transport } from '../engine/ports.js';

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
