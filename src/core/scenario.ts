import { LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { usageError } from './errors.js';
import {
  type PartialScenario,
  type Scenario,
  SETTINGS,
  type SettingKey,
  settingName,
  type VariantSpec,
} from './settings.js';
import { suggest } from './suggest.js';
import type { ListedVariant } from './variant-reader.js';

const SCENARIO_SCHEMA = z.strictObject(
  Object.fromEntries(
    Object.entries(SETTINGS).map(([key, setting]) => [settingName(key), setting.read.optional()]),
  ),
);

/**
 * Reads a scenario file. `source` names it in messages.
 *
 * @throws KvbenchError (exit code 2) with the line of what is wrong: not YAML, an unknown key, a bad value.
 */
export function parseScenario(yamlText: string, source: string): PartialScenario {
  const lines = new LineCounter();
  const document = parseDocument(yamlText, { lineCounter: lines });
  const lineOf = (offset: number | undefined) => `${source}:${lines.linePos(offset ?? 0).line}`;

  const broken = document.errors[0];
  if (broken !== undefined) {
    throw usageError(
      'scenario-not-yaml',
      `${lineOf(broken.pos[0])}: not YAML: ${broken.message.split('\n')[0]?.replace(/ at line.*$/, '')}`,
      'a scenario is a YAML mapping of settings, as in scenarios/quickstart.yaml',
    );
  }
  const content: unknown = document.toJS() ?? {};
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw usageError(
      'scenario-not-yaml',
      `${source}: expected a mapping of settings, got ${Array.isArray(content) ? 'a list' : JSON.stringify(content)}`,
      'a scenario is a YAML mapping of settings, as in scenarios/quickstart.yaml',
    );
  }

  const checked = SCENARIO_SCHEMA.safeParse(content);
  const issue = checked.error?.issues[0];
  if (issue !== undefined) {
    const key = String(issue.code === 'unrecognized_keys' ? issue.keys[0] : issue.path[0]);
    const node =
      document.contents !== null && 'items' in document.contents
        ? keyOffset(document.contents.items, key)
        : 0;
    if (issue.code === 'unrecognized_keys') throw unknownKey(lineOf(node), key);
    throw usageError('scenario-value', `${lineOf(node)}: ${key}: ${issue.message}`);
  }
  return Object.fromEntries(
    Object.keys(SETTINGS)
      .map((key) => [key, checked.data?.[settingName(key)]] as const)
      .filter(([, value]) => value !== undefined),
  ) as PartialScenario;
}

/**
 * Reads one flag's value.
 *
 * @throws KvbenchError (exit code 2) naming the flag, what was expected and what was got.
 */
export function parseSetting<K extends SettingKey>(key: K, value: unknown): PartialScenario[K] {
  const checked = SETTINGS[key].read.safeParse(value);
  if (checked.success) return checked.data as PartialScenario[K];
  throw usageError('flag-value', `--${settingName(key)}: ${checked.error.issues[0]?.message}`);
}

/**
 * Fills in defaults and checks what only makes sense together. `defaultVariant` labels a run whose variant nobody named.
 *
 * @throws KvbenchError (exit code 2).
 */
export function resolveScenario(given: PartialScenario, defaultVariant: (url: string) => string): Scenario {
  const listed = given.variants ?? [];
  const url = given.url ?? listed[0]?.url ?? undefined;
  if (url === undefined) {
    throw usageError(
      'no-url',
      'no target: neither --url nor a url in the scenario',
      "give --url http://HOST:PORT of a router, or --url 'sim:kv?workers=6' for the simulated cluster",
    );
  }
  const defaults = Object.fromEntries(
    Object.entries(SETTINGS).map(([key, setting]) => [key, setting.initial]),
  );
  const specs = resolveVariants(listed, given);
  const filled = { ...defaults, ...given, url, variants: specs } as Scenario;
  const openOnly = filled.rate.length > 0 && given.concurrency === undefined;
  const scenario: Scenario = {
    ...filled,
    variant:
      specs.length > 0
        ? specs.map((spec) => spec.variant).join('-vs-')
        : (given.variant ?? defaultVariant(url)),
    concurrency: openOnly ? [] : filled.concurrency,
  };
  const most = Math.max(...scenario.prefixes);
  if (most > scenario.requests) {
    throw usageError(
      'too-many-prefixes',
      `${most} prefix groups but only ${scenario.requests} requests in a trial: some groups would get none`,
      `raise --requests to at least ${most} (ten requests for each prefix or more say something), or lower --prefixes`,
    );
  }
  if (scenario.skipReady && scenario.model === null && !scenario.url.startsWith('sim:')) {
    throw usageError('no-model', '--skip-ready leaves no list to take the model from', 'give --model ID');
  }
  return scenario;
}

/** Fills in the scenario's URL where a variant names none. */
function resolveVariants(listed: readonly ListedVariant[], given: PartialScenario): VariantSpec[] {
  if (listed.length > 0 && given.variant !== undefined) {
    throw usageError(
      'variant-and-variants',
      'variant names one, variants lists several: only one of them can be',
      'leave --variant out, or measure one at a time',
    );
  }
  const specs = listed.map((entry) => {
    const url = entry.url ?? given.url;
    if (url !== undefined) return { ...entry, url };
    throw usageError('no-url', `variant ${entry.variant} has no url, and the scenario has none either`);
  });
  if (new Set(specs.map(({ url }) => url.startsWith('sim:'))).size > 1) {
    throw usageError(
      'mixed-clocks',
      'some variants are simulated, others are not: their times cannot stand in one run',
    );
  }
  return specs;
}

/** A {@link KvbenchError} for a key no scenario has, with the nearest one that exists. */
function unknownKey(where: string, key: string): Error {
  const near = suggest(key, Object.keys(SETTINGS).map(settingName));
  return usageError(
    'scenario-key',
    `${where}: unknown key "${key}"`,
    near === null ? 'kvbench grid --help lists the settings' : `did you mean "${near}"?`,
  );
}

function keyOffset(items: readonly unknown[], key: string): number {
  for (const item of items) {
    const node = (item as { readonly key?: { readonly value?: unknown; readonly range?: readonly number[] } })
      .key;
    if (String(node?.value) === key) return node?.range?.[0] ?? 0;
  }
  return 0;
}
