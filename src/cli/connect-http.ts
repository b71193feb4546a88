import { availableParallelism } from 'node:os';
import type { JsonObject } from '../core/answer/dialect.js';
import { BARE_FIELDS, workerNamesOf } from '../core/answer/dialects.js';
import { createBodyEncoder, sentFields } from '../core/answer/request-body.js';
import { KvbenchError, usageError } from '../core/base/errors.js';
import type { TargetFacts } from '../core/measure/run-file.js';
import { redactBody, redactUrl, secretsIn } from '../core/scenario/redact.js';
import type { Scenario } from '../core/scenario/settings.js';
import { createProbePrompt } from '../core/workload/prompts.js';
import { createGrowingSender } from '../engine/growing-sender.js';
import type { ClientMonitor, Clock, StopSignal, Transport } from '../engine/ports.js';
import { type ProbeResult, probeTarget } from '../engine/probe-target.js';
import { sendSmallRequest } from '../engine/small-request.js';
import { type ReadyTarget, waitReady } from '../engine/wait-ready.js';
import { createClientMonitor } from '../io/client-monitor.js';
import { createHider } from '../io/http/hide-secrets.js';
import { createHttpTransport } from '../io/http/transport.js';
import { createLoadThreads } from '../io/load-threads.js';
import { findMetricsPages } from '../io/metrics/find-pages.js';
import type { PageAddress } from '../io/metrics/get-page.js';
import { createServerWatch } from '../io/metrics/server-watch.js';
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
  /** The model as requests name it; `facts` hold it as it may be written. */
  readonly model: string;
  /** Metrics pages that can be read. */
  readonly pages: readonly PageAddress[];
  connect(fields: JsonObject): Transport;
}

/** A server over HTTP: waits until it answers, then probes what it accepts. Throws KvbenchError (exit codes 2, 3). */
export async function connectHttp(scenario: Scenario, stop: StopSignal): Promise<ConnectedTarget> {
  const { facts, probe, clock, monitor, headers, model, pages, connect } = await probeHttp(scenario, stop);
  const transport = connect(probe.fields);
  const { threads } = scenario;
  const first = threads === 'auto' ? 1 : threads;
  // One core is left for what runs beside the client.
  const most = threads === 'auto' ? Math.max(1, availableParallelism() - 1) : threads;
  const entry = new URL('./load-thread.js', import.meta.url);
  const sender = createGrowingSender(first, most, (count) =>
    createLoadThreads({
      ...{ scenario, model, headers, fields: probe.fields },
      ...{ threads: count, entry, clock, stop },
    }),
  );
  return {
    ...{ facts, transport, clock, monitor, senderOf: sender.senderOf },
    servers:
      pages.length === 0
        ? undefined
        : createServerWatch(pages, clock, createHider(headers, secretsIn(scenario.body))),
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
  const hide = createHider(headers, secretsIn(scenario.body)) ?? ((text: string) => text);
  const { model, models } = await waitUntilReady().catch((error: unknown) => {
    throw hideIn(error, hide);
  });
  const connect = (fields: JsonObject) => connectTo(model, fields);
  const deps = { clock, stop, connect, prompt: createProbePrompt(drawSalt()) };
  const probe = await probeTarget(scenario, deps);
  const metrics = await findMetricsPages(scenario.metricsUrl, { url: scenario.url, headers });
  const facts: TargetFacts = {
    kind: 'http',
    url: redactUrl(scenario.url),
    model: hide(model),
    models: models?.map(hide) ?? null,
    dialect: probe.dialect,
    sent: redactBody(sentFields(scenario.outputTokens, probe.fields, scenario.body)),
    cached_tokens: probe.cached_tokens,
    new_prompts_cached: probe.new_prompts_cached,
    worker_source: probe.worker_source,
    probe: probe.probe,
    metrics: metrics.map(({ source }) => ({ ...source, unread: hide(source.unread ?? '') || null })),
  };
  const pages = metrics.flatMap(({ address, source }) => (source.unread === null ? [address] : []));
  return { facts, probe, clock, monitor, headers, model, pages, connect };

  function connectTo(id: string, fields: JsonObject): Transport {
    return createHttpTransport({
      baseUrl: scenario.url,
      headers,
      connections: scenario.connections,
      endpoint: scenario.endpoint,
      names: workerNamesOf(scenario),
      connectTimeoutMs: scenario.connectTimeout,
      secrets: secretsIn(scenario.body),
      encode: createBodyEncoder({ model: id, endpoint: scenario.endpoint, fields, body: scenario.body }),
      clock,
      watch: monitor,
    });
  }

  async function waitUntilReady(): Promise<ReadyTarget> {
    if (scenario.skipReady && scenario.model !== null) return { model: scenario.model, models: null };
    const url = redactUrl(scenario.url);
    const prompt = createProbePrompt(drawSalt());
    return waitReady(
      { url, model: scenario.model, timeoutMs: scenario.readyTimeout },
      {
        control: createTargetControl({ baseUrl: scenario.url, headers }),
        async ask(id) {
          const connect = (fields: JsonObject) => connectTo(id, fields);
          return (await sendSmallRequest(BARE_FIELDS, scenario, { clock, stop, connect, prompt })).record;
        },
        clock,
        stop,
      },
    );
  }
}

/** The same error without secrets: lists and messages of a server may repeat them. */
function hideIn(error: unknown, hide: (text: string) => string): unknown {
  if (!(error instanceof KvbenchError)) return error;
  const { code, message, exitCode, hint } = error;
  return new KvbenchError({
    code,
    message: hide(message),
    exitCode,
    hint: hint === null ? undefined : hide(hint),
  });
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
