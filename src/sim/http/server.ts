import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Lateness } from '../clock/lateness.js';
import { createPacedClock, type PacedClock } from '../clock/paced-clock.js';
import type { ModelClock } from '../clock/virtual-clock.js';
import { buildCluster } from '../disaggregated/disaggregated-cluster.js';
import type { SimParams } from '../params/sim-params.js';
import { createGenerator } from './generate.js';
import { sendRefusal } from './replies.js';
import { createRoutes } from './routes.js';
import type { WorkerEngine } from './vllm.js';

export interface SimServerOptions {
  readonly params: SimParams;
  /** Cache blocks of one worker. */
  readonly blocks: number;
  readonly model: string;
  /** A real clock, ms. */
  readonly clock: ModelClock;
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** First of the workers' own ports, one after another; 0 picks free ones; null opens none. */
  readonly workerPort: number | null;
  /** What the workers' own ports answer as; `sim` when left out. */
  readonly workerEngine?: WorkerEngine;
}

export interface SimServer {
  /** Where the router listens. */
  readonly port: number;
  /** Where each worker listens; empty when they have no ports. */
  readonly workerPorts: readonly number[];
  totals(): SimTotals;
  /** Stops listening and ends every connection. */
  close(): Promise<void>;
}

/** What a server has done. */
export interface SimTotals {
  readonly answered: number;
  /** Left by their clients before the end. */
  readonly aborted: number;
  /** Refused with an error. */
  readonly refused: number;
  readonly lateness: Lateness;
}

const HEADERS_TIMEOUT_MS = 20_000;
const BODY_TIMEOUT_MS = 60_000;

/**
 * Serves the simulated cluster as an OpenAI-compatible server in real time. Rejects with the system's error when a port
 * cannot be opened; nothing is left open then.
 */
export async function startSimServer(options: SimServerOptions): Promise<SimServer> {
  const clock = createPacedClock(options.clock);
  const { handle, totals } = createHandler(options, clock);
  const servers: Server[] = [];

  async function listen(port: number, worker: number | null): Promise<number> {
    const server = createServer(
      { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: BODY_TIMEOUT_MS },
      (request, response) => {
        handle(request, response, worker).catch(() => response.destroy());
      },
    );
    servers.push(server);
    server.listen(port, options.host);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  async function close(): Promise<void> {
    clock.stop();
    await Promise.all(servers.filter((server) => server.listening).map(closeServer));
  }

  try {
    const port = await listen(options.port, null);
    const workerPorts: number[] = [];
    for (let worker = 0; options.workerPort !== null && worker < options.params.workers; worker++) {
      workerPorts.push(await listen(options.workerPort === 0 ? 0 : options.workerPort + worker, worker));
    }
    return { port, workerPorts, totals, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

/** Answers every request of the router's port (`worker` null) and of each worker's own. */
function createHandler(
  { params, blocks, model, workerEngine = 'sim' }: SimServerOptions,
  clock: PacedClock,
): {
  handle(request: IncomingMessage, response: ServerResponse, worker: number | null): Promise<void>;
  totals(): SimTotals;
} {
  const cluster = buildCluster(params, blocks, clock, () => undefined);
  const finished = new Array<number>(params.workers).fill(0);
  const served = { params, cluster, clock, model, blocks, finished, workerEngine };
  const generator = createGenerator(served);
  const routes = createRoutes({ ...served, generator });
  let refused = 0;
  return {
    async handle(request, response, worker) {
      const path = (request.url ?? '/').split('?')[0] ?? '/';
      const refusal = await routes(path, request, response, worker);
      if (refusal === null) return;
      refused++;
      sendRefusal(response, refusal);
    },
    totals: () => ({
      answered: finished.reduce((sum, count) => sum + count, 0),
      aborted: generator.aborted(),
      refused,
      lateness: clock.lateness.read(),
    }),
  };
}
