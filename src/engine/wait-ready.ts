import type { RequestRecord } from '../core/answer/request-record.js';
import { type KvbenchError, usageError } from '../core/base/errors.js';
import { suggest } from '../core/base/suggest.js';
import type { Clock, ModelList, StopSignal, TargetControl } from './ports.js';
import { isAnswered, probeFailed, refusalOf, unreachable } from './small-request.js';

export interface ReadyTarget {
  readonly model: string;
  /** As listed; null when the target gives no list. */
  readonly models: readonly string[] | null;
}

export interface ReadyDeps {
  readonly control: TargetControl;
  /** Sends one small request for a model. */
  readonly ask: (model: string) => Promise<RequestRecord>;
  readonly clock: Clock;
  readonly stop: StopSignal;
}

interface Asked {
  readonly url: string;
  /** Null to take the one that the target serves. */
  readonly model: string | null;
  /** 0: one look, no waiting. */
  readonly timeoutMs: number;
}

/** What one look at the target came to; `waiting`: another look may see it ready, else the error stands. */
type Look =
  | { readonly kind: 'ready'; readonly target: ReadyTarget }
  | { readonly kind: 'waiting'; readonly error: () => KvbenchError | Promise<KvbenchError> };

const POLL_EVERY_MS = 500;
/** Answers of routers whose workers are not there yet. */
const NOT_YET = [429, 502, 503, 504];
/** What routers list when they do not know what their workers serve. */
const PLACEHOLDER = 'unknown';

/**
 * Waits until the target answers one small request for its model: the asked one, or the one that it lists, or, where that
 * is a placeholder or refused, the one that it names elsewhere.
 *
 * @throws KvbenchError, exit code 3 when the time is over or waiting cannot help; 2 when the target serves several models,
 * or lists only patterns, and none was asked for.
 */
export async function waitReady(asked: Asked, deps: ReadyDeps): Promise<ReadyTarget> {
  const { clock, stop } = deps;
  const deadline = clock.now() + asked.timeoutMs;
  for (;;) {
    const look = await lookOnce(asked, deps);
    if (look.kind === 'ready') return look.target;
    if (clock.now() + POLL_EVERY_MS > deadline || stop.stopping) throw await look.error();
    await new Promise<void>((resolve) => clock.at(clock.now() + POLL_EVERY_MS, resolve));
  }
}

async function lookOnce(asked: Asked, deps: ReadyDeps): Promise<Look> {
  const list = await deps.control.listModels();
  if (list.kind === 'unreachable') return waiting(() => noList(asked, list));
  const atOnce = { ...asked, timeoutMs: 0 };
  if (asked.model === null && isForbidden(list)) throw noList(atOnce, list);
  const models = list.kind === 'listed' ? list.ids : null;
  const listed = (models ?? []).filter((id) => id !== PLACEHOLDER && !isPattern(id));
  const isPlaceholder = listed.length === 0 && models?.includes(PLACEHOLDER);
  const model = asked.model ?? chooseModel(listed) ?? (isPlaceholder ? PLACEHOLDER : null);
  if (model === null) {
    const served = await servedOf(await deps.control.nameModels(), deps);
    if (served !== null) return { kind: 'ready', target: { model: served, models } };
    if (models?.some(isPattern)) throw onlyPatterns(models);
    return waiting(() => noList(asked, list));
  }
  const answer = await deps.ask(model);
  if (isAnswered(answer)) return { kind: 'ready', target: { model, models } };
  if (isNotYet(answer)) return waiting(() => notAnswering(asked, answer));
  if (!mayBeRenamed(answer)) throw probeFailed(asked.url, refusalOf(answer), false);
  if (asked.model !== null) {
    if (models?.includes(model)) throw await notServed(atOnce, model, models, answer, deps);
    return waiting(() => notServed(asked, model, models, answer, deps));
  }
  const names = [...namesIn(answer.error?.message ?? ''), ...(await deps.control.nameModels())];
  const served = await servedOf(
    names.filter((name) => name !== model),
    deps,
  );
  if (served === null) throw refusedListed(asked.url, model, answer);
  return { kind: 'ready', target: { model: served, models } };
}

function waiting(error: () => KvbenchError | Promise<KvbenchError>): Look {
  return { kind: 'waiting', error };
}

/** `openai/*` stands for many models and is none. */
function isPattern(id: string): boolean {
  return id.includes('*');
}

function isForbidden(list: ModelList): boolean {
  return list.kind === 'no-list' && [401, 403].includes(list.status);
}

