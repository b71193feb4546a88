import { createTimeHistogram } from '../core/base/time-histogram.js';
import type { LoadSender, PhaseEnd, SendingThreads } from './ports.js';

/** Chooses who sends each trial: this thread, or several, more of them once there were too few. */
export interface GrowingSender {
  /** In place of `local`, for one trial. */
  senderOf(local: LoadSender): LoadSender;
  close(): Promise<void>;
}

/** Lags beyond this are those that the client's check reports. */
const LATE_MS = 2;
/** A thread that is late although it is mostly idle waits for a processor: more threads would wait too. */
const BUSY_SHARE = 0.7;

/**
 * Begins with `first` threads; one means this thread itself. After a trial in which they were late and busy, the next
 * trials are sent by twice as many, up to `most`; the number never changes within a trial.
 */
export function createGrowingSender(
  first: number,
  most: number,
  start: (threads: number) => SendingThreads,
): GrowingSender {
  let wanted = first;
  let running: { readonly threads: number; readonly sender: SendingThreads } | null = null;

  async function current(local: LoadSender): Promise<LoadSender> {
    if (wanted === 1) return local;
    if (running?.threads !== wanted) {
      await running?.sender.close();
      running = { threads: wanted, sender: start(wanted) };
    }
    return running.sender;
  }

  return {
    senderOf(local) {
      let chosen = local;
      return {
        async open(connections) {
          chosen = await current(local);
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
      await running?.sender.close();
    },
  };
}

function wereTooFew({ readings }: PhaseEnd): boolean {
  const lags = createTimeHistogram();
  for (const reading of readings) lags.merge(reading.stampLag);
  const busy = readings.some(({ cpuMs, spanMs }) => cpuMs / spanMs > BUSY_SHARE * readings.length);
  return busy && (lags.percentile(0.99) ?? 0) > LATE_MS;
}
