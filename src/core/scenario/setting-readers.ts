import { z } from 'zod';
import { isFields } from '../base/merge-patch.js';
import { suggest } from '../base/suggest.js';

/**
 * Reads a value, the same from a flag (text) and from a scenario file (text, number or list). Every reader is a zod
 * schema whose only issue says what was expected and what was given.
 */
export type Reader<T> = z.ZodType<T>;

function reader<T>(expected: string, read: (value: unknown) => T | undefined): Reader<T> {
  return refusing((value) => {
    const got = read(value);
    return got === undefined ? `expected ${expected}, got ${shown(value)}` : { got };
  });
}

/** A reader from a function that gives the value, or says what is wrong. */
function refusing<T>(read: (value: unknown) => { readonly got: T } | string): Reader<T> {
  return z.unknown().transform((value, context): T => {
    const result = read(value);
    if (typeof result !== 'string') return result.got;
    context.issues.push({ code: 'custom', message: result, input: value });
    return z.NEVER;
  }) as unknown as Reader<T>;
}

/** Keeps messages to one readable line. */
const SHOWN_CHARS = 120;

function shown(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'nothing' : `"${value}"`;
  if (value === undefined || value === null) return 'nothing';
  try {
    return JSON.stringify(value).slice(0, SHOWN_CHARS);
  } catch {
    return 'a value that contains itself';
  }
}

/** A whole number of at least `min` and at most `max`. */
export function wholeNumber(min: number, max = 100_000_000): Reader<number> {
  return reader(`a whole number from ${min} to ${max.toLocaleString('en-US')}`, (value) => {
    return toWhole(value, min, max);
  });
}

/** A whole number of at least `min` and at most `max`, or a word such as `auto`. */
export function wholeNumberOr<const W extends string>(word: W, min: number, max: number): Reader<number | W> {
  return reader(`${word}, or a whole number from ${min} to ${max}`, (value) => {
    return value === word ? word : toWhole(value, min, max);
  });
}

/** A list of different whole numbers: `2,7,12`, `[2, 7, 12]` or one number. Never empty. */
export function wholeNumbers(min: number, max = 100_000): Reader<readonly number[]> {
  return list(
    `whole numbers from ${min} to ${max.toLocaleString('en-US')}, such as 4,8,16, without duplicates`,
    (item) => toWhole(item, min, max),
  );
}

/** A list of different rates in requests per second: `20`, `20/s`, `1200/m`. */
export function rateList(): Reader<readonly number[]> {
  return list('rates above 0 such as 5/s,20/s or 300/m, without duplicates', (item) => {
    const match = /^(.*?)(?:\s*\/\s*(s|m))?$/.exec(String(item).trim());
    const number = toNumber(match?.[1]);
    if (number === undefined || number <= 0) return undefined;
    return match?.[2] === 'm' ? number / 60 : number;
  });
}

function list<T>(expected: string, readItem: (item: unknown) => T | undefined): Reader<readonly T[]> {
  return reader(expected, (value) => {
    const items = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [value];
    const read = items.map(readItem);
    if (read.length === 0 || read.some((item) => item === undefined)) return undefined;
    return new Set(read).size === read.length ? (read as T[]) : undefined;
  });
}

/** A duration with its unit, in milliseconds: `500ms`, `120s`, `2m`, `1h`. A bare number is refused: its unit would be a guess. */
export function durationMs(): Reader<number> {
  const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
  return reader('a duration above 0 with its unit, such as 500ms, 120s or 2m', (value) => {
    const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)$/.exec(String(value).trim());
    const ms = Number(match?.[1]) * (units[match?.[2] ?? ''] ?? Number.NaN);
    return ms > 0 ? ms : undefined;
  });
}

/** Non-empty text. A number in a scenario file counts as text (a model called 7). */
export function nonEmptyText(expected = 'text'): Reader<string> {
  return reader(expected, (value) =>
    (typeof value === 'string' && value.trim() !== '') || typeof value === 'number'
      ? String(value)
      : undefined,
  );
}

/** Keys with dots between, none empty. */
export function pathText(expected: string): Reader<string> {
  return reader(expected, (value) =>
    typeof value === 'string' && /^[^.\s]+(\.[^.\s]+)*$/.test(value) ? value : undefined,
  );
}

/** A name that is safe in a CSV cell and a file name. */
export function nameLabel(): Reader<string> {
  return reader('a name of letters, digits, dots, dashes and underscores', (value) =>
    typeof value === 'string' && /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(value) ? value : undefined,
  );
}

