import type { SimParams } from '../params/sim-params.js';
import { type Refusal, readBody, sendJson } from './replies.js';
import { parseServerRequest } from './request.js';
import { fixed, type Route } from './route.js';
import { buildTextBlocks } from './text-blocks.js';

/**
 * What a worker's own port answers as: `sim` names the worker and has SGLang's pages too, `vllm` says no more than vLLM does,
 * `vllm-scale-out` also renders prompts to tokens, as vLLM with `--enable-scale-out`.
 */
export const WORKER_ENGINES = ['sim', 'vllm', 'vllm-scale-out'] as const;
export type WorkerEngine = (typeof WORKER_ENGINES)[number];

/** Routers tell by it which engine they talk to; the release whose answers are kept in test/real. */
const VERSION = '0.32.0';
/** Ids stay below the vocabulary of the usual models. */
const VOCABULARY = 150_000;

/** What vLLM has beside the paths that every worker has. */
export function vllmRoutes(
  engine: WorkerEngine,
  model: string,
  { blockSize }: SimParams,
): Readonly<Record<string, Route>> {
  return {
    '/v1/models': fixed({
      object: 'list',
      data: [{ id: model, object: 'model', owned_by: 'vllm', root: model }],
    }),
    '/version': fixed({ version: VERSION }),
    '/v1/chat/completions/render': {
      method: 'POST',
      async answer(request, response) {
        const body = await readBody(request);
        if (typeof body !== 'string') return body;
        if (engine !== 'vllm-scale-out') return RENDER_DISABLED;
        const parsed = parseServerRequest('chat', body);
        if ('status' in parsed) return parsed;
        const { tokens, segments } = buildTextBlocks(parsed.parts, blockSize);
        // A router compares prompts from the start: ids need be equal where blocks are, and the rest may be anything.
        const ids = Array.from(
          { length: tokens },
          (_, i) => (segments[Math.floor(i / blockSize)]?.key ?? 0) % VOCABULARY,
        );
        sendJson(response, 200, { request_id: `chatcmpl-render-${tokens}`, token_ids: ids, model });
        return null;
      },
    },
  };
}

/** What vLLM says of a model that it does not have. */
export function unknownModel(asked: string, model: string): Refusal {
  return { status: 404, message: `The model \`${asked}\` does not exist. Valid aliases: ${model}.` };
}

const RENDER_DISABLED: Refusal = {
  status: 403,
  message: 'Scale-out endpoints are disabled. Restart vllm serve with --enable-scale-out to enable them.',
};
