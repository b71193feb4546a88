import { usageError } from '../base/errors.js';
import type { ListedGroup } from './group-reader.js';
import type { Lengths, RequestGroup } from './request-groups.js';
import {
  type PartialScenario,
  type Scenario,
  SETTINGS,
  type SettingKey,
  settingName,
  type VariantSpec,
} from './settings.js';
import type { ListedVariant } from './variant-reader.js';

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
 * Fills in defaults and checks settings against each other. `defaultVariant` labels a run whose variant was not named.
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
    groups: resolveGroups(given.groups ?? [], filled),
  };
  const most = Math.max(...scenario.prefixes);
  if (most > scenario.requests) {
    throw usageError(
      'too-many-prefixes',
      `${most} prefix groups but only ${scenario.requests} requests in a trial: some groups would get none`,
      `raise --requests to at least ${most} (at least ten requests per prefix are meaningful), or lower --prefixes`,
    );
  }
  requireFilledGroups(scenario, most);
  if (scenario.skipReady && scenario.model === null && !scenario.url.startsWith('sim:')) {
    throw usageError(
      'no-model',
      '--skip-ready needs a model: there is no list to take it from',
      'give --model ID',
    );
  }
  return scenario;
}

/** Fills in the scenario's lengths where a group names none. */
function resolveGroups(listed: readonly ListedGroup[], lengths: Lengths): RequestGroup[] {
  return listed.map((entry) => ({
    ...entry,
    prefixTokens: entry.prefixTokens ?? lengths.prefixTokens,
    tailTokens: entry.tailTokens ?? lengths.tailTokens,
    outputTokens: entry.outputTokens ?? lengths.outputTokens,
  }));
}

/** Throws a KvbenchError when a group would get fewer requests than it has prefixes. */
function requireFilledGroups({ groups, requests, whole }: Scenario, prefixes: number): void {
  if (whole && groups.length === 0) {
    throw usageError('no-groups', 'whole needs groups, and the scenario lists none', 'leave whole out');
  }
  const all = groups.reduce((sum, { share }) => sum + share, 0);
  const thin = groups.find(({ share }) => (requests * share) / all < prefixes);
  if (thin === undefined) return;
  const own = Math.floor((requests * thin.share) / all);
  throw usageError(
    'too-many-prefixes',
    `group ${thin.group} has ${prefixes} prefix groups but only about ${own} of the ${requests} requests in a trial`,
    `raise --requests to at least ${Math.ceil((prefixes * all) / thin.share)}, or its share, or lower --prefixes`,
  );
}

/** Fills in the scenario's URL where a variant names none. */
function resolveVariants(listed: readonly ListedVariant[], given: PartialScenario): VariantSpec[] {
  if (listed.length > 0 && given.variant !== undefined) {
    throw usageError(
      'variant-and-variants',
      'variant and variants cannot be combined',
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
      'some variants are simulated, others are not: their times are not comparable',
    );
  }
  return specs;
}
