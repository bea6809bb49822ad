/** Starts the parts of the demo: sandbox, gateway, and one user who is connected to every service. */

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withoutUndefined } from '../../codegen/json.ts';
import { answerOf, createPartnerClient } from '../../packages/partner/index.ts';
import { openSandbox } from '../../sandbox/index.ts';
import { needsUpstreamClient } from '../../server/base/credentials/kinds.ts';
import { ADMIN_PATH } from '../../server/base/dashboard/pages.ts';
import { createLog } from '../../server/base/http/log.ts';
import { loadServices } from '../../server/cli/with-store.ts';
import type { Connector, CredentialKind } from '../../server/contract/index.ts';
import { createGateway, type Gateway } from '../../server/gateway.ts';
import { MCP_PATH } from '../../server/gateway-paths.ts';
import { addPartner } from '../../server/identity/partners/manage.ts';
import { loadConfig } from '../../server/index.ts';
import { loadModules } from '../../server/modules/index.ts';
import { findFreePort, listenOnce } from '../../shared/cli/free-port.ts';
import { CALENDAR, CALENDAR_DESCRIPTOR } from './calendar.ts';
import { connectUser } from './connect.ts';
import { startPortal } from './portal.ts';
import type { DemoFacts } from './text.ts';
import { WIKI, WIKI_LOCK } from './wiki.ts';

interface DemoOptions {
  /** Null for 3000, or any free port if that is taken. */
  readonly port: number | null;
  /** Null for 3001, or any free port if that is taken. */
  readonly sandboxPort: number | null;
  /** Null for 3002, or any free port if that is taken. */
  readonly appPort: number | null;
}

export interface Demo {
  readonly facts: DemoFacts;
  /** Stops everything and removes its files. */
  close(): Promise<void>;
}

const GATEWAY_PORT = 3000;
const SANDBOX_PORT = 3001;
const APP_PORT = 3002;
const PARTNER = 'demo-portal';
/** The name of the portal on the gateway's pages. */
const PORTAL_NAME = 'Sample Portal';
/** The portal's colour, for the gateway's pages. */
const ACCENT_COLOR = '#0f766e';
/** People of the sandbox's world: few enough that answers are readable. */
const WORLD = 30;
const USER = 'ada';

/** Ways to connect that no service of `specs/` has to have. A service of `specs/` with the same name takes the place of a sample. */
const ADDED = [
  { connector: CALENDAR, document: CALENDAR_DESCRIPTOR },
  { connector: toSample(WIKI), document: WIKI_LOCK },
];

/** Time for open requests to end when the demo stops. */
const STOP_TIMEOUT_MS = 1_000;

/** Another program can take a port after it was chosen; then ports are chosen again. Another demo can take all three, one at a time. */
const ATTEMPTS = 5;

/** @throws {Error} if a requested port is taken. What has started by then is stopped. */
export async function startDemo(options: DemoOptions, attempts = ATTEMPTS): Promise<Demo> {
  const stopFunctions: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (let end = stopFunctions.pop(); end !== undefined; end = stopFunctions.pop()) await end();
  };
  try {
    return { facts: await start(options, stopFunctions), close };
  } catch (error) {
    await close();
    if (attempts > 1 && (error as NodeJS.ErrnoException).code === 'EADDRINUSE') return startDemo(options, attempts - 1);
    throw error;
  }
}

/** Functions that stop the parts that have started. The part that started last stops first. */
type StopFunctions = (() => Promise<void>)[];

async function start(options: DemoOptions, stopFunctions: StopFunctions): Promise<DemoFacts> {
  const port = await choosePort(options.port, GATEWAY_PORT, '--port');
  const sandboxPort = await choosePort(options.sandboxPort, SANDBOX_PORT, '--sandbox-port');
  const credential = `sandbox-${randomBytes(9).toString('base64url')}`;
  const adminSecret = randomBytes(18).toString('base64url');
  const samples = (await loadServices()).map(toSample);
  const added = ADDED.filter(({ connector }) => samples.every(({ name }) => name !== connector.name));
  const connectors = [...samples, ...added.map(({ connector }) => connector)];
  const reserved = [port.port, options.appPort ?? APP_PORT];
  const sandbox = await openSandbox({
    root: process.cwd(),
    port: sandboxPort.port,
    reserved,
    credential,
    added,
    world: WORLD,
  });
  stopFunctions.push(() => sandbox.close());
  // The sandbox uses the ports after its first for services with OAuth.
  const appPort = await choosePort(options.appPort, APP_PORT, '--app-port');
  const environment = Object.assign({}, ...Object.values(sandbox.environment));
  const rules = { CONSENT: 'need', APPROVALS: 'destroy,send,pay' };
  const settings = { PORT: String(port.port), ADMIN_SECRET: adminSecret, ...rules, ...environment };
  const { gateway, publicUrl, folder } = await startGateway(connectors, settings, stopFunctions);

  const appOrigin = `http://127.0.0.1:${appPort.port}`;
  const redirectUri = `${appOrigin}/services/connected`;
  const secret = await addPortal(gateway, appOrigin, redirectUri);
  const client = { clientId: PARTNER, clientSecret: secret };
  const api = createPartnerClient(publicUrl, client);
  await answerOf(api.PUT('/api/partner/branding', { body: { accent_color: ACCENT_COLOR } }));
  for (const { connector } of added.filter(({ connector: { credential } }) => needsUpstreamClient(credential))) {
    const body = { client_id: 'demo-gateway', client_secret: credential };
    const params = { path: { service: connector.name } };
    await answerOf(api.PUT('/api/partner/upstream-clients/{service}', { params, body }));
  }
  stopFunctions.push(
    await startPortal({
      port: appPort.port,
      gateway: { url: publicUrl, ...client },
      connectors,
      sandboxKey: credential,
      folder,
      log: createLog({ level: 'warn' }),
    }),
  );
  const connected = connectors.filter((connector) => !needsUpstreamClient(connector.credential));
  const { token, expiresAt } = await connectUser({
    origin: publicUrl,
    partner: { clientId: PARTNER, secret, redirectUri },
    user: USER,
    services: connected.map(({ name }) => name),
    credential,
  });
  return {
    url: publicUrl + MCP_PATH,
    token,
    tokenExpiresAt: expiresAt,
    dashboardUrl: publicUrl + ADMIN_PATH,
    adminSecret,
    sandboxOrigin: sandbox.origin,
    appOrigin,
    sandboxKey: credential,
    user: USER,
    partner: PARTNER,
    partnerSecret: secret,
    connectors: connected,
    notes: [
      ...noteMoved(port, GATEWAY_PORT, 'gateway'),
      ...noteMoved(sandboxPort, SANDBOX_PORT, 'sandbox'),
      ...noteMoved(appPort, APP_PORT, 'portal'),
      ...noteUnconnected(samples.filter((connector) => !connected.includes(connector))),
    ],
  };
}

