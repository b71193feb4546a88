import { createRequire } from 'node:module';
import type { buildConnector as BuildConnector, Client as UndiciClient } from 'undici';

const require = createRequire(import.meta.url);

/**
 * The two parts of undici that are used here, by their files: its index loads fetch, caches and web sockets besides, which
 * costs a run four times as long before its first request.
 */
export const Client = require('undici/lib/dispatcher/client.js') as typeof UndiciClient;
export const buildConnector = require('undici/lib/core/connect.js') as typeof BuildConnector;
