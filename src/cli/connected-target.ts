import type { TargetFacts } from '../core/measure/run-file.js';
import type { ClientMonitor, Clock, LoadSender, ServerWatch, Transport } from '../engine/ports.js';

/** A target that is ready to be measured. */
export interface ConnectedTarget {
  readonly facts: TargetFacts;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly monitor: ClientMonitor;
  /** Replaces `local`, which sends from the main thread; absent where nothing does. */
  readonly senderOf?: (local: LoadSender) => LoadSender;
  /** Absent where no metrics page can be read. */
  readonly servers?: ServerWatch | undefined;
  /** Lines about the run that no record holds, printed below the tables; null or absent for none. */
  notes?(): string | null;
  close(): Promise<void>;
}
