import { Provider } from 'oidc-provider';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CookieBrowser } from '../../../support/browser-with-cookies.ts';
import { type McpUpstream, startMcpUpstream } from '../../../support/mcp-upstream.ts';
import { createProject, type Project, toolOf } from './support.ts';

const METADATA = '/.well-known/oauth-authorization-server';

let project: Project;
let upstream: McpUpstream;
let provider: Provider;
let visited: string[] = [];
let registers = true;
let knowsDocuments = false;

beforeEach(async () => {
  visited = [];
  registers = true;
  knowsDocuments = false;
  upstream = await startMcpUpstream([toolOf('add_note')], async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', upstream.origin);
    if (pathname === '/mcp') {
      const token = request.headers.authorization?.replace('Bearer ', '');
      if (token !== undefined && (await provider.AccessToken.find(token)) !== undefined) return false;
      const metadata = `${upstream.origin}/.well-known/oauth-protected-resource/mcp`;
      response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end();
    } else if (pathname === '/.well-known/oauth-protected-resource/mcp') {
      const document = {
        resource: upstream.url,
        authorization_servers: [upstream.origin],
        scopes_supported: ['notes.read'],
      };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
    } else if (pathname === METADATA && knowsDocuments) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(withDocuments()));
    } else {
      if (pathname === METADATA) request.url = '/.well-known/openid-configuration';
      if (pathname === '/reg' && !registers) response.writeHead(403).end();
      else provider.callback()(request, response);
    }
    return true;
  });
  provider = new Provider(upstream.origin, {
    features: {
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, resource) => ({
          audience: resource,
          scope: 'notes.read',
          accessTokenFormat: 'opaque',
        }),
      },
    },
    scopes: ['notes.read'],
    clients: [
      {
        client_id: 'reviewed',
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        redirect_uris: ['http://127.0.0.1/callback'],
      },
    ],
    pkce: { required: () => true },
    cookies: { keys: ['a key of the test'] },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  });
});
afterEach(async () => {
  await upstream.close();
  await project.remove();
});

const withDocuments = () => ({
  issuer: upstream.origin,
  authorization_endpoint: `${upstream.origin}/auth`,
  token_endpoint: `${upstream.origin}/token`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
  client_id_metadata_document_supported: true,
});

function deny(url: string): void {
  visited.push(url);
  const { searchParams } = new URL(url);
  const callback = new URL(searchParams.get('redirect_uri') ?? '');
  callback.search = `${new URLSearchParams({ error: 'access_denied', state: searchParams.get('state') ?? '' })}`;
  void fetch(callback);
}

async function signIn(url: string): Promise<void> {
  visited.push(url);
  const browser = new CookieBrowser();
  const login = await browser.open(url, { stopAt: /\/callback/ });
  const consent = await browser.submit(login, { login: 'ada', password: 'any' }, { stopAt: /\/callback/ });
  const { url: callback } = await browser.submit(consent, {}, { stopAt: /\/callback/ });
  const forged = new URL(callback);
  forged.searchParams.set('state', 'another');
  expect((await fetch(forged)).status).toBe(400);
  expect((await fetch(callback)).status).toBe(200);
}

test('a person signs in at the authorization server of an MCP server', async () => {
  project = await createProject((url) => void signIn(url));
  const { code, out, err } = await project.add(upstream.url);
  expect([code, err]).toEqual([0, expect.stringContaining('Sign in here, if no browser opens:')]);
  expect(out).toContain('acme-notes: 1 tool.');
  const { searchParams } = new URL(visited[0] ?? '');
  expect(searchParams.get('code_challenge_method')).toBe('S256');
  expect(searchParams.get('resource')).toBe(upstream.url);
  expect(new URL(searchParams.get('redirect_uri') ?? '').hostname).toBe('127.0.0.1');
});

test('a client that is registered already is used', async () => {
  project = await createProject((url) => void signIn(url));
  expect((await project.add(upstream.url, '--client-id', 'reviewed')).code).toBe(0);
  expect(new URL(visited[0] ?? '').searchParams.get('client_id')).toBe('reviewed');
});

test('a client metadata document is the id of the client', async () => {
  project = await createProject(deny);
  knowsDocuments = true;
  await project.add(upstream.url, '--client-id', 'https://gateway.example.com/client.json');
  expect(new URL(visited[0] ?? '').searchParams.get('client_id')).toBe('https://gateway.example.com/client.json');
});

test('a server that takes no new clients names the way out', async () => {
  project = await createProject();
  registers = false;
  const { code, err } = await project.add(upstream.url);
  expect([code, err]).toEqual([2, expect.stringMatching(/Signing in at .* failed: .*--client-id/s)]);
});

test('a sign-in that is refused adds nothing', async () => {
  project = await createProject(deny);
  const { code, err } = await project.add(upstream.url);
  expect([code, err]).toEqual([2, expect.stringContaining('Signing in at')]);
  expect(await project.isEmpty()).toBe(true);
});
