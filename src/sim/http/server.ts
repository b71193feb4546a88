import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Lateness } from '../clock/lateness.js';
import { createPacedClock } from '../clock/paced-clock.js';
import type { ModelClock } from '../clock/virtual-clock.js';
import type { Cluster, ClusterRequest } from '../cluster.js';
import { buildCluster } from '../disaggregated/disaggregated-cluster.js';
import type { SimParams } from '../params/sim-params.js';
import { workerName } from '../transport.js';
import { createAnswerWriter } from './answer.js';
import { renderMetrics } from './metrics.js';
import { type Endpoint, parseServerRequest, type ServerRequest } from './request.js';
import { buildTextBlocks } from './text-blocks.js';

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
  /** First port of the workers' own, one after another; 0 picks free ones; null opens none. */
  readonly workerPort: number | null;
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

const MOST_BODY_BYTES = 32 * 1024 * 1024;
const MOST_DISCARDED_BYTES = 8 * MOST_BODY_BYTES;
/** A client that leaves this much unread is cut off: memory must not grow with its patience. */
const MOST_UNREAD_BYTES = 1024 * 1024;
const HEADERS_TIMEOUT_MS = 20_000;
const BODY_TIMEOUT_MS = 60_000;

/**
 * Serves the simulated cluster as an OpenAI-compatible server in real time. Rejects with the system's error when a port
 * cannot be opened; nothing is left open then.
 */
