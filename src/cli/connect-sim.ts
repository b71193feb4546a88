import { lengthsOf } from '../core/scenario/request-groups.js';
import type { Scenario } from '../core/scenario/settings.js';
import { createNoMonitor } from '../io/client-monitor.js';
import { createVirtualClock } from '../sim/clock/virtual-clock.js';
import {
  capacityBlocks,
  checkRequestFits,
  parseSimTarget,
  type SimParams,
} from '../sim/params/sim-params.js';
import { createSimTransport } from '../sim/transport.js';
import type { ConnectedTarget } from './connected-target.js';

/** The simulated cluster in this process, on its own clock. Throws KvbenchError (exit code 2) for bad parameters. */
export function connectSim(scenario: Scenario): ConnectedTarget {
  const params = sizeCaches(parseSimTarget(scenario.url), scenario);
  for (const { prefixTokens, tailTokens, outputTokens } of lengthsOf(scenario)) {
    checkRequestFits(params, prefixTokens + tailTokens, outputTokens);
  }
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

/** A cache measured in requests holds as many of the longest, whatever is sent first: warm-up, or another group's. */
function sizeCaches(params: SimParams, scenario: Scenario): SimParams {
  const longest = Math.max(...lengthsOf(scenario).map((group) => group.prefixTokens + group.tailTokens));
  return { ...params, capacityBlocks: capacityBlocks(params, longest) };
}
