import { availableParallelism } from 'node:os';
import { createBodyEncoder, type Dialect, requestOptions } from '../core/answer/request-body.js';
import { usageError } from '../core/base/errors.js';
import type { TargetFacts } from '../core/measure/run-file.js';
import { redactUrl } from '../core/scenario/redact.js';
import type { Scenario } from '../core/scenario/settings.js';
import { createProbePrompt } from '../core/workload/prompts.js';
import { createGrowingSender } from '../engine/growing-sender.js';
import type { ClientMonitor, Clock, StopSignal, Transport } from '../engine/ports.js';
import { type ProbeResult, probeTarget } from '../engine/probe-target.js';
import { waitReady } from '../engine/wait-ready.js';
import { createClientMonitor } from '../io/client-monitor.js';
import { createHttpTransport } from '../io/http/transport.js';
import { createLoadThreads } from '../io/load-threads.js';
import { createRealClock } from '../io/real-clock.js';
import { drawSalt } from '../io/salt.js';
import { createTargetControl } from '../io/target-control.js';
import type { ConnectedTarget } from './connected-target.js';

/** A server that is ready and has been probed. */
export interface ProbedTarget {
  readonly facts: TargetFacts;
  readonly probe: ProbeResult;
  readonly clock: Clock;
  readonly monitor: ClientMonitor;
  /** Of every request, secrets and all. */
  readonly headers: Readonly<Record<string, string>>;
  connect(body: Dialect): Transport;
}

/** A server over HTTP: waits until it lists its model, then probes what it accepts. Throws KvbenchError (exit codes 2, 3). */
export async function connectHttp(scenario: Scenario, stop: StopSignal): Promise<ConnectedTarget> {
  const { facts, probe, clock, monitor, headers, connect } = await probeHttp(scenario, stop);
  const transport = connect(probe.body);
  const { threads } = scenario;
  const first = threads === 'auto' ? 1 : threads;
  // One core is left for what runs beside the client.
  const most = threads === 'auto' ? Math.max(1, availableParallelism() - 1) : threads;
  const entry = new URL('./load-thread.js', import.meta.url);
  const sender = createGrowingSender(first, most, (count) =>
    createLoadThreads({
      ...{ scenario, model: facts.model, headers, body: probe.body },
      ...{ threads: count, entry, clock, stop },
    }),
  );
  return {
    ...{ facts, transport, clock, monitor, senderOf: sender.senderOf },
    async close() {
      await sender.close();
      await transport.close();
    },
  };
}

/** Finds out what `connectHttp` needs to know. Throws KvbenchError (exit codes 2, 3). */
export async function probeHttp(scenario: Scenario, stop: StopSignal): Promise<ProbedTarget> {
  const clock = createRealClock();
  const monitor = createClientMonitor(clock);
  const headers = readHeaders(scenario);
  const ready = await waitUntilReady();
  const connect = (body: Dialect): Transport =>
    createHttpTransport({
      baseUrl: scenario.url,
      headers,
      connections: scenario.connections,
      endpoint: scenario.endpoint,
      encode: createBodyEncoder({ model: ready.model, endpoint: scenario.endpoint, dialect: body }),
      clock,
      watch: monitor,
    });
  const probe = await probeTarget(scenario, { clock, stop, connect, prompt: createProbePrompt(drawSalt()) });
  const facts: TargetFacts = {
    kind: 'http',
    url: redactUrl(scenario.url),
    ...ready,
    dialect: probe.dialect,
    sent: requestOptions(probe.body, scenario.outputTokens),
    cached_tokens: probe.cached_tokens,
    probe: probe.probe,
  };
  return { facts, probe, clock, monitor, headers, connect };

  async function waitUntilReady(): Promise<{
    readonly model: string;
    readonly models: readonly string[] | null;
  }> {
    if (scenario.skipReady && scenario.model !== null) return { model: scenario.model, models: null };
    const control = createTargetControl({ baseUrl: scenario.url, headers });
    const target = { url: redactUrl(scenario.url), model: scenario.model, timeoutMs: scenario.readyTimeout };
    return waitReady(target, control, clock, stop);
  }
}

/** The user's headers, and the API key as a bearer token in place of any other. */
function readHeaders(scenario: Scenario): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const header of scenario.header) {
    const colon = header.indexOf(':');
    headers[header.slice(0, colon).trim()] = header.slice(colon + 1).trim();
  }
  if (scenario.apiKeyEnv !== null) {
    const key = process.env[scenario.apiKeyEnv];
    if (key === undefined || key === '') {
      throw usageError(
        'no-api-key',
        `--api-key-env: the environment variable ${scenario.apiKeyEnv} is not set`,
        `export ${scenario.apiKeyEnv}=… first`,
      );
    }
    for (const name of Object.keys(headers)) if (/^authorization$/i.test(name)) delete headers[name];
    headers.authorization = `Bearer ${key}`;
  }
  return headers;
}