function noteMoved({ port, isFallback }: ChosenPort, preferred: number, part: string): string[] {
  return isFallback ? [`Port ${preferred} is taken, so the ${part} listens on ${port}.`] : [];
}

function noteUnconnected(connectors: readonly Connector[]): string[] {
  const reason = 'its users sign in with OAuth 2.0, and the demo has no client for that';
  return connectors.map(({ name }) => `${name} is not connected: ${reason}.`);
}

/** Starts a gateway with its own database, which is removed when the gateway stops. */
export async function startGateway(
  connectors: readonly Connector[],
  settings: Readonly<Record<string, string>>,
  stopFunctions: StopFunctions,
): Promise<{ gateway: Gateway; publicUrl: string; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'unified-tool-gateway-demo-'));
  stopFunctions.push(() => rm(folder, { recursive: true, force: true }));
  const config = loadConfig({
    connectors,
    modules: loadModules(),
    env: {
      DATABASE_URL: `sqlite:${join(folder, 'gateway.sqlite')}`,
      ENCRYPTION_KEYS: `demo:${randomBytes(32).toString('base64')}`,
      LOG_LEVEL: 'warn',
      ...settings,
    },
  });
  const gateway = await createGateway({ config, connectors, log: createLog({ level: config.logLevel }) });
  stopFunctions.push(() => gateway.close());
  const server = createServer(gateway.handle);
  await listen(server, config.port, config.host);
  stopFunctions.push(async () => {
    gateway.beginStop();
    await closeServer(server, gateway);
  });
  return { gateway, publicUrl: config.publicUrl, folder };
}

/** Registers the portal as a partner. @returns its secret. */
async function addPortal({ store }: Gateway, origin: string, redirectUri: string): Promise<string> {
  const uris = { redirectUris: [redirectUri], connectUri: `${origin}/` };
  const partner = { clientId: PARTNER, name: PORTAL_NAME, logoText: 'P', plainLinks: false, ...uris };
  const { secret } = await store.db
    .transaction()
    .execute((transaction) => addPartner(transaction, partner, { now: Date.now() }));
  return secret;
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((done, reject) => {
    server.once('error', reject).listen(port, host, done);
  });
}

/** Waits for open requests to end, and aborts them after the time limit. */
function closeServer(server: Server, gateway: Gateway): Promise<void> {
  return new Promise((done) => {
    const cutOff = setTimeout(() => {
      void gateway.cutOff().finally(() => server.closeAllConnections());
    }, STOP_TIMEOUT_MS);
    server.close(() => {
      clearTimeout(cutOff);
      done();
    });
    server.closeIdleConnections();
  });
}

interface ChosenPort {
  readonly port: number;
  /** True: the preferred port was taken. */
  readonly isFallback: boolean;
}

const HOST = '127.0.0.1';

/**
 * Returns the requested port. Without a requested port, returns the preferred one, or any free port if that is taken.
 *
 * @throws {Error} if the requested port is taken.
 */
async function choosePort(requestedPort: number | null, preferred: number, option: string): Promise<ChosenPort> {
  if ((await listenOnce(requestedPort ?? preferred, HOST)) !== null)
    return { port: requestedPort ?? preferred, isFallback: false };
  const free = await (requestedPort === null ? listenOnce(0, HOST) : findFreePort(requestedPort + 1, HOST));
  if (free === null) throw new Error(`This machine has no free port on ${HOST}.`);
  if (requestedPort === null) return { port: free, isFallback: true };
  throw new Error(`Port ${requestedPort} is taken. Stop what uses it, or choose another: ${option} ${free}`);
}

/** Returns the connector with a help text about the sandbox instead of the real service. OAuth keeps its text. */
function toSample(connector: Connector): Connector {
  const { title, credential } = connector;
  const help =
    `This is a sample of ${title}, which runs on this machine: a key of your own account does not work here. ` +
    'Copy the API key from the page Services of the portal. The terminal that runs the demo shows it too.';
  const withHelp = <Kind extends Pick<CredentialKind, 'parts' | 'help' | 'url'>>(kind: Kind): Kind =>
    kind.parts.some(({ type }) => type === 'oauth2') ? kind : { ...kind, help, url: null };
  const demoCredential = { ...withHelp(credential), alternatives: credential.alternatives?.map(withHelp) };
  return { ...connector, credential: withoutUndefined(demoCredential) };
}
