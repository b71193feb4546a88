import { isFields } from '../base/merge-patch.js';
import type { Scenario } from './settings.js';

const HARMLESS_NAME = /^(accept(-\w+)?|content-\w+|user-agent|host|traceparent|x-request-id)$/i;
const HIDDEN = '***';

/** A value made of a placeholder, which stands for no secret. */
const PLACEHOLDER_VALUE = /^[a-z-]{0,12}\{(prefix|seq|group)\}$/;

/** Whether a header of this name cannot hold a secret. */
export function isHarmlessHeader(name: string): boolean {
  return HARMLESS_NAME.test(name.trim());
}

/** `Authorization: Bearer abc` → `Authorization: ***`; headers known to be harmless stay. */
function redactHeader(header: string): string {
  const name = header.split(':', 1)[0] ?? '';
  const value = header.slice(name.length + 1).trim();
  return isHarmlessHeader(name) || PLACEHOLDER_VALUE.test(value) ? header : `${name}: ${HIDDEN}`;
}

/** Names of body fields that hold a secret. */
const SECRET_FIELD = /(api_?key|secret|password|passwd|authorization|credential|(^|_)token)s?$/i;

/** Body fields as run.json may hold them. */
export function redactBody<T>(value: T): T {
  return mapSecrets(value, () => HIDDEN) as T;
}

/** The secrets among body fields, which a server may repeat. */
export function secretsIn(value: unknown): string[] {
  const secrets: string[] = [];
  mapSecrets(value, (secret) => {
    secrets.push(secret);
    return secret;
  });
  return secrets;
}

function mapSecrets(value: unknown, replace: (secret: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => mapSecrets(item, replace));
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      typeof inner === 'string' && SECRET_FIELD.test(key) ? replace(inner) : mapSecrets(inner, replace),
    ]),
  );
}

/** `--body` of a command line; what is no JSON is refused before it is kept. */
function redactBodyText(text: string): string {
  try {
    return JSON.stringify(redactBody(JSON.parse(text)));
  } catch {
    return HIDDEN;
  }
}

/** Hides the user and password of any URL in a text. */
export function redactUrl(text: string): string {
  return text.replace(/(\w+:\/\/)[^/@\s]*@/g, `$1${HIDDEN}@`);
}

/** The scenario as run.json may hold it. */
export function redactScenario(scenario: Scenario): Scenario {
  return {
    ...scenario,
    url: redactUrl(scenario.url),
    header: scenario.header.map(redactHeader),
    body: redactBody(scenario.body),
    metricsUrl: scenario.metricsUrl.map(redactUrl),
    variants: scenario.variants.map((spec) => ({
      ...spec,
      url: redactUrl(spec.url),
      setup: spec.setup === null ? null : redactUrl(spec.setup),
      teardown: spec.teardown === null ? null : redactUrl(spec.teardown),
    })),
  };
}

/** The command line as run.json may hold it. */
export function redactArgv(argv: readonly string[]): string[] {
  return argv.map((word, i) => {
    const inline = /^(--header=|-H)(.+)$/.exec(word);
    if (inline !== null) return `${inline[1]}${redactHeader(inline[2] ?? '')}`;
    if (word.startsWith('--body=')) return `--body=${redactBodyText(word.slice('--body='.length))}`;
    if (argv[i - 1] === '--body') return redactBodyText(word);
    return argv[i - 1] === '--header' || argv[i - 1] === '-H' ? redactHeader(word) : redactUrl(word);
  });
}
