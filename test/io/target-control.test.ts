import { afterEach, describe, expect, it } from 'vitest';
import { createTargetControl } from '../../src/io/target-control.js';
import { responseHead, type ScriptedServer, startScriptedServer } from '../support/scripted-server.js';

let server: ScriptedServer | null = null;

afterEach(async () => {
  await server?.close();
  server = null;
});

async function listFrom(status: number, body: string, headers: Readonly<Record<string, string>> = {}) {
  server = await startScriptedServer((socket) => {
    socket.end(
      `${responseHead(status, { ...headers, 'content-length': `${Buffer.byteLength(body)}` })}${body}`,
    );
  });
  return createTargetControl({
    baseUrl: `${server.url}/base/`,
    headers: { Authorization: 'Bearer k' },
  }).listModels();
}

describe('the list of models', () => {
  it('is asked below the base URL, with the headers of requests', async () => {
    const body = '{"object":"list","data":[{"id":"a/b","object":"model"},{"id":"c"},{"name":"no id"}]}';
    expect(await listFrom(200, body)).toEqual({ kind: 'listed', ids: ['a/b', 'c'] });
    const head = server?.requests[0]?.head ?? '';
    expect(head.split('\r\n')[0]).toBe('GET /base/v1/models HTTP/1.1');
    expect(head.toLowerCase()).toContain('\r\nauthorization: bearer k');
  });

  it('may be empty', async () => {
    expect(await listFrom(200, '{"data":[]}')).toEqual({ kind: 'listed', ids: [] });
  });

  it.each([
    [404, '{"detail":"Not Found"}', 'Not Found'],
    [401, '', 'an empty body'],
    [503, '<html>no upstream</html>', 'no upstream'],
    [200, '<html>hello</html>', 'a body that is no list of models: hello'],
    [200, '{"models":["a"]}', 'a body that is no list of models: {"models":["a"]}'],
    [200, 'null', 'a body that is no list of models: null'],
  ])('is none with HTTP %i and %s', async (status, body, message) => {
    expect(await listFrom(status, body)).toEqual({ kind: 'no-list', status, message });
  });

  it('is not looked for where a redirect points', async () => {
    expect(await listFrom(302, '', { location: 'http://127.0.0.1:1/' })).toEqual({
      kind: 'no-list',
      status: 302,
      message: 'redirects to http://127.0.0.1:1/',
    });
    expect(server?.requests.length).toBe(1);
  });

  it('is unreachable where nothing listens, and where the connection breaks', async () => {
    server = await startScriptedServer((socket) => socket.resetAndDestroy());
    const control = createTargetControl({ baseUrl: server.url, headers: {} });
    expect((await control.listModels()).kind).toBe('unreachable');
    await server.close();
    expect(await control.listModels()).toEqual({
      kind: 'unreachable',
      message: `cannot connect to ${server.url}: connection refused, nothing listens there`,
    });
  });
});

describe('names of models on other pages', () => {
  it('are those of workers and server information, served names first, paths last', async () => {
    const pages: Readonly<Record<string, string>> = {
      '/base/workers': '{"workers":[{"id":"1","model_id":"tiny"},{"id":"2","model_id":"tiny"}],"total":2}',
      '/base/get_model_info': '{"model_path":"/models/tiny","is_generation":true}',
      '/base/server_info': '{"served_model_name":"tiny-served","model_path":"/models/tiny"}',
      '/base/v1/workers': 'not JSON',
    };
    server = await startScriptedServer((socket, request) => {
      const body = pages[request.head.split(' ')[1] ?? ''];
      const text = body ?? '{"detail":"Not Found"}';
      const status = body === undefined ? 404 : 200;
      socket.end(`${responseHead(status, { 'content-length': `${text.length}` })}${text}`);
    });
    const control = createTargetControl({ baseUrl: `${server.url}/base`, headers: {} });
    expect(await control.nameModels()).toEqual(['tiny-served', 'tiny', '/models/tiny']);
  });

  it('are none of a server that is down', async () => {
    const control = createTargetControl({ baseUrl: 'http://127.0.0.1:1', headers: {} });
    expect(await control.nameModels()).toEqual([]);
  });
});
