/** A company's OpenID provider: a certified implementation (`oidc-provider`) on this machine, under a name that is another site. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

/** What the provider knows of a person, besides `sub`. */
export type Person = Readonly<Record<string, unknown>>;

export interface OpenIdProvider {
  readonly issuer: string;
  /** By `sub`, which is what a person types as login. */
  readonly people: Map<string, Person>;
  /** From now on answers, with one client of this redirect URI. */
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
