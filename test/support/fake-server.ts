import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** An OpenAI-compatible server with one cache over whole prefixes, as odd as a test wants it. */
export interface FakeServerOptions {
  /** Leave cached_tokens out of usage: never, when it is 0, or always. */
  readonly omitCached?: 'never' | 'zero' | 'always';
  /** Body fields that get a 400. */
  readonly rejects?: readonly string[];
  /** Models listed; null for no list at all. */
  readonly models?: readonly string[] | null;
  /** Of each request in turn, from 0. */
  readonly firstTokenMs?: number | ((index: number) => number);
  /** Told of each request as it has arrived, from 0. */
  readonly onRequest?: (index: number) => void;
  /** Reports workers, in turn, when nvext is asked for. */
  readonly workers?: readonly string[];
  /** Tokens of an answer, whatever was asked. */
  readonly outputTokens?: number;
  /** Status of every chat request. */
  readonly status?: number;
}

export interface FakeServer {
  readonly url: string;
  readonly bodies: Readonly<Record<string, unknown>>[];
  readonly headers: IncomingMessage['headers'][];
  readonly paths: string[];
  connections(): number;
  peak(): number;
  forget(): void;
}

/** Tokens cached by the fake server in whole blocks. */
const BLOCK = 16;
const TEMPLATE_TOKENS = 8;

export async function startFakeServer(options: FakeServerOptions = {}): Promise<FakeServer> {
  const { omitCached = 'never', rejects = [], firstTokenMs = 2, workers = [], status = 200 } = options;
  const models = options.models === undefined ? ['fake'] : options.models;
  const bodies: Record<string, unknown>[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const paths: string[] = [];
  const sockets = new Set<Socket>();
  const cached = new Set<string>();
  let connections = 0;
  let inFlight = 0;
  let peak = 0;
  let turn = 0;

  /** Whole blocks that an earlier prompt began with; then remembers this one's. */
  function lookUp(prompt: string): number {
    const words = prompt.split(' ');
    let hit = 0;
    for (let end = BLOCK; end <= words.length; end += BLOCK) {
      const start = words.slice(0, end).join(' ');
      if (cached.has(start) && hit === end - BLOCK) hit = end;
      cached.add(start);
    }
    return hit;
  }

  const server = createServer((request, response) => {
    paths.push(request.url ?? '');
    if (request.method === 'GET') {
      response.statusCode = models === null ? 404 : 200;
      response.end(
        models === null ? '{"detail":"Not Found"}' : JSON.stringify({ data: models.map((id) => ({ id })) }),
      );
      return;
    }
    headers.push(request.headers);
    peak = Math.max(peak, ++inFlight);
    response.on('close', () => inFlight--);
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const body = JSON.parse(text) as Record<string, unknown> & {
        messages?: { content: string }[];
        prompt?: string;
        max_tokens: number;
        model: string;
      };
      const index = bodies.push(body) - 1;
      options.onRequest?.(index);
      const refused = rejects.find((field) => field in body);
      if (refused !== undefined || status !== 200 || (models !== null && !models.includes(body.model))) {
        response.statusCode = refused !== undefined ? 400 : status !== 200 ? status : 404;
        const message =
          refused !== undefined
            ? `Unrecognized request argument: ${refused}`
            : `The model ${body.model} is not served`;
        response.end(JSON.stringify({ error: { message } }));
        return;
      }
      const prompt = body.messages?.[0]?.content ?? body.prompt ?? '';
      const hit = lookUp(prompt);
      const worker = workers[turn++ % Math.max(1, workers.length)];
      const tokens = options.outputTokens ?? body.max_tokens;
      const details =
        omitCached === 'always' || (omitCached === 'zero' && hit === 0) ? null : { cached_tokens: hit };
      const usage = {
        prompt_tokens: prompt.split(' ').length + TEMPLATE_TOKENS,
        completion_tokens: tokens,
        prompt_tokens_details: details,
      };
      response.setHeader('content-type', 'text/event-stream');
      response.write(
        'data: {"id":"a","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\n',
      );
      setTimeout(
        () => {
          for (let i = 0; i < tokens; i++)
            response.write('data: {"id":"a","choices":[{"index":0,"delta":{"content":"x"}}]}\n\n');
          const nvext =
            worker === undefined || !('nvext' in body)
              ? ''
              : `,"nvext":{"worker_id":{"prefill_worker_id":${worker},"decode_worker_id":${worker}}}`;
          response.write(
            `data: {"id":"a","choices":[{"index":0,"delta":{},"finish_reason":"length"}]${nvext}}\n\n`,
          );
          response.end(`data: {"id":"a","choices":[],"usage":${JSON.stringify(usage)}}\n\ndata: [DONE]\n\n`);
        },
        typeof firstTokenMs === 'number' ? firstTokenMs : firstTokenMs(index),
      );
    });
  });
  server.on('connection', (socket) => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    headers,
    paths,
    connections: () => connections,
    peak: () => peak,
    forget: () => cached.clear(),
  };
}
