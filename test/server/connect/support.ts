/** A whole gateway with hand-made connectors, an upstream that knows one key, and the steps of the connect flow. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach } from 'vitest';
import { createLog } from '../../../server/base/http/log.ts';
import type { Store } from '../../../server/base/store/index.ts';
import type { PartnerSettings } from '../../../server/base/store/repositories/partners.ts';
import type { Connector, CredentialPart } from '../../../server/contract/index.ts';
import { createGateway, type Gateway } from '../../../server/gateway.ts';
import { MCP_PATH } from '../../../server/gateway-paths.ts';
import { addPartner } from '../../../server/identity/partners/manage.ts';
import { loadConfig } from '../../../server/index.ts';
import { fakeConnector, fakeTool } from '../../support/fake-connector.ts';
import { keyBytes } from '../../support/keys.ts';
import { RECORDING } from '../../support/listening.ts';
import { describeDatabase, type StoreUnderTest } from '../base/store/dialects.ts';

export const OPERATOR_SECRET = 'the-secret-of-the-operator';
export const REDIRECT_URI = 'https://acme.example/back';
export const KEYS = { k1: keyBytes(1).toString('base64'), k2: keyBytes(2).toString('base64') };

/** An answer, read; `body` is parsed where it is JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the tests inspect raw answers
  readonly body: any;
  readonly text: string;
}

/** A browser without a screen. */
export interface Visitor {
  cookie: string | null;
  pageState: string;
  open(service: string, parameters?: Parameters, headers?: Record<string, string>): Promise<Answer>;
  submit(service: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Answer>;
}

export type Parameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The fixtures of a test; fresh for each test. */
export interface ConnectUnderTest {
  readonly dialect: StoreUnderTest['dialect'];
  store: Store;
  databaseUrl: string;
  origin: string;
  /** Milliseconds since 1970, as the gateway sees it. */
  now: number;
  readonly lines: string[];
  partnerId: string;
  secret: string;
  /** Keys that the upstream accepts. */
  readonly accepted: Set<string>;
  /** Whose the keys are at `club`. */
  readonly members: Map<string, { email?: string; team?: string }>;
  /** Path and key of every request that the upstream got. */
  readonly asked: string[];
  /** The upstream's answer to every request, in place of checking the key. */
  broken: { status: number; body: string } | null;
  visitor(): Visitor;
  send(path: string, init?: RequestInit): Promise<Answer>;
  token(parameters: Parameters, headers?: Record<string, string>): Promise<Answer>;
  /** Runs the flow up to the code; a sole account of another identity is replaced. */
  connect(service: string, user: string, fields: Record<string, string>): Promise<string>;
  /** Runs the whole flow as `acme`. */
  connected(service: string, user: string, fields: Record<string, string>): Promise<Answer>;
  call(accessToken: string, tool: string, args?: object): Promise<Answer>;
  tools(accessToken: string): Promise<string[]>;
  add(clientId: string, settings?: Partial<PartnerSettings>): Promise<{ id: string; secret: string }>;
}

const read = fakeTool({ name: 'library_list', path: '/things' });

export function connectorNamed(name: string, parts: readonly CredentialPart[], changes: Partial<Connector> = {}) {
  const tool = { ...read, name: `${name}_list` };
  const connector = fakeConnector({ name, title: `The ${name}`, tools: [tool], parts });
  return {
    ...connector,
    credential: { parts, help: 'Open the settings <there>.', url: 'https://keys.example/settings?a=1&b=2' },
    verify: { tool: tool.name, arguments: {} },
    ...changes,
  };
}

/** One secret in two places: the path of the verifying call, and the body of another. */
function inPathAndBody(name: string): Connector {
  const parts: CredentialPart[] = [
    { id: 'token', type: 'path', label: 'Bot token', name: 'token' },
    { id: 'token', type: 'body', label: 'Bot token', name: 'key' },
  ];
  const request = { path: { token: { credential: 'token' } } };
  const tool = {
    ...fakeTool({ name: `${name}_list`, path: '/bot{token}/things', request }),
    inputSchema: read.inputSchema,
  };
  return { ...connectorNamed(name, parts), tools: [tool] };
}

/** A service that says whose credential it is. */
function club(): Connector {
  const me = fakeTool({ name: 'club_me', path: '/me' });
  const connector = connectorNamed('club', [{ id: 'key', type: 'header', label: 'API key', name: 'x-key' }]);
  const account = { tool: me.name, arguments: {}, name: ['/email', '/team'] };
  return { ...connector, tools: [...connector.tools, me], account };
}

/** A service with a place of its own for each workspace. */
function office(): Connector {
  const parts: CredentialPart[] = [
    { id: 'tenant', type: 'server', label: 'Workspace', name: 'tenant', isPublic: true, pattern: '[a-z0-9-]{1,20}' },
    { id: 'key', type: 'header', label: 'API key', name: 'x-key' },
  ];
  const connector = connectorNamed('office', parts);
  const url = '{library_base_url}/{tenant}';
  const tenant = { name: 'tenant', env: 'OFFICE_TENANT', default: '', derive: null, asked: true as const };
  const variables = [...(connector.servers[0]?.variables ?? []), tenant];
  const tools = connector.tools.map((tool) => ({ ...tool, operation: { ...tool.operation, server: url } }));
  return { ...connector, servers: [{ url, variables }], tools };
}

/** A service of which one tool needs a second key, in the place of the first. */
function vault(): Connector {
  const parts: CredentialPart[] = [{ id: 'key', type: 'header', label: 'API key', name: 'x-key' }];
  const admin: CredentialPart = { id: 'admin', type: 'header', label: 'Admin key', name: 'X-Key' };
  const connector = connectorNamed('vault', parts);
  const log = { ...fakeTool({ name: 'vault_log', path: '/log' }), extra: 'Admin key' };
  const extras = [{ label: 'Admin key', parts: [admin], help: 'Ask the owner.', url: null }];
  return { ...connector, credential: { ...connector.credential, extras }, tools: [...connector.tools, log] };
}

/** A service with a place for each workspace, of which one tool needs a second key, which is verified. */
function safe(): Connector {
  const connector = { ...office(), name: 'safe', title: 'The safe' };
  const [read] = connector.tools;
  if (read === undefined) throw new Error('the office has a tool');
  const named = (name: string) => ({ ...read, name: `safe_${name}` });
  const log = { ...named('log'), operation: { ...read.operation, path: '/log' }, extra: 'Admin key' };
  const admin: CredentialPart = { id: 'admin', type: 'header', label: 'Admin key', name: 'X-Key' };
  const verify = { tool: 'safe_log', arguments: {} };
  const extras = [{ label: 'Admin key', parts: [admin], help: '', url: null, verify }];
  return {
    ...connector,
    credential: { ...connector.credential, extras },
    verify: { tool: 'safe_list', arguments: {} },
    tools: [named('list'), log],
  };
}

export const CONNECTORS: readonly Connector[] = [
  connectorNamed('library', [{ id: 'key', type: 'header', label: 'API key', name: 'x-key' }]),
  connectorNamed('pair', [
    { id: 'key', type: 'header', label: 'Key', name: 'x-key' },
    { id: 'other', type: 'header', label: 'Other key', name: 'x-other' },
  ]),
  inPathAndBody('bot'),
  connectorNamed('desk', [{ id: 'login', type: 'basic', label: 'Account' }]),
  connectorNamed('open', []),
  club(),
  office(),
  vault(),
  safe(),
  connectorNamed('silent', [{ id: 'key', type: 'header', label: 'API key', name: 'x-key' }], { verify: null }),
];

/** Defines the suite once per dialect. */
export function describeConnect(title: string, define: (given: ConnectUnderTest) => void): void {
  describeDatabase(title, (stored) => {
    const given = {
      lines: [],
      asked: [],
      accepted: new Set(),
      members: new Map(),
      dialect: stored.dialect,
    } as unknown as ConnectUnderTest;
    let servers: Server[] = [];
    let gateway: Gateway;
    beforeEach(async () => {
      given.now = 1_700_000_000_000;
      given.lines.length = 0;
      given.accepted.clear();
      given.members.clear();
      given.asked.length = 0;
      given.accepted.add('good-key-1');
      given.broken = null;
      given.databaseUrl = stored.url;
      const upstream = await listen(createServer((request, response) => answerUpstream(given, request, response)));
      const server = createServer();
      servers = [upstream.server, server];
      given.origin = (await listen(server)).origin;
      const config = loadConfig({
        modules: RECORDING,
        connectors: CONNECTORS,
        env: {
          PUBLIC_URL: given.origin,
          REFRESH_HOLD_MS: '0',
          DATABASE_URL: stored.url,
          ENCRYPTION_KEYS: `k1:${KEYS.k1}`,
          LIBRARY_BASE_URL: upstream.origin,
          ADMIN_SECRET: OPERATOR_SECRET,
        },
      });
      const log = createLog({ level: 'trace', destination: { write: (line) => given.lines.push(line) } });
      gateway = await createGateway({ config, connectors: CONNECTORS, log, now: () => given.now, recordsEveryMs: 20 });
      server.on('request', gateway.handle);
      given.store = gateway.store;
      const { id, secret } = await given.add('acme', {
        redirectUris: [REDIRECT_URI],
        connectUri: 'https://acme.example/connections?from=gateway',
      });
      Object.assign(given, { partnerId: id, secret });
    });
    afterEach(async () => {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
      await gateway.close();
    });
    addSteps(given);
    define(given);
  });
}

/** The request of a connect flow that passes every rule. */
export function requestOf(changes: Parameters = {}): Parameters {
  return { client_id: 'acme', user_id: 'alice', redirect_uri: REDIRECT_URI, state: 'state-1', ...changes };
}

/** Whether the page asks what becomes of the accounts that are connected already. */
export function asksForAccount({ text }: Answer): boolean {
  return text.includes('name="account_name"');
}

/** The parameters that an answer sends to the partner. */
export function locationOf(answer: Answer): { to: string; parameters: Record<string, string> } {
  const location = new URL(answer.headers.get('Location') ?? 'about:blank');
  return { to: location.href.replace(/\?.*$/, ''), parameters: Object.fromEntries(location.searchParams) };
}

function addSteps(given: ConnectUnderTest): void {
  given.add = async (clientId, settings = {}) => {
    const event = { now: given.now };
    const { partner, secret } = await given.store.db
      .transaction()
      .execute((transaction) => addPartner(transaction, { clientId, name: 'Acme & Sons', ...settings }, event));
    return { id: partner.id, secret };
  };
  given.send = async (path, init) => readAnswer(await fetch(given.origin + path, { redirect: 'manual', ...init }));
  given.token = (parameters, headers = {}) => {
    const whole = { client_id: 'acme', client_secret: given.secret, ...parameters };
    return given.send('/api/oauth/token', { method: 'POST', headers, body: toForm(whole) });
  };
  given.visitor = () => createVisitor(given);
  given.connect = async (service, user, fields) => {
    const visitor = given.visitor();
    await visitor.open(service, requestOf({ user_id: user }));
    let answer = await visitor.submit(service, { decision: 'connect', ...fields });
    if (asksForAccount(answer)) answer = await visitor.submit(service, { decision: 'account', account: 'sole' });
    return locationOf(answer).parameters.code!;
  };
  given.connected = async (service, user, fields) => {
    const code = await given.connect(service, user, fields);
    return given.token({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, user_id: user });
  };
  given.call = (accessToken, name, args = {}) => post(given, accessToken, 'tools/call', { name, arguments: args });
  given.tools = async (accessToken) => {
    const { body } = await post(given, accessToken, 'tools/list', {});
    return body.result.tools.map((tool: { name: string }) => tool.name);
  };
}

function post(given: ConnectUnderTest, accessToken: string, method: string, params: object): Promise<Answer> {
  return given.send(MCP_PATH, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${accessToken}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
}

function createVisitor(given: ConnectUnderTest): Visitor {
  const receive = (answer: Answer): Answer => {
    const [cookie] = answer.headers.getSetCookie();
    if (cookie !== undefined) visitor.cookie = cookie.split(';')[0]!;
    visitor.pageState = /name="page_state" value="([^"]*)"/.exec(answer.text)?.[1] ?? visitor.pageState;
    return answer;
  };
  const cookies = (): Record<string, string> => (visitor.cookie === null ? {} : { Cookie: visitor.cookie });
  const visitor: Visitor = {
    cookie: null,
    pageState: '',
    open: async (service, parameters = requestOf(), headers = {}) =>
      receive(await given.send(`/connect/${service}?${toForm(parameters)}`, { headers: { ...cookies(), ...headers } })),
    submit: async (service, fields, headers = {}) =>
      receive(
        await given.send(`/connect/${service}`, {
          method: 'POST',
          headers: { ...cookies(), ...headers },
          body: new URLSearchParams({ page_state: visitor.pageState, ...fields }),
        }),
      ),
  };
  return visitor;
}

