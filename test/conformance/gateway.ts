/**
 * A gateway for the conformance suite: the real app and endpoint, with the fixture tools next to the generated ones.
 */

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { createApp } from '../../server/app.ts';
import { createValueSealer } from '../../server/base/credentials/sealed-value.ts';
import { requirePrincipal } from '../../server/base/http/authenticate.ts';
import { createChallenges } from '../../server/base/http/challenge.ts';
import { SCOPES } from '../../server/base/principal/permission.ts';
import { openStore } from '../../server/base/store/index.ts';
import { insertPartner } from '../../server/base/store/repositories/partners.ts';
import { ensureUser } from '../../server/base/store/repositories/users.ts';
import { CORE_TABLES } from '../../server/base/store/schema.ts';
import { createMcpEndpoint } from '../../server/call/mcp/endpoint.ts';
import { toAdditions } from '../../server/call/mcp/resources.ts';
import { createCatalogue } from '../../server/call/tools/catalogue/catalogue.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { type ToolProvider, UnknownToolError } from '../../server/call/tools/provider.ts';
import { MCP_PATH } from '../../server/gateway-paths.ts';
import type { Core } from '../../server/module.ts';
import { skills } from '../../server/modules/skills/module.ts';
import { TASKS_TABLES } from '../../server/modules/tasks/rows.ts';
import { Tasks } from '../../server/modules/tasks/tasks.ts';
import { accessTo } from '../support/access.ts';
import { NO_DATABASE } from '../support/no-database.ts';
import { FIXTURE_RESOURCES, withFixtureTools } from './fixture-tools.ts';

/** Starts it on a free port. The suite sends no access token, so every request gets one on its way in. */
export async function startConformanceGateway(): Promise<{ url: string; close(): Promise<void> }> {
  const connectors = await loadConnectors();
  const catalogue = createCatalogue(connectors);
  const services = connectors.map((connector) => connector.name);
  const generated: ToolProvider = {
    list: () => catalogue.list(accessTo(services)),
    dryRun: async (_principal, name) => Promise.reject(new UnknownToolError(name, [])),
    call: async (_principal, name) => {
      if (catalogue.find(name) === undefined) throw new UnknownToolError(name, []);
      return { content: [{ type: 'text', text: 'The conformance gateway has no upstream.' }], isError: true };
    },
  };
  const log = pino({ level: 'silent' });
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  const stored = await openStore({ url: `sqlite:${join(folder, 'tasks.sqlite')}`, sets: [CORE_TABLES, TASKS_TABLES] });
  const { db } = stored;
  const partner = await insertPartner(db, { clientId: 'acme', name: 'Acme', now: Date.now() });
  const user = await ensureUser(db, { partnerId: partner.id, externalUserId: 'user', now: Date.now() });
  const tools = withFixtureTools(generated);
  const tasks = new Tasks({
    ...{ db, tools, catalogue, rules: [], now: Date.now, onError: () => {}, afterMs: 50, keepMs: 600_000, most: 1000 },
    sealer: createValueSealer({ keys: [{ id: 'conformance', key: randomBytes(32) }], purpose: 'task' }),
  });
  const offered = await skills.open?.({ connectors, catalogue } as Core, {}, {});
  const challenges = createChallenges({ issuer: 'http://127.0.0.1', path: '/api/mcp/unified' });
  const mcp = createMcpEndpoint({
    tools: tasks.around(tools),
    additions: [
      tasks.addition,
      ...[offered?.mcp ?? []].flat(),
      ...toAdditions([FIXTURE_RESOURCES, ...[offered?.resources ?? []].flat()]),
    ],
    streamLimits: { checkMs: 100 },
    sessions: {
      ...{ db, now: Date.now, stopping: new AbortController().signal },
      sealer: createValueSealer({ keys: [{ id: 'conformance', key: randomBytes(32) }], purpose: 'mcp session' }),
      authenticate: ({ host }) => authenticate('Bearer utg_at_conformance', '', host),
    },
    serverInfo: { name: 'unified-tool-gateway', version: '0.0.0' },
    instructions: 'Fixture tools.',
    logger: log,
    maxBodyBytes: 1_048_576,
    limit: { consume: async () => null },
    progress: { afterMs: 50, everyMs: 50 },
    challenges,
  });
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const connection = { id: 'connection', status: 'active', sealedCredential: null, updatedAt: 0 } as const;
  const publicUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const store = {
    db: NO_DATABASE,
    ping: async () => undefined,
    findAccessToken: async () => ({
      id: 'token',
      scopes: SCOPES,
      grantId: null,
      clientId: null,
      permission: null,
      resource: `${publicUrl}${MCP_PATH}`,
      expiresAt: Number.MAX_SAFE_INTEGER,
      firstUsedAt: null,
      userId: user.id,
      partnerId: 'partner',
      realm: 'live' as const,
      externalUserId: 'user',
      connectUri: null,
      partnerName: 'Acme',
      offeredServices: null,
      narrowedTo: null,
      isSuspended: false,
      approvals: null,
      allowance: null,
      allowanceUntil: null,
      requiresAllowance: 0,
      callLimits: null,
      isWritingStopped: false,
      connections: new Map(services.map((service) => [service, connection])),
    }),
  };
  const authenticate = requirePrincipal({ store, challenges, resource: `${publicUrl}${MCP_PATH}`, now: Date.now });
  const handle = createApp({
    config: { publicUrl, allowedOrigins: [], trustedProxies: [] },
    log,
    store,
    mcp: mcp.serve,
    routes: () => [],
    stopping: new AbortController().signal,
  });
  server.on('request', (request, response) => {
    request.headers.authorization ??= 'Bearer utg_at_conformance';
    handle(request, response);
  });
  return {
    url: `${publicUrl}${MCP_PATH}`,
    async close() {
      await tasks.close();
      await mcp.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await stored.close();
      await rm(folder, { recursive: true });
    },
  };
}
