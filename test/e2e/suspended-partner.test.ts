import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findPartnerByClientId } from '../../server/base/store/repositories/partners.ts';
import { resumePartner, suspendPartner } from '../../server/identity/partners/lifecycle.ts';
import { type OAuthGateway, READING_CALL, startOAuthGateway } from '../support/oauth-gateway.ts';
import { consent } from '../support/scripted-browser.ts';
import { v1Sdk, v2Sdk } from '../support/sdk-sign-in.ts';

let gateway: OAuthGateway;
beforeEach(async () => {
  gateway = await startOAuthGateway();
});
afterEach(() => gateway?.close());

async function change(what: typeof suspendPartner): Promise<void> {
  const partner = await findPartnerByClientId(gateway.store.db, 'test');
  await gateway.store.db
    .transaction()
    .execute((transaction) => what(transaction, partner?.id ?? '', { now: Date.now() }));
}

describe.each([
  ['v1', v1Sdk],
  ['v2', (url: string) => v2Sdk(url, 'legacy')],
] as const)('the %s SDK client of a suspended partner', (_, create) => {
  test('keeps its tokens, does not ask to sign in, and continues when the partner is resumed', async () => {
    const { memory, connect, finish, Unauthorized } = create(gateway.url);
    await expect(connect()).rejects.toThrow(Unauthorized);
    const callback = await consent({ url: memory.url!, connectionCode: await gateway.connectionCode() });
    await finish(callback.searchParams);
    const client = await connect();
    const { tokens } = memory;
    await change(suspendPartner);
    const call = await client.callTool(READING_CALL);
    expect(JSON.stringify(call)).toContain('partner_suspended');
    await expect(client.listTools()).rejects.toThrow(/test is suspended at this gateway.*Ask test/);
    await expect(connect()).rejects.toThrow(/test is suspended at this gateway/);

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
