import type { Refusal } from './replies.js';
import type { TextPart } from './text-blocks.js';

export type Endpoint = 'chat' | 'completions';

/** The parts of a request's body that the simulated server acts on. */
export interface ServerRequest {
  readonly endpoint: Endpoint;
  readonly model: string | null;
  readonly parts: readonly TextPart[];
  readonly outputTokens: number;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  /** Names in `nvext.extra_fields`. */
  readonly extraFields: readonly string[];
}

const DEFAULT_OUTPUT_TOKENS = 64;
const MOST_OUTPUT_TOKENS = 1_000_000;

/** Reads the body of a request. Sampling options are accepted and ignored, as are unknown keys. */
export function parseServerRequest(endpoint: Endpoint, body: string): ServerRequest | Refusal {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch (error) {
    return bad(`the body is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isObject(json)) return bad('the body must be a JSON object');
  const parts = endpoint === 'chat' ? readMessages(json.messages) : readPrompt(json.prompt);
  if ('status' in parts) return parts;
  if (json.n !== undefined && json.n !== null && json.n !== 1) return bad('n must be 1');
  const model = json.model ?? null;
  if (model !== null && typeof model !== 'string') return bad('model must be a string');
  const outputTokens = json.max_completion_tokens ?? json.max_tokens ?? DEFAULT_OUTPUT_TOKENS;
  if (!isCount(outputTokens)) return bad(`max_tokens must be a whole number from 1 to ${MOST_OUTPUT_TOKENS}`);
  if (json.stream !== undefined && json.stream !== null && typeof json.stream !== 'boolean') {
    return bad('stream must be true or false');
  }
  const nvext = isObject(json.nvext) ? json.nvext : {};
  const fields = Array.isArray(nvext.extra_fields) ? nvext.extra_fields : [];
  return {
    endpoint,
    model,
    parts,
    outputTokens,
    stream: json.stream === true,
    includeUsage: isObject(json.stream_options) && json.stream_options.include_usage === true,
    extraFields: fields.filter((field) => typeof field === 'string'),
  };
}

function readMessages(messages: unknown): TextPart[] | Refusal {
  if (!Array.isArray(messages) || messages.length === 0)
    return bad('messages must be a list that is not empty');
  const parts: TextPart[] = [];
  for (const message of messages) {
    if (!isObject(message) || typeof message.role !== 'string') return bad('each message needs a role');
    const text = readContent(message.content);
    if (text === null) return bad('the content of a message must be text');
    parts.push({ role: message.role, text });
  }
  return parts;
}

/** A string, a list of text parts, or nothing (an assistant's message with tool calls). */
function readContent(content: unknown): string | null {
  if (typeof content === 'string') return content;
  if (content === undefined || content === null) return '';
  if (!Array.isArray(content)) return null;
  const texts = content.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : null));
  return texts.includes(null) ? null : texts.join('');
}

function readPrompt(prompt: unknown): TextPart[] | Refusal {
  const only = Array.isArray(prompt) && prompt.length === 1 ? (prompt[0] as unknown) : prompt;
  if (typeof only !== 'string') return bad('prompt must be one string');
  return [{ role: null, text: only }];
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MOST_OUTPUT_TOKENS;
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function bad(message: string): Refusal {
  return { status: 400, message };
}