export function oneOf<const T extends string>(...words: readonly T[]): Reader<T> {
  return reader(`one of ${words.join(', ')}`, (value) => words.find((word) => word === value));
}

export function booleanFlag(): Reader<boolean> {
  return reader('true or false', (value) => {
    if (value === true || value === 'true') return true;
    return value === false || value === 'false' ? false : undefined;
  });
}

/** One text or a list of them. */
export function textList(expected: string, valid: (item: string) => boolean): Reader<readonly string[]> {
  return reader(expected, (value) => {
    const items = Array.isArray(value) ? value : [value];
    return items.every((item): item is string => typeof item === 'string' && valid(item)) ? items : undefined;
  });
}

/** Fields of a request that are kvbench's own to set, and why. */
const OWN_FIELDS: Readonly<Record<string, string>> = {
  model: 'is set by --model',
  stream: 'is always true, for the times come from the stream',
  messages: 'holds the prompt of the workload',
  prompt: 'holds the prompt of the workload',
  input: 'holds the prompt of the workload',
};

/** Fields of a request's body: JSON text, or a mapping in a scenario file. */
export function bodyFields(): Reader<Readonly<Record<string, unknown>>> {
  return refusing((value) => {
    const fields = typeof value === 'string' ? parseOrNull(value) : value;
    if (!isFields(fields)) {
      return `expected a JSON object such as {"temperature": null}, got ${shown(value)}`;
    }
    const own = Object.keys(fields).find((key) => key in OWN_FIELDS);
    if (own !== undefined) return `"${own}" cannot be given: it ${OWN_FIELDS[own]}`;
    return { got: fields };
  });
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A mapping of some of `keys` to text or lists of text, each read as one text; empty ones are left out. */
export function textFields<const K extends string>(
  keys: readonly K[],
): Reader<Readonly<Partial<Record<K, string>>>> {
  return refusing((value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return `expected a mapping of fields such as "${keys[0]}: …", got ${shown(value)}`;
    }
    const got: Partial<Record<K, string>> = {};
    for (const [name, content] of Object.entries(value)) {
      const key = keys.find((one) => one === name);
      if (key === undefined) {
        const near = suggest(name, keys);
        return `no field "${name}"; ${near === null ? `there are ${keys.join(', ')}` : `did you mean "${near}"?`}`;
      }
      if (typeof content === 'object' && content !== null && !Array.isArray(content)) {
        return `${name}: expected text or a list of texts, got ${shown(content)}`;
      }
      const text = Array.isArray(content) ? content.map(String).join(', ') : String(content ?? '').trim();
      if (text !== '') got[key] = text;
    }
    return { got };
  });
}

/**
 * A list of mappings, each with a unique name in its first field. `read` gives the entry, or says what is wrong with its
 * other fields.
 */
export function namedList<const K extends string, T>(
  expected: string,
  keys: readonly [K, ...K[]],
  read: (name: string, fields: Readonly<Partial<Record<K, string>>>) => T | string,
): Reader<readonly T[]> {
  const fieldsOf = textFields(keys);
  const nameOf = nameLabel();
  return refusing((value) => {
    if (!Array.isArray(value) || value.length === 0) return `expected ${expected}`;
    const got = new Map<string, T>();
    for (const [index, item] of value.entries()) {
      const where = `entry ${index + 1}: `;
      const fields = fieldsOf.safeParse(item);
      if (!fields.success) return `${where}${firstMessage(fields.error)}`;
      const name = nameOf.safeParse(fields.data[keys[0]]);
      if (!name.success) return `${where}${keys[0]}: ${firstMessage(name.error)}`;
      if (got.has(name.data)) return `${where}"${name.data}" is listed twice`;
      const entry = read(name.data, fields.data);
      if (typeof entry === 'string') return `${where}${entry}`;
      got.set(name.data, entry);
    }
    return { got: [...got.values()] };
  });
}

/** What a reader said was wrong. */
export function firstMessage(error: z.ZodError): string {
  return error.issues[0]?.message ?? 'not readable';
}

function toNumber(value: unknown): number | undefined {
  const number =
    typeof value === 'number'
      ? value
      : typeof value === 'string' && value.trim() !== ''
        ? Number(value)
        : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

function toWhole(value: unknown, min: number, max: number): number | undefined {
  const number = toNumber(value);
  const fits = number !== undefined && Number.isInteger(number) && number >= min && number <= max;
  return fits ? number : undefined;
}