export async function startSimServer(options: SimServerOptions): Promise<SimServer> {
  const { params, model } = options;
  const clock = createPacedClock(options.clock);
  const cluster = buildCluster(params, options.blocks, clock, () => undefined);
  const finished = new Array<number>(params.workers).fill(0);
  const connections = new Map<Socket, number>();
  const totals = { answered: 0, aborted: 0, refused: 0 };
  let requests = 0;
  let connectionsSeen = 0;

  const servers: Server[] = [];
  async function listen(port: number, worker: number | null): Promise<number> {
    const server = createServer(
      { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: BODY_TIMEOUT_MS },
      (request, response) => {
        route(request, response, worker).catch(() => response.destroy());
      },
    );
    servers.push(server);
    server.listen(port, options.host);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  async function route(
    request: IncomingMessage,
    response: ServerResponse,
    worker: number | null,
  ): Promise<void> {
    const path = (request.url ?? '/').split('?')[0];
    const found = ROUTES[path ?? ''];
    if (found === undefined) return refuse(response, 404, `there is nothing at ${path}`);
    if (request.method !== found.method) {
      response.setHeader('allow', found.method);
      return refuse(response, 405, `${path} takes ${found.method}`);
    }
    switch (found.kind) {
      case 'chat':
      case 'completions':
        return answer(request, response, found.kind, worker);
      case 'models':
        return sendJson(response, 200, {
          object: 'list',
          data: [{ id: model, object: 'model', owned_by: 'kvbench' }],
        });
      case 'health':
        return sendJson(response, 200, { status: 'healthy' });
      case 'metrics':
        response.setHeader('content-type', 'text/plain; version=0.0.4; charset=utf-8');
        response.end(metrics(worker));
        return;
      case 'reset':
        return reset(response, worker);
    }
  }

  function metrics(only: number | null): string {
    const all = cluster.workers.map((worker, i) => ({
      worker: i,
      stats: worker.stats(),
      finished: finished[i] ?? 0,
    }));
    return renderMetrics(
      model,
      only === null ? all : all.filter(({ worker }) => worker === only),
      clock.lateness.read(),
    );
  }

  function reset(response: ServerResponse, only: number | null): void {
    const busy = cluster.workers.flatMap((worker, i) =>
      (only === null || only === i) && !worker.resetCache() ? [workerName(i)] : [],
    );
    if (busy.length === 0) sendJson(response, 200, { reset: true });
    else refuse(response, 409, `not reset while requests are running: ${busy.join(', ')}`);
  }

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    endpoint: Endpoint,
    worker: number | null,
  ): Promise<void> {
    const arrivedMs = clock.now();
    const body = await readBody(request);
    if (body === null) {
      return refuse(response, 413, `the body is larger than ${MOST_BODY_BYTES} bytes`);
    }
    const parsed = parseServerRequest(endpoint, body);
    if ('status' in parsed) return refuse(response, parsed.status, parsed.message);
    if (parsed.model !== null && parsed.model !== model) {
      return refuse(response, 404, `the model "${parsed.model}" does not exist, there is "${model}"`);
    }
    const { tokens, segments } = buildTextBlocks(parsed.parts, params.blockSize);
    if (tokens === 0) return refuse(response, 400, 'the prompt is empty');
    if (response.destroyed) {
      totals.aborted++;
      return;
    }
    serve(parsed, response, worker, arrivedMs, {
      segments,
      promptTokens: tokens,
      outputTokens: parsed.outputTokens,
      connection: connectionOf(request.socket),
    });
  }

  function connectionOf(socket: Socket): number {
    const known = connections.get(socket);
    if (known !== undefined) return known;
    const connection = connectionsSeen++;
    connections.set(socket, connection);
    socket.once('close', () => connections.delete(socket));
    return connection;
  }

  function serve(
    request: ServerRequest,
    response: ServerResponse,
    only: number | null,
    arrivedMs: number,
    work: ClusterRequest,
  ): void {
    const id = `${request.endpoint === 'chat' ? 'chatcmpl' : 'cmpl'}-sim${(requests++).toString(36).padStart(6, '0')}`;
    const writer = createAnswerWriter(request, id, model, Math.floor(Date.now() / 1000));
    let chosen = 0;
    let decodeWorker: number | null = null;
    let expectedHitRate: number | null = null;
    let cachedTokens = 0;
    let routedMs = arrivedMs;
    let startedMs = arrivedMs;
    let firstMs = arrivedMs;
    let tokens = 0;
    let done = false;

    function write(text: string): void {
      response.write(text);
      if (response.writableLength > MOST_UNREAD_BYTES) response.destroy();
    }

    function finish(): void {
      done = true;
      totals.answered++;
      finished[chosen] = (finished[chosen] ?? 0) + 1;
      const outcome = {
        worker: chosen,
        decodeWorker: decodeWorker ?? chosen,
        promptTokens: work.promptTokens,
        cachedTokens,
        outputTokens: tokens,
        waitMs: startedMs - routedMs,
        prefillMs: firstMs - startedMs,
        ttftMs: firstMs - arrivedMs,
        totalMs: clock.now() - arrivedMs,
        expectedHitRate,
      };
      if (request.stream) response.end(writer.end(outcome));
      else sendText(response, 200, writer.whole(outcome));
    }

    const observer: Parameters<Cluster['submit']>[1] = {
      routed(worker, overlapBlocks) {
        chosen = worker;
        routedMs = clock.now();
        if (overlapBlocks !== null) expectedHitRate = (overlapBlocks * params.blockSize) / work.promptTokens;
        response.setHeader('x-worker-id', workerName(worker));
      },
      handedOver(worker) {
        decodeWorker = worker;
      },
      scheduled(cached) {
        cachedTokens = cached;
        startedMs = clock.now();
      },
      token(last) {
        if (tokens === 0) {
          firstMs = clock.now();
          if (request.stream) {
            response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
            write(writer.begin());
          }
        }
        if (request.stream) write(writer.token(tokens));
        tokens++;
        if (last) finish();
      },
      refused(why) {
        done = true;
        if (why === 'unreachable') {
          refuse(response, 503, 'no decode worker can be reached from the prefill worker');
          return;
        }
        refuse(
          response,
          400,
          `${work.promptTokens} + ${work.outputTokens} tokens do not fit a worker's cache of ${options.blocks} blocks of ${params.blockSize}`,
        );
      },
    };
    const cancel = only === null ? cluster.submit(work, observer) : cluster.submitTo(only, work, observer);
    response.once('close', () => {
      if (done) return;
      done = true;
      totals.aborted++;
      cancel();
    });
  }

  function refuse(response: ServerResponse, status: number, message: string): void {
    totals.refused++;
    if (response.headersSent) response.destroy();
    else
      sendJson(response, status, {
        error: { message, type: ERROR_TYPES[status] ?? 'invalid_request_error', code: status },
      });
  }

  async function close(): Promise<void> {
    clock.stop();
    await Promise.all(
      servers.map(async (server) => {
        if (!server.listening) return;
        const closed = once(server, 'close');
        server.close();
        server.closeAllConnections();
        await closed;
      }),
    );
  }

  try {
    const port = await listen(options.port, null);
    const workerPorts: number[] = [];
    for (let worker = 0; options.workerPort !== null && worker < params.workers; worker++) {
      workerPorts.push(await listen(options.workerPort === 0 ? 0 : options.workerPort + worker, worker));
    }
    return {
      port,
      workerPorts,
      totals: () => ({ ...totals, lateness: clock.lateness.read() }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

type RouteKind = Endpoint | 'models' | 'health' | 'metrics' | 'reset';

const ROUTES: Readonly<Record<string, { readonly method: 'GET' | 'POST'; readonly kind: RouteKind }>> = {
  '/v1/models': { method: 'GET', kind: 'models' },
  '/v1/chat/completions': { method: 'POST', kind: 'chat' },
  '/v1/completions': { method: 'POST', kind: 'completions' },
  '/health': { method: 'GET', kind: 'health' },
  '/metrics': { method: 'GET', kind: 'metrics' },
  '/reset_prefix_cache': { method: 'POST', kind: 'reset' },
};

const ERROR_TYPES: Readonly<Record<number, string>> = { 404: 'not_found_error', 409: 'conflict_error' };

/**
 * The body as text; null as soon as it is too large. What follows is read and thrown away, so that the client gets to
 * see its answer before the connection ends, but not for ever. Rejects when the client leaves.
 */
function readBody(request: IncomingMessage): Promise<string | null> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MOST_BODY_BYTES) {
        chunks.push(chunk);
        return;
      }
      chunks = [];
      resolve(null);
      if (size > MOST_DISCARDED_BYTES) request.destroy();
    });
    request.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    request.once('error', reject);
    request.once('close', () => reject(new Error('the client left')));
  });
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  sendText(response, status, JSON.stringify(value));
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}