function isNotYet({ outcome, status }: RequestRecord): boolean {
  if (outcome === 'http_error') return NOT_YET.includes(status ?? 0);
  return outcome === 'connect_error' || (outcome === 'stream_error' && status === null);
}

/** The model may be served under another name. */
function mayBeRenamed({ outcome, status, error }: RequestRecord): boolean {
  const isRefused = outcome === 'http_error' && [400, 404, 422].includes(status ?? 0);
  return isRefused && (status === 404 || /model/i.test(error?.message ?? ''));
}

function chooseModel(ids: readonly string[]): string | null {
  if (ids.length > 1) {
    throw usageError(
      'several-models',
      `the target lists ${ids.length} models: ${ids.join(', ')}`,
      'choose one with --model',
    );
  }
  return ids[0] ?? null;
}

/** The first of these names that is answered; null when none is. A few are tried. */
async function servedOf(names: readonly string[], deps: ReadyDeps): Promise<string | null> {
  for (const name of [...new Set(names)].slice(0, MOST_NAMES)) {
    if (name !== PLACEHOLDER && !isPattern(name) && isAnswered(await deps.ask(name))) return name;
  }
  return null;
}

const MOST_NAMES = 8;

/** Names of models that a message may hold: what it quotes, and what stands in a list behind a colon. */
function namesIn(message: string): string[] {
  const quoted = [...message.matchAll(/["'`]([^"'`\s]+)["'`]/g)].map((found) => found[1] ?? '');
  const listed = message.match(/:\s*\[?([^:]+?)\]?\.?$/)?.[1]?.split(/[\s,]+/) ?? [];
  return [...quoted, ...listed]
    .map((name) => name.replace(/^["'`[(]+|["'`\]).]+$/g, ''))
    .filter((name) => name !== '');
}

function waited({ timeoutMs }: Asked): string {
  return timeoutMs === 0 ? '' : ` after ${timeoutMs / 1000} s (--ready-timeout)`;
}

function noList(asked: Asked, list: ModelList): KvbenchError {
  if (list.kind === 'unreachable') {
    return unreachable(
      'target-down',
      `${asked.url} cannot be reached${waited(asked)}: ${list.message}`,
      'is the router running, and is the port right?',
    );
  }
  if (list.kind === 'no-list') {
    return unreachable(
      'no-model-list',
      `${asked.url} gives no model list${waited(asked)}: HTTP ${list.status} ${list.message}`,
      isForbidden(list)
        ? 'check --header and --api-key-env'
        : 'is the base URL right? A target without /v1/models needs --model ID',
    );
  }
  const said = list.ids.length === 0 ? 'lists no model' : `lists only ${list.ids.join(', ')}`;
  return unreachable(
    'no-models',
    `${asked.url} ${said}${waited(asked)}`,
    'the router is up but no worker has registered: look at its log, or give --model ID',
  );
}

function notAnswering(asked: Asked, answer: RequestRecord): KvbenchError {
  return unreachable(
    'not-ready',
    `${asked.url} answers no request${waited(asked)}: ${refusalOf(answer)}`,
    'are its workers running? Look at its log; --ready-timeout waits longer',
  );
}

function onlyPatterns(ids: readonly string[]): KvbenchError {
  return usageError(
    'only-patterns',
    `the target lists patterns and no model: ${ids.join(', ')}`,
    'give the full name of a model with --model',
  );
}

function refusedListed(url: string, model: string, answer: RequestRecord): KvbenchError {
  return unreachable(
    'model-refused',
    `${url} lists ${model} and refuses it (${refusalOf(answer)})`,
    'give the name that its workers serve with --model',
  );
}

/** The hint names a listed model only when that one is answered. */
async function notServed(
  asked: Asked,
  model: string,
  models: readonly string[] | null,
  answer: RequestRecord,
  deps: ReadyDeps,
): Promise<KvbenchError> {
  const ids = models ?? [];
  const near = suggest(model, ids);
  const served = await servedOf(near === null ? ids : [near], deps);
  const lists = ids.length === 0 ? '' : `; it lists ${ids.join(', ')}`;
  const fault = ids.includes(model) ? 'refuses' : 'does not list the model';
  return unreachable(
    'model-not-listed',
    `${asked.url} ${fault} "${model}"${waited(asked)} (${refusalOf(answer)})${lists}`,
    served === null
      ? 'give the name that its workers serve; its log, or theirs, has it'
      : `${served === near ? 'did you mean' : 'use'} --model ${served}${served === near ? '?' : ''}`,
  );
}
