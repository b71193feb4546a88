import { type Command, Option } from 'commander';
import { parseSetting } from '../core/scenario/resolve-scenario.js';
import {
  type PartialScenario,
  SETTINGS,
  type Setting,
  type SettingKey,
  settingName,
} from '../core/scenario/settings.js';

/** Headings of help. Settings that only a file can hold have no flag. */
const FAMILIES: Readonly<Partial<Record<Setting<unknown>['family'], string>>> = {
  target: 'Target:',
  grid: 'Grid:',
  run: 'Run:',
};

/** Settings whose flag may come several times, one entry each. */
const REPEATABLE = ['header', 'workerHeader', 'metricsUrl'];

/** Adds one option for each setting of a scenario, or of the named families. */
export function addSettingOptions(
  command: Command,
  families: readonly string[] = Object.keys(FAMILIES),
): void {
  for (const [key, setting] of Object.entries(SETTINGS)) {
    const heading = FAMILIES[setting.family];
    if (heading === undefined || !families.includes(setting.family)) continue;
    const flags =
      setting.argument === '' ? `--${settingName(key)}` : `--${settingName(key)} <${setting.argument}>`;
    const initial = shownInitial(key as SettingKey);
    const option = new Option(flags, initial === '' ? setting.help : `${setting.help} (${initial})`);
    option.helpGroup(heading);
    if (REPEATABLE.includes(key))
      option.argParser((value: string, all: string[] | undefined) => [...(all ?? []), value]);
    command.addOption(option);
  }
}

/**
 * The settings that flags give.
 *
 * @throws KvbenchError (exit code 2) at the first bad value.
 */
export function readSettingOptions(options: Readonly<Record<string, unknown>>): PartialScenario {
  const given = (Object.keys(SETTINGS) as SettingKey[]).filter((key) => options[key] !== undefined);
  return Object.fromEntries(given.map((key) => [key, parseSetting(key, options[key])]));
}

function shownInitial(key: SettingKey): string {
  const { initial } = SETTINGS[key];
  if (initial === null || initial === '' || initial === false) return '';
  if (Array.isArray(initial)) return initial.join(',');
  if (typeof initial === 'object') return '';
  return /timeout$/i.test(key) ? `${Number(initial) / 1000}s` : String(initial);
}
