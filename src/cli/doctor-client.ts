import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { BARE_FIELDS } from '../core/answer/dialects.js';
import { createBodyEncoder } from '../core/answer/request-body.js';
import type { RequestRecord } from '../core/answer/request-record.js';
import { EXIT, type ExitCode } from '../core/base/errors.js';
import { percentile, sortedOf } from '../core/base/statistics.js';
import { resolveScenario } from '../core/scenario/resolve-scenario.js';
import type { Scenario } from '../core/scenario/settings.js';
import { planGrid, planTrial } from '../core/workload/plan.js';
import { createLocalSender } from '../engine/local-sender.js';
import type { Clock, StopSignal } from '../engine/ports.js';
import { runTrial } from '../engine/run-trial.js';
import { createClientMonitor } from '../io/client-monitor.js';
import { createHttpTransport } from '../io/http/transport.js';
import { createRealClock } from '../io/real-clock.js';
import type { PaceReport, PaceSchedule } from '../io/self-test-server.js';
import { type ClientStep, isTrusted, renderClientDoctor, TRUSTED_AT_MS } from '../report/client-doctor.js';
import { interruptible } from './interrupt.js';

/** Each step doubles the last, until one is not trusted or time is up. */
const FIRST_CONCURRENCY = 4;
const LAST_CONCURRENCY = 2048;
const TIME_MS = 15_000;
/** Requests per slot: two seconds, so that the last step begun ends within 20. */
const WAVES = 4;
const SCHEDULE: PaceSchedule = { firstTokenMs: 50, gapMs: 10, tokens: 40 };
const PROMPT = { prefixTokens: 2000, tailTokens: 300 };
/** `kvbench doctor --client`: up to which load can this machine's client be trusted? */
export async function doctorClient(json: boolean): Promise<ExitCode> {
  const steps = await interruptible(calibrate);
  const machine = { cores: availableParallelism(), schedule: SCHEDULE, steps };
  process.stdout.write(json ? `${JSON.stringify(machine, null, 2)}\n` : renderClientDoctor(machine));
  return EXIT.good;
}

async function calibrate(stop: StopSignal): Promise<ClientStep[]> {
  const server = await startServer();
  const steps: ClientStep[] = [];
  try {
    // Code is slow until it has run for a while; what a first step shows is that.
    await runStep(server, 16, stop);
    const startedMs = performance.now();
    for (let concurrency = FIRST_CONCURRENCY; concurrency <= LAST_CONCURRENCY; concurrency *= 2) {
      if (stop.stopping || performance.now() - startedMs > TIME_MS) break;
      process.stderr.write(`C=${concurrency} …\n`);
      const step = await runStep(server, concurrency, stop);
      if (stop.stopping) break;
      steps.push(step);
      if (!TRUSTED_AT_MS.some((ttftMs) => isTrusted(step, ttftMs))) break;
    }
  } finally {
    await server.stop();
  }
  return steps;
}

interface PaceServer {
  readonly url: string;
  /** Its lateness since it was asked last. */
  report(): Promise<PaceReport>;
  stop(): Promise<void>;
}

async function startServer(): Promise<PaceServer> {
  const worker = new Worker(new URL('../io/self-test-server.js', import.meta.url), { workerData: SCHEDULE });
  const [port] = (await once(worker, 'message')) as [number];
  return {
    url: `http://127.0.0.1:${port}`,
    async report() {
      worker.postMessage('report');
      const [report] = (await once(worker, 'message')) as [PaceReport];
      return report;
    },
    async stop() {
      await worker.terminate();
    },
  };
}

async function runStep(server: PaceServer, concurrency: number, stop: StopSignal): Promise<ClientStep> {
  const scenario = resolveScenario(
    {
      ...PROMPT,
      url: server.url,
      model: 'none',
      prefixes: [4],
      concurrency: [concurrency],
      requests: concurrency * WAVES,
      repeats: 1,
      outputTokens: SCHEDULE.tokens,
    },
    () => 'calibration',
  );
  await server.report();
  const { records, client } = await runOnce(scenario, createRealClock(), stop);
  const ok = records.filter((record) => record.outcome === 'ok');
  const ttft = sortedOf(ok.map((record) => record.ttft_ms));
  return {
    concurrency,
    tokensPerS: Math.round((concurrency * SCHEDULE.tokens * 1000) / requestMs()),
    failed: records.length - ok.length,
    ttftP50Ms: percentile(ttft, 0.5),
    ttftP99Ms: percentile(ttft, 0.99),
    server: await server.report(),
    client,
  };
}

async function runOnce(scenario: Scenario, clock: Clock, stop: StopSignal) {
  const [planned] = planGrid(scenario).trials;
  if (planned === undefined) throw new Error('a plan without a trial');
  const trial = planTrial(scenario, planned);
  const monitor = createClientMonitor(clock);
  const encode = createBodyEncoder({ model: 'none', endpoint: 'chat', fields: BARE_FIELDS });
  const transport = createHttpTransport({
    ...{ baseUrl: scenario.url, headers: {}, connections: 'reuse', endpoint: 'chat' },
    ...{ encode, clock, watch: monitor },
  });
  const records: RequestRecord[] = [];
  try {
    const sender = createLocalSender(scenario, scenario.variant, { clock, transport, stop, monitor });
    const end = await runTrial(scenario, scenario.variant, trial, {
      sender,
      onRecord: (record) => records.push(record),
    });
    return { records, client: end.client };
  } finally {
    await transport.close();
  }
}

/** How long one request takes by the schedule. */
function requestMs(): number {
  return SCHEDULE.firstTokenMs + SCHEDULE.gapMs * (SCHEDULE.tokens - 1);
}
