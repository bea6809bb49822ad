import { once } from 'node:events';
import { type IncomingMessage, request as sendRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { setWritingStopped } from '../../server/base/store/repositories/switches.ts';
import { MCP_PATH } from '../../server/gateway-paths.ts';
import { revokeAccess } from '../../server/identity/grants/allowed/revoke.ts';
import { fieldOf } from '../server/modules/admin/support.ts';
import { describeUserPage, type UserPageUnderTest } from '../server/modules/me/support.ts';

const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'library_lend', arguments: {} } };

/** Begins a request, and sends the rest of it after `meanwhile`. */
async function sendSlowly(
  { origin }: UserPageUnderTest,
  { method = 'POST', path, headers, body }: { method?: string; path: string; headers: object; body: string },
  meanwhile: () => Promise<unknown>,
): Promise<[status: number | undefined, text: string]> {
  const request = sendRequest(origin + path, { method, headers: { ...headers, 'Content-Length': body.length } });
  request.write(body.slice(0, 5));
  await sleep(1_500);
  await meanwhile();
  request.end(body.slice(5));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return [response.statusCode, await text(response)];
}

function callSlowly(given: UserPageUnderTest, token: string, meanwhile: () => Promise<unknown>) {
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  };
  return sendSlowly(given, { path: MCP_PATH, headers, body: JSON.stringify(CALL) }, meanwhile);
}

describeUserPage('a client that has begun a call and sends the rest of it later', (given) => {
  test('makes the call while nothing has changed', async () => {
    const { token } = await given.allow('Claude');
    const [status, answer] = await callSlowly(given, token, async () => {});
    expect([status, answer]).toEqual([200, expect.stringContaining('done')]);
    expect(given.writes).toBe(1);
  });

  test('is refused once it was cut off', async () => {
    const { token } = await given.allow('Claude');
    const { db } = given.store;
    const [status] = await callSlowly(given, token, () => revokeAccess(db, {}, { by: 'operator', now: given.now }));
    expect([status, given.writes]).toEqual([401, 0]);
  });

  test('writes nothing once all writing is stopped', async () => {
    const { token } = await given.allow('Claude');
    const [, answer] = await callSlowly(given, token, () =>
      given.store.db.transaction().execute((transaction) => setWritingStopped(transaction, true, { now: given.now })),
    );
    expect(answer).toContain('writing_stopped');
    expect(given.writes).toBe(0);
  });
});

describeUserPage('a request that was begun before its sender lost the access', (given) => {
  test('of a partner changes nothing', async () => {
    const headers = {
      Authorization: `Basic ${Buffer.from(`acme:${given.secret}`).toString('base64')}`,
      'Content-Type': 'application/json',
    };
    const put = { method: 'PUT', path: '/api/partner/users/alice/allowance', headers, body: '{"allows":[]}' };
    const [status] = await sendSlowly(given, put, () => given.store.db.deleteFrom('partner_secrets').execute());
    expect(status).toBe(401);
    expect(await given.store.db.selectFrom('users').select('allowance').distinct().execute()).toEqual([
      { allowance: null },
    ]);
  });

  test('of a person changes nothing', async () => {
    const { grantId } = await given.allow('Claude');
    const browser = await given.entered();
    const csrf = fieldOf((await browser.get('/me')).text, 'csrf');
    const headers = {
      Cookie: [...browser.cookies].map(([name, { value }]) => `${name}=${value}`).join('; '),
      'Content-Type': 'application/x-www-form-urlencoded',
    };
    const revoke = { path: `/me/clients/${grantId}/revoke`, headers, body: `csrf=${csrf}` };
    const [status] = await sendSlowly(given, revoke, () => browser.submit('/me', '/me/leave'));
    expect(status).toBe(401);
    const live = given.store.db.selectFrom('oauth_grants').select('id').where('revoked_at', 'is', null);
    expect(await live.execute()).toEqual([{ id: grantId }]);
  });
});
