import { type KvbenchError, usageError } from '../../core/base/errors.js';

/** Reads the value of parameter `key` from its text. Throws a usage error that names the key and what it takes. */
export type Reader<T> = (key: string, text: string) => T;

/** Text as it stands. */
export const text: Reader<string> = (_, given) => given;

/** A number from `min` to `max`. */
export function number(min: number, max: number): Reader<number> {
  return bounded('a number', min, max, () => true);
}

/** A whole number from `min` to `max`. */
export function integer(min: number, max: number): Reader<number> {
  return bounded('a whole number', min, max, Number.isInteger);
}

function bounded(
  wanted: string,
  min: number,
  max: number,
  accepts: (value: number) => boolean,
): Reader<number> {
  return (key, given) => {
    const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(given) ? Number(given) : Number.NaN;
    if (value >= min && value <= max && accepts(value)) return value;
    throw badValue(`${key} must be ${wanted} from ${min} to ${max}, got "${given}"`);
  };
}

/** Numbers above 0, separated by commas. */
export const positives: Reader<readonly number[]> = (key, given) =>
  given.split(',').map((item) => {
    const value = item.trim() === '' ? Number.NaN : Number(item);
    if (Number.isFinite(value) && value > 0) return value;
    throw badValue(`${key} must be comma-separated numbers above 0, got "${given}"`);
  });

/** One of a closed set. */
export function choice<const T extends string>(all: readonly T[]): Reader<T> {
  return (key, given) => {
    const found = all.find((one) => one === given);
    if (found !== undefined) return found;
    throw badValue(`${key} must be one of ${all.join(', ')}, got "${given}"`);
  };
}

const switchText = choice(['on', 'off']);

/** `on` or `off`. */
export const onOff: Reader<boolean> = (key, given) => switchText(key, given) === 'on';

/** The usage error (exit code 2) of a bad value. */
export function badValue(message: string, hint?: string): KvbenchError {
  return usageError('sim-value', `sim: ${message}`, hint);
}
