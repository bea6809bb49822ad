/** Signed-in sessions of both official SDK clients, with access tokens that can be made to expire. */

import { Client as V2Client, StreamableHTTPClientTransport as V2Transport } from '@modelcontextprotocol/client';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { SCOPES } from '../../../../server/base/principal/permission.ts';
import type { Store } from '../../../../server/base/store/index.ts';
import { findGrant, insertGrant } from '../../../../server/base/store/repositories/oauth-grants.ts';
import { issueTokens, type TokenResponse } from '../../../../server/identity/grants/issue-tokens.ts';
import { ARGUMENTS, TOOL_NAME } from '../gateway/call.ts';

/** The measured official clients. */
export const CLIENTS = ['v1', 'v2'] as const;

/** One signed-in client. */
export interface Session {
  /** Makes its access token expire. */
  expire(): Promise<void>;
  /** Calls a tool. @returns false if the call fails. */
  call(): Promise<boolean>;
  /** True if the client dropped its tokens or asked its user to sign in again. */
  isLost(): boolean;
  close(): Promise<void>;
}

/** The response to a registration. */
export type Registered = { readonly client_id: string } & Readonly<Record<string, unknown>>;

/** The options of a new session. */
interface SessionOptions {
  readonly client: (typeof CLIENTS)[number];
  readonly registered: Registered;
  readonly store: Store;
  /** URL of the MCP endpoint; also the resource indicator. */
  readonly endpoint: string;
  /** Row id. */
  readonly userId: string;
}

const REDIRECT_URI = 'http://127.0.0.1:7000/callback';
const CALL = { name: TOOL_NAME, arguments: ARGUMENTS };

/** Gives a client a grant and tokens, and connects the client. */
export async function openSession({ client, registered, store, endpoint, userId }: SessionOptions): Promise<Session> {
  const { grantId, tokens } = await grant(store, { clientId: registered.client_id, userId, resource: endpoint });
  const issuer = new URL(endpoint).origin;
  const memory = createMemory({ ...registered, issuer }, { ...tokens, issuer });
  const connected = client === 'v1' ? await connectV1(endpoint, memory) : await connectV2(endpoint, memory);
  return {
    async expire() {
      await store.db.updateTable('access_tokens').set({ expires_at: 1 }).where('grant_id', '=', grantId).execute();
    },
    async call() {
      try {
        return (await connected.callTool(CALL)).isError !== true;
      } catch {
        return false;
      }
    },
    isLost: () => memory.tokens() === undefined || memory.isSentAway(),
    close: () => connected.close(),
  };
}

/** Registers one client for all sessions, because registrations are limited per minute. */
export async function registerClient(endpoint: string): Promise<Registered> {
  const answer = await fetch(new URL('/api/mcp/oauth/register', endpoint), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' }),
  });
  if (answer.status !== 201) throw new Error(`the registration was answered with ${answer.status}`);
  return (await answer.json()) as Registered;
}

async function grant(
  { db }: Store,
  given: { clientId: string; userId: string; resource: string },
): Promise<{ grantId: string; tokens: TokenResponse }> {
  const now = Date.now();
  return db.transaction().execute(async (transaction) => {
    const grantId = await insertGrant(transaction, { ...given, scopes: SCOPES, services: null, now, expiresAt: now });
    const made = await findGrant(transaction, grantId);
    if (made === undefined) throw new Error('the grant that was just made is not there');
    return { grantId, tokens: await issueTokens(transaction, made, { scopes: SCOPES, now }) };
  });
}

/**
 * Stores in memory what an SDK auth provider keeps, except discovery results, which most clients do not keep either.
 */
function createMemory(client: unknown, tokens: unknown) {
  let sentAway = false;
  let verifier = '';
  const kept = { client, tokens };
  return {
    redirectUrl: REDIRECT_URI,
    clientMetadata: { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' },
    clientInformation: () => kept.client,
    saveClientInformation(information: unknown) {
      kept.client = information;
    },
    tokens: () => kept.tokens,
    saveTokens(saved: unknown) {
      kept.tokens = saved;
    },
    redirectToAuthorization() {
      sentAway = true;
    },
    saveCodeVerifier(text: string) {
      verifier = text;
    },
    codeVerifier: () => verifier,
    invalidateCredentials(what: string) {
      if (what === 'all' || what === 'tokens') kept.tokens = undefined;
      if (what === 'all' || what === 'client') kept.client = undefined;
    },
    isSentAway: () => sentAway,
  };
}

type Memory = ReturnType<typeof createMemory>;
type Connected = Pick<V1Client | V2Client, 'callTool' | 'close'>;

async function connectV1(endpoint: string, memory: Memory): Promise<Connected> {
  type Options = ConstructorParameters<typeof V1Transport>[1];
  const client = new V1Client({ name: 'bench', version: '1.0.0' });
  const transport = new V1Transport(new URL(endpoint), { authProvider: memory } as unknown as Options);
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return client;
}

async function connectV2(endpoint: string, memory: Memory): Promise<Connected> {
  type Options = ConstructorParameters<typeof V2Transport>[1];
  const client = new V2Client({ name: 'bench', version: '1.0.0' });
  await client.connect(new V2Transport(new URL(endpoint), { authProvider: memory } as unknown as Options));
  return client;
}
