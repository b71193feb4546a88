import type { MetricsSource } from '../../core/measure/servers/metrics-source.js';
import { redactUrl } from '../../core/scenario/redact.js';
import { endpointUrls } from '../../core/scenario/target-url.js';
import { buildRequestHeaders } from '../http/request-headers.js';
import { getText, lookAtPage, type PageAddress } from './get-page.js';

/** A page that was tried, and what it was. */
export interface FoundPage {
  readonly address: PageAddress;
  readonly source: MetricsSource;
}

/** Where routers list their workers. */
const WORKER_LISTS = ['/workers', '/v1/workers', '/list_workers'];

/**
 * Tries the metrics pages of a target: those named by `wanted` (`NAME=URL` or `URL`), and for `auto` the target's own
 * page, or the pages of the workers that it lists, or those that it gathers. The target's headers go to its origin
 * only. Never throws; a page that cannot be read says why.
 */
export async function findMetricsPages(
  wanted: readonly string[],
  target: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
): Promise<readonly FoundPage[]> {
  const { origin, models } = endpointUrls(target.url);
  const base = `${origin}${models.replace(/\/v\d+\/models$/, '')}`;
  const own = buildRequestHeaders({ accept: 'text/plain', ...target.headers });
  const addressOf = (name: string, url: string): PageAddress => ({
    ...{ name, url },
    headers: new URL(url).origin === origin ? own : {},
  });
  const named = wanted
    .filter((item) => item !== 'auto' && item !== 'off')
    .map((item) => {
      const [, name, url = item] = /^([^=/]+)=(.+)$/.exec(item) ?? [];
      const page = pageUrl(url);
      return tryPage(addressOf(name ?? new URL(page).host, page), 'metrics-url');
    });
  const found = await Promise.all(named);
  return wanted.includes('auto') ? [...found, ...(await discover())] : found;

  async function discover(): Promise<readonly FoundPage[]> {
    const [page, urls] = await Promise.all([
      tryPage(addressOf(new URL(base).host, `${base}/metrics`), '/metrics'),
      listWorkers(base, own),
    ]);
    const read = page.source.unread === null ? [page] : [];
    const engines = page.source.servers.filter(({ role }) => role === 'engine').length;
    // The target's page may hold its engines, and they must not be counted twice.
    if (urls === null || engines >= urls.list.length) return read;
    // One that holds fewer engines than the router lists is passed on from one of them, another at the next look (vllm-router).
    const mine = engines > 0 ? [] : read;
    const workers = await Promise.all(
      urls.list.map((url) => tryPage(addressOf(new URL(url).host, pageUrl(url)), urls.from)),
    );
    if (workers.length > 0 && workers.every(({ source }) => source.unread === null))
      return [...mine, ...workers];
    const gathered = await tryPage(
      addressOf(new URL(base).host, `${base}/engine_metrics`),
      '/engine_metrics',
    );
    return gathered.source.unread === null ? [...mine, gathered] : [...mine, ...workers];
  }
}

async function tryPage(address: PageAddress, from: string): Promise<FoundPage> {
  const look = await lookAtPage(address);
  const servers = look.kind === 'read' ? look.servers : [];
  return {
    address,
    source: {
      ...{ name: address.name, url: redactUrl(address.url), from },
      unread: look.kind === 'unread' ? look.why : null,
      servers: servers.map(({ server, kind, role, blockSize, blocks }) => ({
        ...{ server, kind, role, blocks },
        block_size: blockSize,
      })),
    },
  };
}

/** Base URLs of the workers that a router lists, and where it does; null where it lists none. */
async function listWorkers(
  base: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly from: string; readonly list: readonly string[] } | null> {
  const lists = await Promise.all(
    WORKER_LISTS.map(async (from) => {
      const answer = await getText(base + from, headers);
      return { from, list: answer.kind === 'answered' && answer.status === 200 ? urlsIn(answer.body) : [] };
    }),
  );
  return lists.find(({ list }) => list.length > 0) ?? null;
}

/** `{workers: [{url}]}`, `{urls: […]}`, or a list of either. */
function urlsIn(body: string): readonly string[] {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return [];
  }
  const of = (value: unknown, key: string): unknown =>
    typeof value === 'object' && value !== null
      ? (value as Readonly<Record<string, unknown>>)[key]
      : undefined;
  const items = [json, of(json, 'workers'), of(json, 'urls')].find(Array.isArray) ?? [];
  const urls = items.map((item: unknown) => (typeof item === 'string' ? item : of(item, 'url')));
  return [
    ...new Set(
      urls.filter(
        (url): url is string => typeof url === 'string' && /^https?:\/\//.test(url) && URL.canParse(url),
      ),
    ),
  ];
}

/** A URL without a path means its `/metrics`. */
function pageUrl(url: string): string {
  const parsed = new URL(url);
  if (parsed.pathname === '/') parsed.pathname = '/metrics';
  return parsed.href;
}
