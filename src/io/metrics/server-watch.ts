import {
  countServer,
  isSettled,
  type SeriesPoint,
  seriesPoint,
} from '../../core/measure/servers/server-counts.js';
import type { ServerReading } from '../../core/measure/servers/server-reading.js';
import type { Clock, ServerWatch } from '../../engine/ports.js';
import { lookAtPage, type PageAddress } from './get-page.js';

const BETWEEN_LOOKS_MS = 1_000;
/** Servers count a request a moment after its last byte: looks this far apart, until two are the same. */
const SETTLE_STEP_MS = 100;
const SETTLE_MOST_MS = 1_500;

/** All pages at one time. */
interface Look {
  readonly servers: readonly ServerReading[];
  readonly unread: ReadonlyMap<string, string>;
}

/**
 * Watches servers by their metrics pages, at most one request in flight to each. Never throws. `hide` takes secrets out
 * of what a page says; null where there are none.
 */
export function createServerWatch(
  pages: readonly PageAddress[],
  clock: Clock,
  hide: ((text: string) => string) | null,
): ServerWatch {
  let before: Look = { servers: [], unread: new Map() };
  let settledBefore = false;
  let series: SeriesPoint[] = [];
  let stopLooking = () => {};
  let lastLooks: Promise<unknown> = Promise.resolve();

  function wait(ms: number): Promise<void> {
    return new Promise((resolve) => clock.at(clock.now() + ms, resolve));
  }

  async function settle(): Promise<{ readonly look: Look; readonly settled: boolean }> {
    const until = clock.now() + SETTLE_MOST_MS;
    for (let last = await lookAtAll(pages); ; ) {
      await wait(SETTLE_STEP_MS);
      const look = await lookAtAll(pages);
      const settled = isSettled(last.servers, look.servers);
      if (settled || clock.now() >= until) return { look, settled };
      last = look;
    }
  }

  /** Each page on its own beat: a slow one holds back no other, and misses a beat rather than catching up. */
  function watchPage(page: PageAddress, originMs: number): () => Promise<void> {
    let cancel = () => {};
    let ended = false;
    let looking: Promise<void> = Promise.resolve();
    const next = () => {
      const now = clock.now();
      const beat = originMs + Math.ceil((now - originMs + 1) / BETWEEN_LOOKS_MS) * BETWEEN_LOOKS_MS;
      cancel = clock.at(beat, () => {
        looking = look();
      });
    };
    async function look(): Promise<void> {
      const atMs = Math.round(clock.now() - originMs);
      const seen = await lookAtPage(page);
      if (ended) return;
      if (seen.kind === 'read') {
        for (const reading of seen.servers) {
          const start = before.servers.find(({ server }) => server === reading.server) ?? null;
          series.push(seriesPoint(atMs, start, reading));
        }
      }
      next();
    }
    next();
    return () => {
      ended = true;
      cancel();
      return looking;
    };
  }

  return {
    async begin() {
      const { look, settled } = await settle();
      [before, settledBefore, series] = [look, settled, []];
      const originMs = clock.now();
      const stops = pages.map((page) => watchPage(page, originMs));
      stopLooking = () => {
        lastLooks = Promise.all(stops.map((stop) => stop()));
      };
    },
    async end() {
      stopLooking();
      await lastLooks;
      const { look: after, settled } = await settle();
      const gone = before.servers.filter(({ server }) => !after.servers.some((one) => one.server === server));
      const unread = new Map([
        ...gone.map(({ server }) => [server, 'gone from its page'] as const),
        ...before.unread,
        ...after.unread,
      ]);
      const pairs = after.servers.flatMap((reading) => {
        const start = before.servers.find(({ server }) => server === reading.server);
        return start === undefined ? [] : [countServer(start, reading, series)];
      });
      return {
        servers: {
          servers: pairs,
          unread: [...unread].map(([server, why]) => ({ server, why: hide?.(why) ?? why })),
          settled: settledBefore && settled,
        },
        series: [...series].sort((a, b) => a.at_ms - b.at_ms),
      };
    },
  };
}

async function lookAtAll(pages: readonly PageAddress[]): Promise<Look> {
  const looks = await Promise.all(pages.map(async (page) => ({ page, look: await lookAtPage(page) })));
  return {
    servers: looks.flatMap(({ look }) => (look.kind === 'read' ? look.servers : [])),
    unread: new Map(
      looks.flatMap(({ page, look }) => (look.kind === 'unread' ? [[page.name, look.why]] : [])),
    ),
  };
}
