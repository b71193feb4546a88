import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { parseMetricsPage } from '../../core/measure/servers/metrics-page.js';
import { readServers, type ServerReading } from '../../core/measure/servers/server-reading.js';

/** Where a metrics page is, and under which name its servers are shown. */
export interface PageAddress {
  readonly name: string;
  readonly url: string;
  /** Sent with each request; empty for servers other than the target. */
  readonly headers: Readonly<Record<string, string>>;
}

/** One look at a page. */
export type PageLook =
  | { readonly kind: 'read'; readonly servers: readonly ServerReading[] }
  /** Why it was not read, in a few words. */
  | { readonly kind: 'unread'; readonly why: string };

const TIMEOUT_MS = 2_000;
const MOST_BYTES = 8 * 1024 * 1024;

/** Reads a metrics page. Never throws: whatever goes wrong is a reason. */
export async function lookAtPage({ name, url, headers }: PageAddress): Promise<PageLook> {
  const answer = await getText(url, headers);
  if (answer.kind === 'failed') return { kind: 'unread', why: answer.why };
  if (answer.status !== 200) return { kind: 'unread', why: `HTTP ${answer.status}` };
  const page = parseMetricsPage(answer.body);
  if (page.kind === 'no-page') return { kind: 'unread', why: page.why };
  const servers = readServers(page.samples, name);
  return servers.length > 0
    ? { kind: 'read', servers }
    : { kind: 'unread', why: 'a metrics page without a name known here' };
}

type TextAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly body: string }
  | { readonly kind: 'failed'; readonly why: string };

/** GETs a page of a bounded size in bounded time, with one redirect on the same origin followed. Never throws. */
export async function getText(
  url: string,
  headers: Readonly<Record<string, string>>,
  mayFollow = true,
): Promise<TextAnswer> {
  try {
    const response = await get(url, headers);
    const status = response.statusCode ?? 0;
    const { location } = response.headers;
    if (mayFollow && status >= 300 && status < 400 && location !== undefined) {
      response.destroy();
      const next = new URL(location, url);
      if (next.origin === new URL(url).origin) return await getText(next.href, headers, false);
      return { kind: 'failed', why: `redirects to ${next.origin}` };
    }
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response) {
      bytes += (chunk as Buffer).length;
      if (bytes > MOST_BYTES) return { kind: 'failed', why: `more than ${MOST_BYTES} bytes` };
      chunks.push(chunk as Buffer);
    }
    return { kind: 'answered', status, body: Buffer.concat(chunks).toString() };
  } catch (error) {
    return { kind: 'failed', why: reasonOf(error) };
  }
}

function get(url: string, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
  const send = url.startsWith('https:') ? requestTls : requestPlain;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  return new Promise((resolve, reject) => {
    send(url, { headers, agent: false, signal }, resolve).on('error', reject).end();
  });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'cannot be read';
  if (/^(Abort|Timeout)Error$/.test(error.name)) return `no answer in ${TIMEOUT_MS / 1000} s`;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
