/** Creates users of the sandbox's `retrieval` and calls tools over plain HTTP, for tests that start gateways as processes. */

import { resolve } from 'node:path';
import { openSandbox } from '../../sandbox/index.ts';
import { seedUser } from '../../scripts/demo/seed.ts';
import { SCOPES } from '../../server/base/principal/permission.ts';
import type { Store } from '../../server/base/store/index.ts';
import { findUsersByExternalId } from '../../server/base/store/repositories/users.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { MCP_PATH } from '../../server/gateway-paths.ts';
import { issueAccessToken } from '../../server/identity/grants/access-token.ts';
import { SHARED_PUBLIC_URL } from './gateway-processes.ts';
import { keyBytes, ringText } from './keys.ts';
import { READING_CALL } from './oauth-gateway.ts';
import { vaultBeside } from './vault-beside.ts';

/** The only secret that the sandbox accepts. */
export const UPSTREAM_SECRET = 'sandbox-key';

/** The encryption keys of every process in a test. */
export const ENCRYPTION_KEYS = ringText('test', 1);
export const RING = [{ id: 'test', key: keyBytes(1) }] as const;

export interface Upstream {
  /** Environment variables that point a gateway at the upstream. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export async function startUpstream(): Promise<Upstream> {
  const root = resolve(import.meta.dirname, '../..');
  const sandbox = await openSandbox({ root, services: ['retrieval'], credential: UPSTREAM_SECRET });
  return { environment: sandbox.environment.retrieval ?? {}, close: () => sandbox.close() };
}

/** Connects a user of the partner `acme`. @returns an access token. */
export async function seedCaller(store: Store, user: string): Promise<string> {
  const connectors = (await loadConnectors()).filter(({ name }) => name === 'retrieval');
  const { token } = await seedUser({
    store,
    vault: await vaultBeside(store, RING),
    partner: 'acme',
    user,
    connectors,
    secretOf: () => UPSTREAM_SECRET,
    resource: SHARED_PUBLIC_URL + MCP_PATH,
    now: Date.now(),
  });
  return token;
}

/** @returns an access token of an existing user. */
export async function mintFor(store: Store, name: string): Promise<string> {
  const { db } = store;
  await vaultBeside(store, RING);
  const [user] = await findUsersByExternalId(db, name);
  if (user === undefined) throw new Error(`there is no user ${name}`);
  const resource = SHARED_PUBLIC_URL + MCP_PATH;
  const grant = { userId: user.id, scopes: SCOPES, services: null, resource, now: Date.now() };
  return (await issueAccessToken(db, grant)).token;
}

/** Calls a tool. @returns `ok`, the text of a failed result, or the HTTP status if it is not 200. */
export async function callOnce(origin: string, token: string): Promise<string> {
  const response = await fetch(origin + MCP_PATH, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: READING_CALL }),
  });
  const text = await response.text();
  if (response.status !== 200) return String(response.status);
  const { result } = JSON.parse(text) as { result?: { isError?: boolean; content: readonly { text: string }[] } };
  return result !== undefined && result.isError !== true ? 'ok' : text;
}
