/**
 * An upstream whose OAuth 2.0 comes from an independent implementation (`oidc-provider`): short-lived access tokens, rotating
 * refresh tokens whose reuse revokes the grant, and an API.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import type { OAuth2Rules } from '../../server/contract/index.ts';
import { CookieBrowser } from './browser-with-cookies.ts';
import { oauth2Rules } from './oauth-rules.ts';

export interface UpstreamAuthorizationServer {
  /** Of the authorization server and of the API, which answers `GET /things` with the caller: `{ user, scopes }`. */
  readonly origin: string;
  /** The server's rules, as in a connector. They name another origin, which the test must replace with `origin`. */
  readonly rules: OAuth2Rules;
  /** Number of token grants, by grant type. */
  readonly granted: Readonly<Record<string, number>>;
  /** Number of revoked refresh tokens. */
  revoked(): number;
  /** Starts answering, with one client that has this redirect URI. */
  serve(redirectUri: string): void;
  /** Sets the lifetime of access tokens issued from now on. */
  setAccessTokenSeconds(seconds: number): void;
  /** Signs a person in and allows everything. @returns the address that the browser is redirected to. */
  allow(authorizationUrl: string, user: string): Promise<URL>;
  close(): Promise<void>;
}

export const UPSTREAM_CLIENT = { clientId: 'tool-gateway', clientSecret: 'the-secret-of-the-gateway-at-the-upstream' };
const ELSEWHERE = 'https://login.things.example';
export const UPSTREAM_SCOPES = ['things.read', 'things.write'];

export async function startUpstreamAuthorizationServer(): Promise<UpstreamAuthorizationServer> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const granted: Record<string, number> = {};
  let accessTokenSeconds = 3600;
  let revoked = 0;
  return {
    origin,
    rules: oauth2Rules(ELSEWHERE, {
      authorizationUrl: `${ELSEWHERE}/auth`,
      revocationUrl: `${ELSEWHERE}/token/revocation`,
      issuer: ELSEWHERE,
    }),
    granted,
    revoked: () => revoked,
    serve(redirectUri) {
      const provider = createProvider(origin, redirectUri, () => accessTokenSeconds);
      provider.on('grant.success', ({ oidc }) => {
        const type = String(oidc.params?.grant_type);
        granted[type] = (granted[type] ?? 0) + 1;
      });
      provider.on('refresh_token.destroyed', () => {
        revoked += 1;
      });
      const authorize = provider.callback();
      server.on('request', (request, response) => {
        if (request.url === '/things') void answerThings(provider, request, response);
        else authorize(request, response);
      });
    },
    setAccessTokenSeconds(seconds) {
      accessTokenSeconds = seconds;
    },
    async allow(authorizationUrl, user) {
      const browser = new CookieBrowser();
      const stopAt = new RegExp(`^(?!${origin})`);
      const login = await browser.open(authorizationUrl, { stopAt });
      const consent = await browser.submit(login, { login: user, password: 'any' }, { stopAt });
      return (await browser.submit(consent, {}, { stopAt })).url;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function createProvider(issuer: string, redirectUri: string, accessTokenSeconds: () => number): Provider {
  const { clientId, clientSecret } = UPSTREAM_CLIENT;
  return new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
        scope: [...UPSTREAM_SCOPES, 'offline_access'].join(' '),
      },
    ],
    scopes: [...UPSTREAM_SCOPES, 'offline_access'],
    features: { revocation: { enabled: true, allowedPolicy: () => true }, clientCredentials: { enabled: true } },
    pkce: { required: () => true },
    cookies: { keys: ['a key of the test'] },
    rotateRefreshToken: () => true,
    issueRefreshToken: () => Promise.resolve(true),
    expiresWithSession: () => Promise.resolve(false),
    ttl: {
      AccessToken: accessTokenSeconds,
      ClientCredentials: accessTokenSeconds,
      AuthorizationCode: 60,
      RefreshToken: 86_400,
      Interaction: 600,
      Session: 86_400,
      Grant: 86_400,
      IdToken: 600,
    },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  });
}

async function answerThings(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, value = ''] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
  const token = (await provider.AccessToken.find(value)) ?? (await provider.ClientCredentials.find(value));
  const user = token === undefined ? null : 'accountId' in token ? token.accountId : null;
  const scopes = token?.scope?.split(' ') ?? [];
  const status = token === undefined ? 401 : scopes.includes('things.read') ? 200 : 403;
  const challenge = status === 401 ? { 'www-authenticate': 'Bearer error="invalid_token"' } : {};
  response.writeHead(status, { 'content-type': 'application/json', ...challenge });
  response.end(JSON.stringify(status === 200 ? { user, scopes } : { error: { message: 'The token is not enough.' } }));
}
