import type { Scenario } from './settings.js';

const SECRET_NAME = /authorization|cookie|token|secret|password|api[-_]?key/i;
const HIDDEN = '***';

/** `Authorization: Bearer abc` → `Authorization: ***`; headers that hold no secret by their name stay. */
export function redactHeader(header: string): string {
  const name = header.split(':', 1)[0] ?? '';
  return SECRET_NAME.test(name) ? `${name}: ${HIDDEN}` : header;
}

/** Hides user and password of a URL, wherever it stands in a text. */
export function redactUrl(text: string): string {
  return text.replace(/(\w+:\/\/)[^/@\s]*@/g, `$1${HIDDEN}@`);
}

/** The scenario as run.json may hold it. */
export function redactScenario(scenario: Scenario): Scenario {
  return {
    ...scenario,
    url: redactUrl(scenario.url),
    header: scenario.header.map(redactHeader),
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
  return argv.map((word) => {
    const inline = /^(--header=|-H)(.+)$/.exec(word);
    if (inline !== null) return `${inline[1]}${redactHeader(inline[2] ?? '')}`;
    return word.includes(':') ? redactUrl(redactHeader(word)) : word;
  });
}
