import type { StopSignal } from '../engine/ports.js';

/** A stop signal with its lever. */
export interface StopLever extends StopSignal {
  /** First call: stop starting requests. Second: abort those in flight. Returns which call it was. */
  pull(): 'draining' | 'aborting';
}

export function createStopLever(): StopLever {
  let pulls = 0;
  const listeners = new Set<() => void>();
  return {
    get stopping() {
      return pulls > 0;
    },
    onAbort: (listener) => {
      if (pulls > 1) listener();
      else listeners.add(listener);
      return () => listeners.delete(listener);
    },
    pull: () => {
      pulls++;
      if (pulls === 1) return 'draining';
      for (const listener of [...listeners]) listener();
      listeners.clear();
      return 'aborting';
    },
  };
}
