const MESSAGE_CHARS = 300;

/**
 * What a server says went wrong, as one line of at most 300 characters, from the body of a failed response: the message
 * of its JSON in the shapes of OpenAI, vLLM, SGLang, FastAPI and plain proxies, else the text without markup.
 * Null when the body says nothing. `hide` takes secrets out before the text is cut.
 */
export function parseServerMessage(
  body: string,
  hide: (text: string) => string = (text) => text,
): string | null {
  let text = body;
  try {
    text = errorMessage(JSON.parse(body)) ?? body;
  } catch {
    if (/^\s*</.test(body)) text = body.replace(/<[^>]*>/g, ' ');
  }
  const line = oneLine(hide(text));
  return line === '' ? null : line;
}

/**
 * The message of a parsed error: `{error: {message}}`, `{error: text}`, `{message}`, `{detail}` (text, or FastAPI's list
 * of validation errors); an error object without a message as JSON. Null when `value` holds none.
 */
export function errorMessage(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (!isObject(value)) return null;
  if (value.error !== undefined && value.error !== null) {
    return errorMessage(value.error) ?? JSON.stringify(value.error);
  }
  if (typeof value.message === 'string') return value.message;
  if (typeof value.detail === 'string') return value.detail;
  if (Array.isArray(value.detail)) return value.detail.map(validationError).join('; ');
  return null;
}

/** Text on one line, cut to 300 characters. */
export function oneLine(text: string): string {
  // Control characters would speak to the reader's terminal.
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > MESSAGE_CHARS ? `${line.slice(0, MESSAGE_CHARS - 1)}…` : line;
}

/** A JSON object, not an array and not null. */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function validationError(item: unknown): string {
  if (!isObject(item) || typeof item.msg !== 'string') return JSON.stringify(item);
  return Array.isArray(item.loc) ? `${item.loc.join('.')}: ${item.msg}` : item.msg;
}
