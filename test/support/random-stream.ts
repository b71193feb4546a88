import type { Rng } from '../../src/core/base/rng.js';

/** Texts a model may write, and a server may put into JSON: what looks like keys, quotes, escapes, other scripts. */
const NASTY = [
  ' word',
  'a',
  '',
  '\n',
  '"',
  '\\',
  '\\"',
  '"content":"',
  '"content":"x"},"finish_reason":"stop"',
  '","error":{"message":"no"}',
  '[DONE]',
  'data: {}',
  'é€😀',
  '\u2028',
  '\u0000',
  '\ud83d',
  '{"choices":[]}',
  ' null',
  '12345678901234567890',
] as const;

/** Draws one of `items`. */
export function draw<T>(rng: Rng, items: readonly T[]): T {
  return items[rng.int(items.length)] as T;
}

/** True with probability `share`. */
export function chance(rng: Rng, share: number): boolean {
  return rng.next() < share;
}

/** The chunks of one random answer as JSON texts: mostly token events of one shape, among all a server may send. */
export function randomEvents(rng: Rng): string[] {
  const style = randomStyle(rng);
  const shape = draw(rng, TOKEN_SHAPES);
  const events = [serialize(rng, style, withExtras(rng, roleChunk(rng)))];
  const base = withExtras(rng, {});
  const count = 3 + rng.int(10);
  for (let i = 0; i < count; i++) {
    const text = chance(rng, 0.3) ? draw(rng, NASTY) : ` w${rng.int(1000)}`;
    const chunk = chance(rng, 0.8)
      ? { ...base, choices: [choice(shape(text), null)] }
      : oddChunk(rng, text, draw(rng, TOKEN_SHAPES));
    events.push(serialize(rng, style, chunk));
  }
  if (chance(rng, 0.8))
    events.push(serialize(rng, style, { ...base, choices: [choice({ delta: {} }, 'length')] }));
  if (chance(rng, 0.7)) events.push(serialize(rng, style, { ...base, choices: [], usage: randomUsage(rng) }));
  return events;
}

/** One character of `text` dropped, doubled or replaced: near what was valid, and mostly not valid. */
export function mutate(rng: Rng, text: string): string {
  const at = rng.int(text.length);
  const kind = rng.int(3);
  const middle =
    kind === 0
      ? ''
      : kind === 1
        ? text.charAt(at).repeat(2)
        : draw(rng, ['"', '\\', '{', '}', ',', ':', ' ', 'x', '\t']);
  return text.slice(0, at) + middle + text.slice(at + 1);
}

type Json = { readonly [key: string]: unknown };

const TOKEN_SHAPES: readonly ((text: string) => Json)[] = [
  (text) => ({ delta: { content: text } }),
  (text) => ({ delta: { role: 'assistant', content: text } }),
  (text) => ({ delta: { reasoning_content: text, content: null } }),
  (text) => ({ delta: { reasoning: text } }),
  (text) => ({ delta: { content: '', reasoning_content: text } }),
  (text) => ({ text }),
  (text) => ({ delta: { tool_calls: [{ index: 0, function: { arguments: text } }] } }),
  (text) => ({
    delta: {
      tool_calls: [{ index: 0, id: 'call', type: 'function', function: { name: text, arguments: '' } }],
    },
  }),
  (text) => ({ delta: { tool_calls: [{ content: text, function: { content: text } }] } }),
  (text) => ({ content: text, logprobs: { content: [{ token: text, text }] } }),
  (text) => ({ delta: { content: text }, logprobs: { content: [{ token: text }] } }),
  (text) => ({ delta: { refusal: text, annotations: [{ text, content: text }] } }),
  (text) => ({ delta: { 'odd"content': text } }),
];

function choice(said: Json, finishReason: string | null): Json {
  return { index: 0, ...said, finish_reason: finishReason };
}

function roleChunk(rng: Rng): Json {
  return { choices: [choice({ delta: { role: 'assistant', content: draw(rng, ['', null, 'hi']) } }, null)] };
}

