import { Client as V2Client, StreamableHTTPClientTransport as V2Transport } from '@modelcontextprotocol/client';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findPartnerByClientId } from '../../server/base/store/repositories/partners.ts';
import { resumePartner, suspendPartner } from '../../server/identity/partners/lifecycle.ts';
import { type OAuthGateway, READING_CALL, startOAuthGateway } from '../support/oauth-gateway.ts';
import { consent } from '../support/scripted-browser.ts';

const REDIRECT_URI = 'http://127.0.0.1:7000/callback';

interface Memory {
  client?: unknown;
  tokens?: { access_token: string };
  verifier?: string;
  url?: URL;
  redirects: number;
  dropped: string[];
}

function providerOf(memory: Memory) {
  return {
    redirectUrl: REDIRECT_URI,
    clientMetadata: { client_name: 'SDK client', redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' },
    state: () => 'a-state',
    clientInformation: () => memory.client,
    saveClientInformation(client: unknown) {
      memory.client = client;
    },
    tokens: () => memory.tokens,
    saveTokens(tokens: NonNullable<Memory['tokens']>) {
      memory.tokens = tokens;
    },
    redirectToAuthorization(url: URL) {
      memory.url = url;
      memory.redirects += 1;
    },
    saveCodeVerifier(verifier: string) {
      memory.verifier = verifier;
    },
    codeVerifier: () => memory.verifier ?? '',
    invalidateCredentials(what: string) {
      memory.dropped.push(what);
    },
  };
}

let gateway: OAuthGateway;
let memory: Memory;
beforeEach(async () => {
  memory = { redirects: 0, dropped: [] };
  gateway = await startOAuthGateway();
});
afterEach(() => gateway?.close());

async function change(what: typeof suspendPartner): Promise<void> {
  const partner = await findPartnerByClientId(gateway.store.db, 'test');
  await gateway.store.db
    .transaction()
    .execute((transaction) => what(transaction, partner?.id ?? '', { now: Date.now() }));
}

async function signIn(
  Client: typeof V1Client | typeof V2Client,
  Transport: typeof V1Transport | typeof V2Transport,
  toAnswer: (parameters: URLSearchParams) => string | URLSearchParams,
) {
  const authProvider = providerOf(memory) as never;
  const open = async () => {
    const client = new Client({ name: 'sdk', version: '1.0.0' });
    const transport = new Transport(new URL(gateway.url), { authProvider });
    return { client, transport, connected: client.connect(transport as never) };
  };
  const first = await open();
  await expect(first.connected).rejects.toThrow();
  const callback = await consent({ url: memory.url ?? '', connectionCode: await gateway.connectionCode() });
  await first.transport.finishAuth(toAnswer(callback.searchParams) as never);
  return open;
}

describe.each([
  ['v1', V1Client, V1Transport, (parameters: URLSearchParams) => parameters.get('code') ?? ''],
  ['v2', V2Client, V2Transport, (parameters: URLSearchParams) => parameters],
] as const)('the %s SDK client of a suspended partner', (_, Client, Transport, toAnswer) => {
  test('keeps its tokens, does not ask to sign in, and continues when the partner is resumed', async () => {
    const open = await signIn(Client, Transport, toAnswer);
    const { client, connected } = await open();
    await connected;
    const { tokens } = memory;
    await change(suspendPartner);
    const call = await client.callTool(READING_CALL);
    expect(JSON.stringify(call)).toContain('partner_suspended');
    await expect(client.listTools()).rejects.toThrow(/test is suspended at this gateway.*Ask test/);
    const later = await open();
    await expect(later.connected).rejects.toThrow(/test is suspended at this gateway/);

    await gateway.store.db.updateTable('access_tokens').set({ expires_at: 1 }).execute();
    await expect(client.listTools()).rejects.toThrow(/test is suspended at this gateway/);
    expect(memory).toMatchObject({ tokens, redirects: 1, dropped: [] });

    await change(resumePartner);
    expect((await client.callTool(READING_CALL)).isError ?? false).toBe(false);
    expect(memory).toMatchObject({ redirects: 1, dropped: [] });
    expect(memory.tokens?.access_token).not.toBe(tokens?.access_token);
    await client.close();
  });
});
