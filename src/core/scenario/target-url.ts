import { usageError } from '../base/errors.js';

/** Where a target's endpoints are. */
export interface EndpointUrls {
  /** `http://host:8000`, without a path; IPv6 literals in brackets. */
  readonly origin: string;
  /** Paths, each with the base URL's own path before it. */
  readonly chat: string;
  readonly completions: string;
  readonly models: string;
}

/**
 * The endpoints below a base URL. `http://host`, `http://host/`, `http://host/v1` and `http://host/v1/` are the same;
 * a path before `/v1` is kept. Throws a usage error for what is no base URL: no scheme, one that is not HTTP, a name and
 * password, a query, or the address of an endpoint.
 */
export function endpointUrls(baseUrl: string): EndpointUrls {
  const url = parseUrl(baseUrl);
  const path = url.pathname.replace(/\/+$/, '');
  const endpoint = /\/(chat\/completions|completions|models)$/.exec(path);
  if (endpoint !== null) {
    const base = `${url.origin}${path.slice(0, endpoint.index)}`;
    throw badUrl(`"${baseUrl}" is the address of an endpoint, not a base URL`, `give ${base}`);
  }
  const root = /\/v\d+$/.test(path) ? path : `${path}/v1`;
  return {
    origin: url.origin,
    chat: `${root}/chat/completions`,
    completions: `${root}/completions`,
    models: `${root}/models`,
  };
}

/** `auto`, `off`, or the URL of a page, perhaps with `NAME=` before it. None with a password: it would be stored. */
export function isMetricsUrl(text: string): boolean {
  if (text === 'auto' || text === 'off') return true;
  const url = /^(?:[^=/\s]+=)?(https?:\/\/\S+)$/i.exec(text)?.[1];
  return url !== undefined && URL.canParse(url) && !/[@#]/.test(new URL(url).href);
}

function parseUrl(baseUrl: string): URL {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(baseUrl)) {
    throw badUrl(`"${baseUrl}" has no scheme`, `write http://${baseUrl.replace(/^\/+/, '')}, or https://`);
  }
  if (!URL.canParse(baseUrl)) throw badUrl(`"${baseUrl}" is not a URL`, 'write http://host:port');
  const url = new URL(baseUrl);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw badUrl(`"${baseUrl}" is ${url.protocol}// and only http:// and https:// can be measured`);
  }
  if (url.username !== '' || url.password !== '') {
    throw badUrl('the URL holds a name or password, which would be stored with the results', 'use --header');
  }
  if (url.search !== '' || url.hash !== '')
    throw badUrl(`"${baseUrl}" has a query or fragment; a base URL has none`);
  return url;
}

function badUrl(message: string, hint?: string) {
  return usageError('bad-url', message, hint);
}