function withExtras(rng: Rng, chunk: Json): Json {
  return {
    ...(chance(rng, 0.8)
      ? { id: `chatcmpl-${rng.int(99)}`, object: 'chat.completion.chunk', created: rng.int(2 ** 31) }
      : {}),
    ...(chance(rng, 0.3) ? { error: null } : {}),
    ...(chance(rng, 0.2) ? { usage: null, nvext: null } : {}),
    ...chunk,
  };
}

/** What stands between token events, or in their place. */
function oddChunk(rng: Rng, text: string, shape: (text: string) => Json): Json {
  const two = [choice(shape(text), null), { ...choice(shape(draw(rng, NASTY)), null), index: 1 }];
  const ids = {
    prefill_worker_id: draw(rng, [RAW_U64, 12, '7587885654081434673', null]),
    prefill_dp_rank: draw(rng, [0, 1, null]),
    decode_worker_id: draw(rng, [RAW_U64, 3, null]),
    decode_dp_rank: rng.int(3),
  };
  return draw<Json>(rng, [
    { choices: null },
    { choices: [] },
    { choices: [{ index: 0, delta: null, finish_reason: null }] },
    { choices: [null, 'content', { delta: 'content' }] },
    { choices: two },
    { choices: [choice(shape(text), null)], usage: randomUsage(rng) },
    { choices: [choice(shape(text), null)], nvext: { worker_id: ids } },
    {
      choices: [],
      nvext: { timing: { ttft_ms: rng.next() * 100, router_queue_depth: rng.int(9), kv_hit_rate: 0.5 } },
    },
    {
      choices: [
        choice({ delta: { tool_calls: [null, { function: null }, { function: { arguments: 7 } }] } }, null),
      ],
    },
    { choices: [choice(shape(text), 'stop')] },
    { content: text, text, choices: [] },
  ]);
}

function randomUsage(rng: Rng): Json {
  return {
    prompt_tokens: rng.int(5000),
    completion_tokens: rng.int(50),
    prompt_tokens_details: draw(rng, [
      null,
      {},
      { cached_tokens: rng.int(2000) },
      { cached_tokens: null },
      { cached_tokens: '7' },
    ]),
  };
}

/** Stands for a number that no double holds; written as digits, without quotes. */
const RAW_U64 = { u64: '' };

interface Style {
  readonly colon: string;
  readonly comma: string;
  readonly shuffles: boolean;
  readonly escapesKeys: boolean;
  readonly escapesAscii: boolean;
}

function randomStyle(rng: Rng): Style {
  return {
    colon: draw(rng, [':', ':', ': ', ' :\t']),
    comma: draw(rng, [',', ',', ', ']),
    shuffles: chance(rng, 0.3),
    escapesKeys: chance(rng, 0.15),
    escapesAscii: chance(rng, 0.3),
  };
}

function serialize(rng: Rng, style: Style, value: unknown): string {
  if (value === RAW_U64) return `75878856540814346${10 + rng.int(90)}`;
  if (Array.isArray(value)) return `[${value.map((item) => serialize(rng, style, item)).join(style.comma)}]`;
  if (typeof value === 'string') return serializeText(value, style.escapesAscii);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value);
  if (style.shuffles && chance(rng, 0.2)) entries.reverse();
  const members = entries.map(([key, member]) => {
    const name = style.escapesKeys && chance(rng, 0.5) ? escapeOne(key) : JSON.stringify(key);
    return `${name}${style.colon}${serialize(rng, style, member)}`;
  });
  return `{${members.join(style.comma)}}`;
}

function serializeText(text: string, escapesAscii: boolean): string {
  const json = JSON.stringify(text);
  return escapesAscii ? json.replace(/[^\x20-\x7e]/g, (char) => unicodeEscape(char)) : json;
}

/** `"content"` → `"\u0063ontent"`. */
function escapeOne(key: string): string {
  return `"${unicodeEscape(key.charAt(0))}${JSON.stringify(key.slice(1)).slice(1)}`;
}

function unicodeEscape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
