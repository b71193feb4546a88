import { parentPort, workerData } from 'node:worker_threads';
import { workerNamesOf } from '../core/answer/dialects.js';
import { createBodyEncoder } from '../core/answer/request-body.js';
import { secretsIn } from '../core/scenario/redact.js';
import { createLocalSender } from '../engine/local-sender.js';
import type { EndedRequest, StopSignal } from '../engine/ports.js';
import { createClientMonitor } from '../io/client-monitor.js';
import { createHttpTransport } from '../io/http/transport.js';
import {
  type LoadThreadData,
  type LoadThreadReply,
  type LoadThreadTask,
  NEXT,
  STOPPING,
} from '../io/load-thread-messages.js';
import { createRealClock } from '../io/real-clock.js';
import { createStopLever } from '../io/stop-signal.js';

/** One of several sending threads, controlled by messages (src/io/load-threads.ts). */

/** How often records are handed over: each message costs both threads some tens of µs. */
const HAND_OVER_MS = 50;

const data = workerData as LoadThreadData;
const { scenario, shared } = data;
const clock = createRealClock(data.clockOriginMs);
const monitor = createClientMonitor(clock);
const lever = createStopLever();
const stop: StopSignal = {
  get stopping() {
    return Atomics.load(shared, STOPPING) === 1;
  },
  onAbort: lever.onAbort,
};
const transport = createHttpTransport({
  baseUrl: scenario.url,
  headers: data.headers,
  connections: scenario.connections,
  endpoint: scenario.endpoint,
  names: workerNamesOf(scenario),
  connectTimeoutMs: scenario.connectTimeout,
  secrets: secretsIn(scenario.body),
  encode: createBodyEncoder({
    model: data.model,
    endpoint: scenario.endpoint,
    fields: data.fields,
    body: scenario.body,
  }),
  clock,
  watch: monitor,
});
let originMs = 0;
const sender = createLocalSender(scenario, scenario.variant, { clock, transport, stop, monitor }, () => ({
  originMs,
  take: () => Atomics.add(shared, NEXT, 1),
}));

let batch: EndedRequest[] = [];

function reply(message: LoadThreadReply): void {
  parentPort?.postMessage(message);
}

function handOver(): void {
  if (batch.length > 0) reply({ kind: 'ended', requests: batch });
  batch = [];
}

async function work(task: LoadThreadTask): Promise<void> {
  if (task.kind === 'open') {
    await sender.open(task.connections);
    reply({ kind: 'done', end: null });
  } else if (task.kind === 'run') {
    originMs = task.originMs;
    const timer = setInterval(handOver, HAND_OVER_MS);
    const end = await sender.run(task.phase, (ended) => batch.push(ended));
    clearInterval(timer);
    handOver();
    reply({ kind: 'done', end });
  } else if (task.kind === 'abort') {
    lever.pull();
    lever.pull();
  } else {
    await transport.close();
    reply({ kind: 'done', end: null });
  }
}

parentPort?.on('message', (task: LoadThreadTask) => void work(task));
