import type { Scenario } from '../core/settings.js';
import { createNoMonitor } from '../io/client-monitor.js';
import { checkRequestFits, parseSimTarget } from '../sim/params.js';
import { createSimTransport } from '../sim/transport.js';
import { createVirtualClock } from '../sim/virtual-clock.js';
import type { ConnectedTarget } from './connect-target.js';

/** The simulated cluster in this process, on a clock of its own. Throws KvbenchError (exit code 2) for bad parameters. */
export function connectSim(scenario: Scenario): ConnectedTarget {
  const params = parseSimTarget(scenario.url);
  checkRequestFits(params, scenario.prefixTokens + scenario.tailTokens, scenario.outputTokens);
  const clock = createVirtualClock(() => new Promise((resolve) => setImmediate(resolve)));
  const transport = createSimTransport(params, clock);
  return {
    facts: {
      kind: 'sim',
      url: scenario.url,
      model: scenario.model ?? 'sim',
      models: null,
      dialect: 'sim',
      sent: {},
      cached_tokens: 'reported',
      probe: [],
    },
    transport,
    clock,
    monitor: createNoMonitor(),
    notes: () => transport.notes(),
    close: () => transport.close(),
  };
}