export function toForm(parameters: Parameters): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const each of typeof value === 'string' ? [value] : (value ?? [])) form.append(name, each);
  }
  return form;
}

async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json') === true;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text, text };
}

async function listen(server: Server): Promise<{ server: Server; origin: string }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function answerUpstream(given: ConnectUnderTest, request: IncomingMessage, response: ServerResponse): void {
  const basic = Buffer.from((request.headers.authorization ?? '').replace(/^Basic /, ''), 'base64').toString();
  const inPath = /^\/bot([^/]+)\//.exec(request.url ?? '')?.[1];
  const sent = String(request.headers['x-key'] ?? inPath ?? basic);
  response.setHeader('Content-Type', 'application/json');
  given.asked.push(`${request.url} ${sent}`);
  if (given.broken !== null) {
    response.statusCode = given.broken.status;
    response.end(given.broken.body);
    return;
  }
  const isOpen = sent === '';
  if (request.url === '/me') {
    response.end(JSON.stringify(given.members.get(sent) ?? {}));
    return;
  }
  response.statusCode = isOpen || given.accepted.has(sent) ? 200 : 401;
  response.end(
    response.statusCode === 200
      ? '{"things":[]}'
      : JSON.stringify({ message: `No such key: ${sent}. <b>Look</b> into the settings.` }),
  );
}
