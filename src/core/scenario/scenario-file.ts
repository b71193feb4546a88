import { type Document, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { usageError } from '../base/errors.js';
import { suggest } from '../base/suggest.js';
import { type PartialScenario, SETTINGS, settingName } from './settings.js';

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
  const content: unknown = readContent(document, source) ?? {};
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

/** Aliases that name nothing, or themselves, or multiply, show only here. */
function readContent(document: Document.Parsed, source: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw usageError(
      'scenario-not-yaml',
      `${source}: not readable: ${reason}`,
      'write the values out, without aliases',
    );
  }
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
