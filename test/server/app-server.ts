/** The app on a port of its own, over a SQLite store of its own. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Router from '@koa/router';
import { afterEach, beforeEach } from 'vitest';
import { createApp } from '../../server/app.ts';
import { JSON_UTF8 } from '../../server/base/http/exchange.ts';
import type { ServeExchange } from '../../server/base/http/front.ts';
import { createLog } from '../../server/base/http/log.ts';
import type { GatewayMiddleware, RequestState } from '../../server/base/http/state.ts';
import { SCOPES } from '../../server/base/principal/permission.ts';
import type { Store } from '../../server/base/store/index.ts';
import { createCatalogue } from '../../server/call/tools/catalogue/catalogue.ts';
import type { Config } from '../../server/config/index.ts';
import { MCP_PATH } from '../../server/gateway-paths.ts';
import { issueAccessToken } from '../../server/identity/grants/access-token.ts';
import { createRefresh } from '../../server/identity/grants/refresh/index.ts';
import { openListeningStore } from '../support/listening.ts';
import { openOAuthRouter } from '../support/oauth-router.ts';
import { insertPartnerAndUser } from './base/store/fixtures.ts';
import { createSqliteDatabase } from './base/store/sqlite-database.ts';

const KEYS = [{ id: 'test', key: Buffer.alloc(32, 7) }];

/** Sets the host of a request in place of `Host`, which fetch does not allow. */
export const HOST_HEADER = 'x-test-host';

type AppConfig = Pick<Config, 'publicUrl' | 'allowedOrigins' | 'trustedProxies'>;

/** The fixtures of a test of the app; fresh for each test. */
export interface AppUnderTest {
  /** `http://127.0.0.1:<port>`, where the app listens. */
  origin: string;
  store: Store;
  /** Row id of a user without connections. */
  userId: string;
  /** Lines of the log, parsed. */
  readonly lines: Record<string, unknown>[];
  /** Milliseconds since 1970, as the app sees it. */
  now: number;
  stop: AbortController;
  /** Stands in for the MCP endpoint. Default: answers with the caller. */
  mcp: ServeExchange;
  /** A page at `/page`. Default: an empty object. */
  page: GatewayMiddleware;
  /** Starts the app. `publicUrl` defaults to `origin`. */
  start(config?: Partial<AppConfig>): Promise<void>;
  /** Longest time in which the store answers, in milliseconds. Default: that of the gateway. */
  pingTimeoutMs?: number;
  /** A token of that user for the app's resource. */
  issueToken(changes?: Partial<Parameters<typeof issueAccessToken>[1]>): Promise<string>;
  /** Sends a request to the app. */
  send(path: string, init?: RequestInit): Promise<Response>;
}

/** Sets up `given` around each test. */
export function givenApp(): AppUnderTest {
  let server: Server;
  let remove: () => Promise<void>;
  let publicUrl: string;
  const lines: Record<string, unknown>[] = [];
  const given = { lines } as AppUnderTest;

  given.start = async (config = {}) => {
    publicUrl = config.publicUrl ?? given.origin;
    const app = createApp({
      config: { allowedOrigins: [], trustedProxies: [], ...config, publicUrl },
      log: createLog({ level: 'debug', destination: { write: (line) => lines.push(JSON.parse(line)) } }),
      store: given.store,
      mcp: (exchange, principal, findAgain) => given.mcp(exchange, principal, findAgain),
      routes: () => [
        openOAuthRouter({
          issuer: publicUrl,
          resource: publicUrl + MCP_PATH,
          keys: KEYS,
          store: given.store,
          refresh: createRefresh({ db: given.store.db, keys: KEYS, holdMs: 0, retryMs: 0, now: () => given.now }),
          catalogue: createCatalogue([]),
          now: () => given.now,
        }),
        new Router<RequestState>().all('/page', (ctx, next) => given.page(ctx, next)),
      ],
      stopping: given.stop.signal,
      pingTimeoutMs: given.pingTimeoutMs,
      now: () => given.now,
    });
    server.on('request', (request, response) => {
      request.headers.host = request.headers[HOST_HEADER]?.toString() ?? request.headers.host;
      app(request, response);
    });
  };
  given.issueToken = async (changes = {}) => {
    const { token } = await issueAccessToken(given.store.db, {
      userId: given.userId,
      scopes: SCOPES,
      services: null,
      resource: publicUrl + MCP_PATH,
      now: given.now,
      ...changes,
    });
    return token;
  };
  given.send = (path, init) => fetch(given.origin + path, init);

  beforeEach(async () => {
    lines.length = 0;
    given.now = 1_000_000;
    given.stop = new AbortController();
    given.mcp = async (exchange, principal) => exchange.send(200, JSON_UTF8, JSON.stringify(principal));
    given.page = async (ctx) => {
      ctx.body = {};
    };
    const database = await createSqliteDatabase();
    remove = database.remove;
    given.store = await openListeningStore({ url: database.url });
    given.userId = (await insertPartnerAndUser(given.store)).user.id;
    server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    given.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await given.store.close();
    await remove();
  });
  return given;
}
