import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Cluster } from '../cluster.js';
import { workerName } from '../request-trace.js';
import type { Generator, ServedCluster } from './generate.js';
import { renderMetrics } from './metrics.js';
import { type Refusal, sendJson, sendText } from './replies.js';
import { fixed, type Route } from './route.js';
import { vllmRoutes } from './vllm.js';

export interface RoutesOptions extends ServedCluster {
  readonly generator: Generator;
}

/** Answers a request to `path`; gives the refusal that is still to be sent, null when it has answered. */
export type Routes = (
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  worker: number | null,
) => Promise<Refusal | null>;

const PROMETHEUS = 'text/plain; version=0.0.4; charset=utf-8';

/** What the server has at each path: OpenAI's API, vLLM's operations, and what routers ask of their workers. */
export function createRoutes(options: RoutesOptions): Routes {
  const { cluster, model, generator, workerEngine, params } = options;
  const models = { object: 'list', data: [{ id: model, object: 'model', owned_by: 'kvbench' }] };
  const modelInfo = fixed({
    model_path: model,
    tokenizer_path: model,
    is_generation: true,
  });
  const serverInfo = fixed(buildServerInfo(options));
  const common: Readonly<Record<string, Route>> = {
    '/v1/chat/completions': {
      method: 'POST',
      answer: (request, response, worker) => generator.answer(request, response, 'chat', worker),
    },
    '/v1/completions': {
      method: 'POST',
      answer: (request, response, worker) => generator.answer(request, response, 'completions', worker),
    },
    '/health': fixed({ status: 'healthy' }),
    '/metrics': {
      method: 'GET',
      answer(_request, response, worker) {
        sendText(response, 200, PROMETHEUS, metricsOf(options, worker));
        return null;
      },
    },
    '/reset_prefix_cache': {
      method: 'POST',
      answer: (_request, response, worker) => resetCaches(cluster, response, worker),
    },
  };
  const routes: Readonly<Record<string, Route>> = {
    ...common,
    '/v1/models': fixed(models),
    // SGLang's names, which sglang-router and SMG ask each worker for, the later ones first.
    '/model_info': modelInfo,
    '/get_model_info': modelInfo,
    '/server_info': serverInfo,
    '/get_server_info': serverInfo,
    '/get_load': loads((rows) => rows, options),
    '/v1/loads': loads((rows) => ({ dp_rank_count: rows.length, loads: rows }), options),
  };
  const engineRoutes =
    workerEngine === 'sim' ? routes : { ...common, ...vllmRoutes(workerEngine, model, params) };
  return async (path, request, response, worker) => {
    const route = (worker === null ? routes : engineRoutes)[path];
    if (route === undefined) return { status: 404, message: `there is nothing at ${path}` };
    if (request.method === route.method) return route.answer(request, response, worker);
    response.setHeader('allow', route.method);
    return { status: 405, message: `${path} takes ${route.method}` };
  };
}

/** The keys of SGLang's answer that a router reads. */
function buildServerInfo({ model, params, blocks }: RoutesOptions): unknown {
  return {
    model_path: model,
    served_model_name: model,
    tp_size: 1,
    dp_size: 1,
    disaggregation_mode: null,
    page_size: params.blockSize,
    max_total_num_tokens: blocks * params.blockSize,
    max_prefill_tokens: params.maxNumBatchedTokens,
    max_running_requests: params.maxNumSeqs,
  };
}

/** SGLang's load of each worker, by both of its names for each figure. */
function loads(wrap: (rows: readonly object[]) => unknown, { cluster }: RoutesOptions): Route {
  return {
    method: 'GET',
    answer(_request, response, only) {
      const rows = cluster.workers
        .filter((_, i) => only === null || only === i)
        .map((worker, rank) => {
          const { running, waiting, kvUsage } = worker.stats();
          return {
            dp_rank: rank,
            num_reqs: running + waiting,
            num_waiting_reqs: waiting,
            num_running_reqs: running,
            num_total_reqs: running + waiting,
            token_usage: kvUsage,
          };
        });
      sendJson(response, 200, wrap(rows));
      return null;
    },
  };
}

/** A worker's own port shows it as engine 0, as the only one of its server; the router's shows them all. */
function metricsOf(options: RoutesOptions, only: number | null): string {
  const { cluster, clock, model, params, blocks, finished } = options;
  const shown = cluster.workers.flatMap((worker, i) =>
    only === null || only === i
      ? [{ engine: only === null ? i : 0, stats: worker.stats(), finished: finished[i] ?? 0 }]
      : [],
  );
  return renderMetrics({ model, blockSize: params.blockSize, blocks }, shown, clock.lateness.read());
}

function resetCaches(cluster: Cluster, response: ServerResponse, only: number | null): Refusal | null {
  const busy = cluster.workers.flatMap((worker, i) =>
    (only === null || only === i) && !worker.resetCache() ? [workerName(i)] : [],
  );
  if (busy.length > 0) {
    return { status: 409, message: `not reset while requests are running: ${busy.join(', ')}` };
  }
  sendJson(response, 200, { reset: true });
  return null;
}
