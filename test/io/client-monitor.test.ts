import { describe, expect, it, onTestFinished } from 'vitest';
import { createTimeHistogram } from '../../src/core/base/time-histogram.js';
import { buildClientCheck, type ClientCheck } from '../../src/core/measure/client-check.js';
import { createClientMonitor, type HttpClientMonitor } from '../../src/io/client-monitor.js';
import { exchange, httpTransport, realClock } from '../support/http-exchange.js';
import { eventStream, ONE_TOKEN, type Script, startScriptedServer } from '../support/scripted-server.js';

const BLOCK_MS = 60;

function block(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

/** One request against a server in this process, watched; a token counts as a first token when it is read. */
async function watchOne(script: Script): Promise<ClientCheck> {
  const server = await startScriptedServer(script);
  const monitor = createClientMonitor(realClock);
  const transport = httpTransport(server.url, { watch: monitor });
  onTestFinished(async () => {
    await transport.close();
    await server.close();
  });
  monitor.start();
  await exchange(transport, (recorder) => ({
    ...recorder,
    bytes(chunk, atMs) {
      monitor.firstToken();
      recorder.bytes(chunk, atMs);
    },
  })).record;
  return checkOf(monitor);
}

function checkOf(monitor: HttpClientMonitor): ClientCheck {
  const load = {
    requests: 1,
    sendLag: createTimeHistogram(),
    concurrencyAsked: null,
    concurrencyMean: null,
  };
  return buildClientCheck(
    [monitor.stop()].filter((reading) => reading !== null),
    load,
  );
}

describe('the client monitor', () => {
  it('sees a read that waited for a blocked loop', async () => {
    const check = await watchOne((socket) => {
      socket.write(eventStream(ONE_TOKEN));
      // What was written lies in the kernel, ready to be read, while this thread does something else.
      block(BLOCK_MS);
    });
    expect(check.stamp_lag_max_ms).toBeGreaterThanOrEqual(BLOCK_MS);
  });

  it('does not take the time a server needs for its own', async () => {
    const check = await watchOne((socket) => {
      setTimeout(() => socket.write(eventStream(ONE_TOKEN)), 300);
    });
    expect(check.stamp_lag_max_ms).toBeLessThan(250);
  });

  it('counts the moments of a block, not its one late timer', async () => {
    const monitor = createClientMonitor(realClock);
    monitor.start();
    await new Promise((resolve) => setTimeout(resolve, 20));
    block(1000);
    await new Promise((resolve) => setTimeout(resolve, 10));
    const check = checkOf(monitor);
    // A second blocked, sampled each 5 ms: the lags of its moments are spread evenly from 1,000 to 0.
    expect(check.loop_delay_max_ms).toBeGreaterThan(980);
    expect(check.loop_delay_p50_ms).toBeGreaterThan(400);
  });

  it('tells the CPU that was used', async () => {
    const monitor = createClientMonitor(realClock);
    monitor.start();
    const before = process.cpuUsage();
    block(100);
    const used = process.cpuUsage(before);
    const { cpu_per_request_us } = checkOf(monitor);
    expect(cpu_per_request_us).toBeGreaterThanOrEqual(used.user + used.system);
  });
});
