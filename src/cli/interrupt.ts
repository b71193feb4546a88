import { createStopLever, type StopLever } from '../io/stop-signal.js';

/** Ctrl-C, the end of a job's time, a lost terminal. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs `work` while handling Ctrl-C: the first stops sending and drains, the second aborts what is in flight. What was
 * measured is kept either way. A third ends the process as usual.
 */
export async function interruptible<T>(work: (stop: StopLever) => Promise<T>): Promise<T> {
  const lever = createStopLever();
  const onSignal = () => {
    if (lever.pull() === 'draining') {
      process.stderr.write('\nStopping: waiting for requests in flight; Ctrl-C again aborts them.\n');
    } else {
      process.stderr.write('\nAborting requests in flight.\n');
      process.off('SIGINT', onSignal);
    }
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  try {
    return await work(lever);
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}
