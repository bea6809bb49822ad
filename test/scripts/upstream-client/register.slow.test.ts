import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { obtainClient } from '../../../scripts/upstream-client/register.ts';
import { createOutgoing, type Outgoing } from '../../../server/base/guarded-fetch/outgoing.ts';
import { type Host, startHost } from '../../server/call/upstream/support.ts';
import { fakeConnector } from '../../support/fake-connector.ts';
import { oauth2Part } from '../../support/oauth-rules.ts';

const PUBLIC_URL = 'https://gateway.example';
const RESOURCE = '/.well-known/oauth-protected-resource/mcp';
const METADATA = '/.well-known/oauth-authorization-server';

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

let host: Host;
let outgoing: Outgoing;
let registrations: Record<string, unknown>[] = [];
let resource: Record<string, unknown>;
let metadata: Record<string, unknown>;
let registered: Answer;

beforeEach(async () => {
  registrations = [];
  host = await startHost(async (request, response) => {
    const answers: Record<string, () => Answer> = {
      [RESOURCE]: () => ({ body: resource }),
      [METADATA]: () => ({ body: metadata }),
      '/register': () => registered,
    };
    if (request.url === '/register') registrations.push(JSON.parse(await text(request)));
    const { status = 200, headers = {}, body } = answers[request.url ?? '']?.() ?? { status: 404 };
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body ?? {}));
  });
  outgoing = createOutgoing({ networks: ['127.0.0.1/32'] });
  resource = { resource: `${host.origin}/mcp`, authorization_servers: [host.origin] };
  metadata = {
    issuer: host.origin,
    authorization_endpoint: `${host.origin}/authorize`,
    token_endpoint: `${host.origin}/token`,
    registration_endpoint: `${host.origin}/register`,
    response_types_supported: ['code'],
  };
  registered = { status: 201, body: { client_id: 'issued', client_secret: 'a secret', client_secret_expires_at: 0 } };
});
afterEach(async () => {
  await outgoing.close();
  await host.close();
});

const obtain = (changes: Parameters<typeof oauth2Part>[1] = {}, publicUrl = PUBLIC_URL) => {
  const connector = fakeConnector({ name: 'notes', tools: [], parts: [oauth2Part(host.origin, changes)] });
  return obtainClient({ connector, mcpAddress: `${host.origin}/mcp`, publicUrl }, outgoing);
};

test('a client is registered with the redirect URI of the service', async () => {
  registered = {
    status: 201,
    body: { client_id: 'issued', client_secret: 's', client_secret_expires_at: 1_900_000_000 },
  };
  expect(await obtain()).toEqual({
    registrationUrl: `${host.origin}/register`,
    clientId: 'issued',
    clientSecret: 's',
    secretExpiresAt: 1_900_000_000_000,
  });
  expect(registrations).toEqual([
    {
      client_name: 'Unified Tool Gateway',
      client_uri: PUBLIC_URL,
      redirect_uris: [`${PUBLIC_URL}/connect/notes/callback`],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_basic',
      application_type: 'web',
    },
  ]);
});

test('a public client has no secret, also if the server sends one', async () => {
  expect(await obtain({ clientAuthentication: 'none' })).toMatchObject({ clientSecret: null, secretExpiresAt: null });
});

describe('an authorization server that reads client metadata documents', () => {
  beforeEach(() => {
    metadata.client_id_metadata_document_supported = true;
  });

  test('gets the address of the document, and no registration', async () => {
    expect(await obtain()).toEqual({ clientId: `${PUBLIC_URL}/connect/client-metadata.json`, clientSecret: null });
    expect(registrations).toEqual([]);
  });

  test.each([
    ['takes no public clients', { token_endpoint_auth_methods_supported: ['client_secret_basic'] }, PUBLIC_URL],
    ['cannot reach the gateway', {}, 'http://127.0.0.1:3000'],
  ])('and %s gets a registration', async (_title, members, publicUrl) => {
    Object.assign(metadata, members);
    expect(await obtain({}, publicUrl)).toMatchObject({ clientId: 'issued' });
  });
});

describe('nothing is registered where the metadata', () => {
  test.each<[string, () => void, string]>([
    ['are of another resource', () => (resource.resource = 'https://other.example/mcp'), 'of another resource'],
    ['name another issuer', () => (metadata.issuer = 'https://other.example'), 'name another issuer'],
    [
      'name another token endpoint than was reviewed',
      () => (metadata.token_endpoint = `${host.origin}/other`),
      'names other endpoints than specs/notes/connector.yaml',
    ],
    [
      'name another authorization endpoint than was reviewed',
      () => (metadata.authorization_endpoint = 'https://other.example/authorize'),
      'names other endpoints than specs/notes/connector.yaml',
    ],
    ['have no registration endpoint', () => delete metadata.registration_endpoint, 'registers no clients'],
    [
      'send registrations to another server',
      () => (metadata.registration_endpoint = 'http://169.254.169.254/register'),
      'is at another server than its other endpoints: http://169.254.169.254/register',
    ],
    ['are larger than any', () => (metadata.x = 'x'.repeat(300_000)), 'cannot be read'],
  ])('%s', async (_title, change, message) => {
    change();
    await expect(obtain()).rejects.toThrow(message);
    expect(registrations).toEqual([]);
  });
});

describe('a registration is refused whose answer', () => {
  test.each<[string, Answer, string]>([
    ['is an error', { status: 400, body: { error: 'invalid_redirect_uri' } }, 'answered with 400 invalid_redirect_uri'],
    ['speaks to a terminal', { status: 400, body: { error: '\u001b[2J' } }, 'answered with 400. Register'],
    ['is a redirect', { status: 307, headers: { location: '/elsewhere' } }, 'answered with 307'],
    ['has no client', { body: {} }, 'is no client'],
    ['has an id with a line break', { body: { client_id: 'a\nb', client_secret: 's' } }, 'is no client'],
    ['lacks the secret', { body: { client_id: 'a' } }, 'cannot authenticate with client_secret_basic'],
    [
      'changes how the client authenticates',
      { body: { client_id: 'a', client_secret: 's', token_endpoint_auth_method: 'client_secret_post' } },
      'cannot authenticate with client_secret_basic',
    ],
    [
      'changes the redirect URI',
      { body: { client_id: 'a', client_secret: 's', redirect_uris: ['https://evil.example/'] } },
      'has another redirect URI',
    ],
    [
      'is larger than any',
      { body: { client_id: 'a', client_secret: 's', x: 'x'.repeat(70_000) } },
      'no answer that can be used',
    ],
  ])('%s', async (_title, answer, message) => {
    registered = answer;
    await expect(obtain()).rejects.toThrow(message);
  });
});

describe('discovery reaches no address that the gateway may not reach', () => {
  test.each<[string, (port: number) => void]>([
    ['by the list of authorization servers', (port) => (resource.authorization_servers = [`http://127.0.0.2:${port}`])],
    ['by a name that resolves there', (port) => (resource.authorization_servers = [`http://rebound.example:${port}`])],
  ])('%s', async (_title, change) => {
    let hits = 0;
    const server = createServer((_, response) => {
      hits += 1;
      response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.2', resolve));
    const { port } = server.address() as { port: number };
    outgoing = createOutgoing({
      networks: ['127.0.0.1/32'],
      resolve: async () => [{ address: '127.0.0.2', family: 4 }],
    });
    change(port);
    await expect(obtain()).rejects.toThrow('cannot be read');
    expect([hits, registrations]).toEqual([0, []]);
    server.close();
  });
});
