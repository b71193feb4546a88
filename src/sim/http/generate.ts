import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { PacedClock } from '../clock/paced-clock.js';
import type { Cluster, ClusterRequest, RefusedWhy } from '../cluster.js';
import type { SimParams } from '../params/sim-params.js';
import { createRequestTrace, workerName } from '../request-trace.js';
import { createAnswerWriter } from './answer.js';
import { type Refusal, readBody, sendText } from './replies.js';
import { type Endpoint, parseServerRequest, type ServerRequest } from './request.js';
import { buildTextBlocks } from './text-blocks.js';
import { unknownModel, type WorkerEngine } from './vllm.js';

/** A client that leaves this much unread is cut off: memory must not grow with its patience. */
const MOST_UNREAD_BYTES = 1024 * 1024;

/** The cluster that a server answers from, and what it says of it. */
export interface ServedCluster {
  readonly params: SimParams;
  readonly cluster: Cluster;
  readonly clock: PacedClock;
  readonly model: string;
  /** Cache blocks of one worker. */
  readonly blocks: number;
  /** Requests answered to their end, per prefill worker. */
  readonly finished: number[];
  readonly workerEngine: WorkerEngine;
}

/** Answers chats and completions from the cluster. */
export interface Generator {
  /** Answers one request, through the router or, with a number, past it by that worker. A refusal is left to the caller. */
  answer(
    request: IncomingMessage,
    response: ServerResponse,
    endpoint: Endpoint,
    worker: number | null,
  ): Promise<Refusal | null>;
  /** Requests whose client left before the end. */
  aborted(): number;
}

/** A generator over `cluster`. */
export function createGenerator(served: ServedCluster): Generator {
  const { cluster, clock, model, finished } = served;
  const { blockSize } = served.params;
  const connectionOf = createConnectionIds();
  /** Past the router vLLM neither names itself nor knows Dynamo's extension. */
  const asVllm = (worker: number | null): boolean => worker !== null && served.workerEngine !== 'sim';
  let requests = 0;
  let aborted = 0;

  function start(
    request: ServerRequest,
    response: ServerResponse,
    only: number | null,
    arrivedMs: number,
    work: ClusterRequest,
  ): Promise<Refusal | null> {
    const id = `${request.endpoint === 'chat' ? 'chatcmpl' : 'cmpl'}-sim${(requests++).toString(36).padStart(6, '0')}`;
    const writer = createAnswerWriter(request, id, model, Math.floor(Date.now() / 1000));
    const trace = createRequestTrace(clock, arrivedMs, work.promptTokens, blockSize);

    function write(text: string): void {
      response.write(text);
      if (response.writableLength > MOST_UNREAD_BYTES) response.destroy();
    }

    function finish(): void {
      const outcome = trace.outcome();
      finished[outcome.worker] = (finished[outcome.worker] ?? 0) + 1;
      if (request.stream) response.end(writer.end(outcome));
      else sendText(response, 200, 'application/json', writer.whole(outcome));
    }

    return new Promise((resolve) => {
      let done = false;
      function settle(refusal: Refusal | null): void {
        done = true;
        resolve(refusal);
      }
      const observer = {
        ...trace,
        routed(worker: number, overlapBlocks: number | null) {
          trace.routed(worker, overlapBlocks);
          if (!asVllm(only)) response.setHeader('x-worker-id', workerName(worker));
        },
        token(last: boolean) {
          const index = trace.token();
          if (request.stream) {
            if (index === 0) {
              response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
              write(writer.begin());
            }
            write(writer.token(index));
          }
          if (!last) return;
          finish();
          settle(null);
        },
        refused: (why: RefusedWhy) => settle(refusalOf(why, work, served)),
      };
      const cancel = only === null ? cluster.submit(work, observer) : cluster.submitTo(only, work, observer);
      response.once('close', () => {
        if (done) return;
        aborted++;
        cancel();
        settle(null);
      });
    });
  }

  return {
    async answer(request, response, endpoint, worker) {
      const arrivedMs = clock.now();
      const body = await readBody(request);
      if (typeof body !== 'string') return body;
      const parsed = parseServerRequest(endpoint, body);
      if ('status' in parsed) return parsed;
      if (parsed.model !== null && parsed.model !== model) {
        return asVllm(worker)
          ? unknownModel(parsed.model, model)
          : { status: 404, message: `the model "${parsed.model}" does not exist, there is "${model}"` };
      }
      const { tokens, segments } = buildTextBlocks(parsed.parts, blockSize);
      if (tokens === 0) return { status: 400, message: 'the prompt is empty' };
      if (response.destroyed) {
        aborted++;
        return null;
      }
      const asked = asVllm(worker) ? { ...parsed, extraFields: [] } : parsed;
      return start(asked, response, worker, arrivedMs, {
        segments,
        promptTokens: tokens,
        outputTokens: parsed.outputTokens,
        connection: connectionOf(request.socket),
      });
    },
    aborted: () => aborted,
  };
}

function refusalOf(
  why: RefusedWhy,
  { promptTokens, outputTokens }: ClusterRequest,
  { blocks, params }: ServedCluster,
): Refusal {
  return why === 'unreachable'
    ? { status: 503, message: 'no decode worker can be reached from the prefill worker' }
    : {
        status: 400,
        message: `${promptTokens} + ${outputTokens} tokens do not fit a worker's cache of ${blocks} blocks of ${params.blockSize}`,
      };
}

/** Numbers connections in order of their first request. */
function createConnectionIds(): (socket: Socket) => number {
  const ids = new WeakMap<Socket, number>();
  let seen = 0;
  return (socket) => {
    const id = ids.get(socket) ?? seen++;
    ids.set(socket, id);
    return id;
  };
}
