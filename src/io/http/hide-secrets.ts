import { isHarmlessHeader } from '../../core/scenario/redact.js';

/** Shorter values are no secrets, and would be found within ordinary words. */
const SHORTEST_SECRET = 6;

/**
 * Replaces the values of these headers, and the parts of `Bearer KEY` alike, wherever they stand in a text. Null when
 * there is nothing to hide: every value is short, or its header is known to be harmless.
 */
export function createHider(
  headers: Readonly<Record<string, string>>,
  others: readonly string[] = [],
): ((text: string) => string) | null {
  const secrets = Object.entries(headers)
    .filter(([name]) => !isHarmlessHeader(name))
    .flatMap(([, value]) => [value, ...value.split(/\s+/)])
    .concat(others)
    .filter((value) => value.length >= SHORTEST_SECRET && !/^bearer$/i.test(value))
    // A longer one first: it may hold a shorter one.
    .sort((a, b) => b.length - a.length);
  if (secrets.length === 0) return null;
  return (text) => secrets.reduce((hidden, secret) => hidden.replaceAll(secret, '***'), text);
}
