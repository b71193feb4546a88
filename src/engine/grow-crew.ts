import { createTimeHistogram } from '../core/base/time-histogram.js';
import type { LoadCrew, PhaseEnd } from './ports.js';

/** Threads that can be ended. */
export interface ClosableCrew extends LoadCrew {
  close(): Promise<void>;
}

/** Who sends each trial: this thread, or threads of which there are more once there were too few. */
export interface GrowingCrew {
  /** In place of `local`, for one trial. */
  crewOf(local: LoadCrew): LoadCrew;
  close(): Promise<void>;
}

/** Lags beyond this are those that the client's check reports. */
const LATE_MS = 2;
/** A thread that is late although it has time to spare waits for a processor: more threads would wait, too. */
const BUSY_SHARE = 0.7;

/**
 * Begins with `first` threads; one is this thread itself. After a trial in which they were late and busy, the next are sent
 * by twice as many, up to `most`: a trial is never sent by two sets.
 */
export function createGrowingCrew(
  first: number,
  most: number,
  start: (threads: number) => ClosableCrew,
): GrowingCrew {
  let wanted = first;
  let running: { readonly threads: number; readonly crew: ClosableCrew } | null = null;

  async function crewOfNow(local: LoadCrew): Promise<LoadCrew> {
    if (wanted === 1) return local;
    if (running?.threads !== wanted) {
      await running?.crew.close();
      running = { threads: wanted, crew: start(wanted) };
    }
    return running.crew;
  }

  return {
    crewOf(local) {
      let chosen = local;
      return {
        async open(connections) {
          chosen = await crewOfNow(local);
          await chosen.open(connections);
        },
        async run(phase, onEnd) {
          const end = await chosen.run(phase, onEnd);
          if (wereTooFew(end)) wanted = Math.max(wanted, Math.min(most, 2 * wanted));
          return end;
        },
      };
    },
    async close() {
      await running?.crew.close();
    },
  };
}

function wereTooFew({ readings }: PhaseEnd): boolean {
  const lags = createTimeHistogram();
  for (const reading of readings) lags.merge(reading.stampLag);
  const busy = readings.some(({ cpuMs, spanMs }) => cpuMs / spanMs > BUSY_SHARE * readings.length);
  return busy && (lags.percentile(0.99) ?? 0) > LATE_MS;
}
