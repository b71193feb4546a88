import { WORDS } from '../../core/workload/words.js';
import type { RequestOutcome } from '../request-trace.js';
import type { ServerRequest } from './request.js';

/** Writes one answer in the shapes of OpenAI's API. Pure: everything it says it was told. */
export interface AnswerWriter {
  /** Server-sent events before the first token. */
  begin(): string;
  /** The event of token `index`. */
  token(index: number): string;
  /** The events after the last token. */
  end(outcome: RequestOutcome): string;
  /** The whole answer at once, for a client that does not stream. */
  whole(outcome: RequestOutcome): string;
}

/** A writer for `request`, whose answer is called `id` and was made at `createdS` (Unix seconds). */
export function createAnswerWriter(
  request: ServerRequest,
  id: string,
  model: string,
  createdS: number,
): AnswerWriter {
  const chat = request.endpoint === 'chat';
  const object = chat ? 'chat.completion' : 'text_completion';
  const offset = Number.parseInt(id.slice(-6), 36) || 0;

  function textOf(index: number): string {
    return ` ${WORDS[(offset + index * 7919) % WORDS.length] ?? ''}`;
  }

  function chunk(choices: readonly unknown[], more: Readonly<Record<string, unknown>> = {}): string {
    const kind = chat ? 'chat.completion.chunk' : object;
    return `data: ${JSON.stringify({ id, object: kind, created: createdS, model, choices, ...more })}\n\n`;
  }

  function choice(text: string | null, finishReason: string | null, role = false): unknown {
    if (!chat) return { index: 0, text: text ?? '', logprobs: null, finish_reason: finishReason };
    const delta = { ...(role ? { role: 'assistant' } : {}), ...(text === null ? {} : { content: text }) };
    return { index: 0, delta, logprobs: null, finish_reason: finishReason };
  }

  return {
    begin: () => (chat ? chunk([choice('', null, true)]) : ''),
    token: (index) => chunk([choice(textOf(index), null)]),
    end(outcome) {
      const nvext = buildNvext(request, outcome);
      const last = chunk([choice(null, 'length')], nvext === null ? {} : { nvext });
      const usage = request.includeUsage ? chunk([], { usage: buildUsage(outcome) }) : '';
      return `${last}${usage}data: [DONE]\n\n`;
    },
    whole(outcome) {
      let text = '';
      for (let i = 0; i < outcome.outputTokens; i++) text += textOf(i);
      const content = chat ? { message: { role: 'assistant', content: text } } : { text };
      const nvext = buildNvext(request, outcome);
      return JSON.stringify({
        id,
        object,
        created: createdS,
        model,
        choices: [{ index: 0, ...content, logprobs: null, finish_reason: 'length' }],
        usage: buildUsage(outcome),
        ...(nvext === null ? {} : { nvext }),
      });
    },
  };
}

function buildUsage(outcome: RequestOutcome): unknown {
  return {
    prompt_tokens: outcome.promptTokens,
    completion_tokens: outcome.outputTokens,
    total_tokens: outcome.promptTokens + outcome.outputTokens,
    prompt_tokens_details: { cached_tokens: outcome.cachedTokens },
  };
}

/** NVIDIA Dynamo's extension, only what was asked for; null when nothing was. */
function buildNvext(request: ServerRequest, outcome: RequestOutcome): Record<string, unknown> | null {
  const wanted = (name: string): boolean => request.extraFields.includes(name);
  if (!wanted('worker_id') && !wanted('timing')) return null;
  const { worker, decodeWorker } = outcome;
  return {
    ...(wanted('worker_id')
      ? {
          worker_id: {
            prefill_worker_id: worker,
            prefill_dp_rank: 0,
            decode_worker_id: decodeWorker ?? worker,
            decode_dp_rank: 0,
          },
        }
      : {}),
    ...(wanted('timing')
      ? {
          timing: {
            prefill_wait_time_ms: outcome.waitMs,
            prefill_time_ms: outcome.prefillMs,
            ttft_ms: outcome.ttftMs,
            total_time_ms: outcome.totalMs,
            kv_hit_rate: outcome.expectedHitRate,
          },
        }
      : {}),
  };
}
