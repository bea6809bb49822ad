/** A company's OpenID provider: a certified implementation (`oidc-provider`) on this machine, with the host name of another site. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

/** Claims about a person, in addition to `sub`. */
export type Person = Readonly<Record<string, unknown>>;

export interface OpenIdProvider {
  readonly issuer: string;
  /** By `sub`, which a person enters as login. */
  readonly people: Map<string, Person>;
  /** Starts answering, with one client that has this redirect URI. */
  serve(redirectUri: string): void;
  close(): Promise<void>;
}

export const OPENID_CLIENT = { id: 'tool-gateway', secret: 'the-secret-of-the-gateway-at-the-provider' };

export async function startOpenIdProvider(): Promise<OpenIdProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const people = new Map<string, Person>();
  return {
    issuer,
    people,
    serve(redirectUri) {
      const provider = new Provider(issuer, {
        clients: [{ client_id: OPENID_CLIENT.id, client_secret: OPENID_CLIENT.secret, redirect_uris: [redirectUri] }],
        claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['name'] },
        pkce: { required: () => true },
        cookies: { keys: ['a key of the test'] },
        findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ ...people.get(sub), sub }) }),
      });
      server.on('request', provider.callback());
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
