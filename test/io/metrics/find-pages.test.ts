import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { findMetricsPages } from '../../../src/io/metrics/find-pages.js';

const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

/** A server with these texts at these paths; 404 elsewhere. */
async function serve(pages: Readonly<Record<string, string>>): Promise<string> {
  const server = createServer((request, response) => {
    const text = pages[request.url ?? ''];
    response.writeHead(text === undefined ? 404 : 200, { connection: 'close' }).end(text);
  });
  open.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const enginePage = (...engines: readonly number[]) =>
  `# TYPE vllm:num_requests_running gauge\n${engines
    .map((engine) => `vllm:num_requests_running{engine="${engine}",model_name="m"} 5\n`)
    .join('')}`;

const found = async (url: string) =>
  (await findMetricsPages(['auto'], { url, headers: {} })).map(({ source }) => [source.from, source.url]);

describe('metrics pages found through the target', () => {
  it('are those of all workers where the target passes on the page of one', async () => {
    const workers = [await serve({ '/metrics': enginePage(0) }), await serve({ '/metrics': enginePage(0) })];
    const router = await serve({
      '/metrics': enginePage(0),
      '/workers': JSON.stringify({ workers: workers.map((url) => ({ url })) }),
    });
    expect(await found(router)).toEqual(workers.map((url) => ['/workers', `${url}/metrics`]));
  });

  it('are those of all workers, unread, rather than the one that is passed on, where they cannot be reached', async () => {
    const router = await serve({
      '/metrics': enginePage(0),
      '/list_workers': JSON.stringify({ urls: ['http://127.0.0.1:1', 'http://127.0.0.1:2'] }),
    });
    expect(await found(router)).toEqual([
      ['/list_workers', 'http://127.0.0.1:1/metrics'],
      ['/list_workers', 'http://127.0.0.1:2/metrics'],
    ]);
  });

  it("are the target's own where it holds as many engines as the target lists", async () => {
    const worker = await serve({ '/metrics': enginePage(0) });
    const router = await serve({
      '/metrics': enginePage(0, 1),
      '/workers': JSON.stringify([worker, worker.replace('127.0.0.1', 'localhost')]),
    });
    expect(await found(router)).toEqual([['/metrics', `${router}/metrics`]]);
  });
});
