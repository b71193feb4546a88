/**
 * The raw text of a value within a JSON text: what a parser would fold, such as an integer beyond 2^53, is still exact in it.
 * `path` holds keys, and indexes of lists as text. Null when nothing is there. `text` must be valid JSON.
 */
export function jsonTextAt(text: string, path: readonly string[]): string | null {
  let at = skipSpace(text, 0);
  for (const key of path) {
    const inner = memberStart(text, at, key);
    if (inner === null) return null;
    at = inner;
  }
  return text.slice(at, valueEnd(text, at));
}

/**
 * A name or number at a path, as text: exact digits of a number, the content of a string. Null for what is empty, or neither.
 */
export function idAt(text: string, path: readonly string[]): string | null {
  const raw = jsonTextAt(text, path);
  if (raw === null) return null;
  if (raw.startsWith('"')) return stringOf(raw) || null;
  return /^-?\d/.test(raw) ? raw : null;
}

/** Where the value of a key, or of an index, begins; null when it is not there. */
function memberStart(text: string, start: number, key: string): number | null {
  const isList = text[start] === '[';
  if (!isList && text[start] !== '{') return null;
  let at = skipSpace(text, start + 1);
  for (let index = 0; text[at] !== ']' && text[at] !== '}' && at < text.length; index++) {
    let name = String(index);
    if (!isList) {
      const end = valueEnd(text, at);
      name = stringOf(text.slice(at, end));
      at = skipSpace(text, skipSpace(text, end) + 1);
    }
    if (name === key) return at;
    at = skipSpace(text, valueEnd(text, at));
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return null;
}

/** The content of a string with its quotes; most have no escapes to read. */
function stringOf(raw: string): string {
  return raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1);
}

/** Where the value that begins at `start` ends. */
function valueEnd(text: string, start: number): number {
  let depth = 0;
  PIECE.lastIndex = start;
  for (let piece = PIECE.exec(text); piece !== null; piece = PIECE.exec(text)) {
    const first = piece[0][0] as string;
    if (first === '{' || first === '[') depth++;
    else if (first === '}' || first === ']') depth--;
    if (depth === 0) return PIECE.lastIndex;
  }
  return text.length;
}

/** A string, a bracket, or what else stands between them. */
const PIECE = /"(?:[^"\\]|\\.)*"|[[\]{}]|[^"[\]{},:\s]+|[,:\s]+/gy;

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= SPACE) at++;
  return at;
}

const SPACE = 0x20;
