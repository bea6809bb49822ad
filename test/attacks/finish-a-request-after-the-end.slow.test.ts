import { once } from 'node:events';
import { type IncomingMessage, request as sendRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { setWritingStopped } from '../../server/base/store/repositories/switches.ts';
import { MCP_PATH } from '../../server/gateway-paths.ts';
import { revokeAccess } from '../../server/identity/grants/allowed/revoke.ts';
import { describeUserPage, type UserPageUnderTest } from '../server/modules/me/support.ts';

const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'library_lend', arguments: {} } };

/** Begins a call, and sends the rest of it after `meanwhile`. */
async function callSlowly(
  given: UserPageUnderTest,
  token: string,
  meanwhile: () => Promise<unknown>,
): Promise<[status: number | undefined, text: string]> {
  const body = JSON.stringify(CALL);
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'Content-Length': body.length,
  };
  const request = sendRequest(given.origin + MCP_PATH, { method: 'POST', headers });
  request.write(body.slice(0, 9));
  await sleep(1_500);
  await meanwhile();
  request.end(body.slice(9));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return [response.statusCode, await text(response)];
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
