/** A company's OpenID provider for the portal: a certified implementation (`oidc-provider`) on this machine, with the host name of another site. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';
import type { ProviderSettings } from '../../packages/portal/config.ts';

const CLIENT = { id: 'portal', secret: 'the-secret-of-the-portal-at-the-provider' };
export const PROVIDER_CLIENT_ID = CLIENT.id;

/** Claims about a person in addition to `sub`, or by the place where the provider sends them. */
export type Claims = Readonly<Record<string, unknown>>;

export interface CompanyProvider {
  readonly issuer: string;
  /** By `sub`, which a person enters as login. A person who is removed is disabled. */
  readonly people: Map<string, Claims>;
  /** By `sub`, claims that UserInfo has in their place. */
  readonly userInfo: Map<string, Claims>;
  /** False: it breaks off every request. */
  isUp: boolean;
  /** True: it handles requests to the token endpoint, but breaks off their answers. */
  losesTokenAnswers: boolean;
  /** Requests to the token endpoint. */
  tokenRequests: number;
  /** Signs a logout token. Members of `changes` replace its claims; undefined ones are left out. */
  signLogout(changes?: JWTPayload, typ?: string): Promise<string>;
  serve(portals: readonly string[]): void;
  close(): Promise<void>;
}

export async function startCompanyProvider(): Promise<CompanyProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), kid: 'company', alg: 'RS256', use: 'sig' };
  const company: CompanyProvider = {
    issuer,
    people: new Map(),
    userInfo: new Map(),
    isUp: true,
    losesTokenAnswers: false,
    tokenRequests: 0,
    signLogout(changes = {}, typ = 'logout+jwt') {
      const now = Math.floor(Date.now() / 1000);
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
      const claims = {
        iss: issuer,
        aud: CLIENT.id,
        iat: now,
        exp: now + 120,
        jti: `${Math.random()}`,
        events,
        ...changes,
      };
      return new SignJWT(JSON.parse(JSON.stringify(claims)))
        .setProtectedHeader({ alg: 'RS256', kid: 'company', typ })
        .sign(privateKey);
    },
    serve(portals) {
      const provider = new Provider(issuer, {
        clients: [
          {
            client_id: CLIENT.id,
            client_secret: CLIENT.secret,
            grant_types: ['authorization_code', 'refresh_token'],
            redirect_uris: portals.map((portal) => `${portal}/sign-in/callback`),
            post_logout_redirect_uris: portals.map((portal) => `${portal}/signed-out`),
          },
        ],
        jwks: { keys: [jwk] },
        claims: { openid: ['sub', 'groups'], profile: ['name'], email: ['email', 'email_verified'] },
        conformIdTokenClaims: false,
        issueRefreshToken: () => true,
        rotateRefreshToken: true,
        pkce: { required: () => true },
        cookies: { keys: ['a key of the test'] },
        findAccount(_ctx, sub) {
          const claims = company.people.get(sub);
          if (claims === undefined) return undefined;
          return {
            accountId: sub,
            claims: (use) => ({ ...claims, ...(use === 'userinfo' ? company.userInfo.get(sub) : {}), sub }),
          };
        },
      });
      const answer = provider.callback();
      server.on('request', (request, response) => {
        if (!company.isUp) return void request.socket.destroy();
        if (request.url?.startsWith('/token')) {
          company.tokenRequests += 1;
          if (company.losesTokenAnswers) response.end = () => response.destroy();
        }
        void answer(request, response);
      });
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return company;
}

export function providerOf({ issuer }: CompanyProvider): ProviderSettings {
  const scope = 'openid profile email';
  return { issuer, clientId: CLIENT.id, clientSecret: CLIENT.secret, scope, userClaim: 'sub', groupsClaim: 'groups' };
}
