import { afterEach, expect, test, vi } from 'vitest';
import { toDocument } from '../../../../../sandbox/mcp/lock.ts';
import { startSandbox } from '../../../../../sandbox/start.ts';
import { forgetUser } from '../../../../../server/identity/partners/forget-user.ts';
import { removeUserConnection } from '../../../../../server/identity/partners/remove-connection.ts';
import { startGateway } from '../../../../support/gateway.ts';
import { postRpc } from '../../../../support/post-rpc.ts';
import { GREET, KEY, LOCK, mcpConnector, mcpTool } from './support.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function openSession() {
  const connector = mcpConnector([mcpTool(GREET)], [KEY]);
  const document = toDocument(LOCK, connector.credential);
  const services = [{ name: 'people', document, mcp: LOCK, isLegacyMcp: true }];
  const sandbox = await startSandbox({ services, credential: 'right' });
  const env = { LIBRARY_BASE_URL: `${sandbox.origin}/people/mcp` };
  const gateway = await startGateway({ connectors: [connector], env, secretOf: () => 'right' });
  open.push(gateway.close, sandbox.close);
  const params = { name: 'people_greet', arguments: { name: 'Ada' } };
  await (await postRpc(gateway, 'tools/call', params)).json();
  const ended = () => sandbox.requests().filter(({ method }) => method === 'DELETE');
  expect(ended()).toEqual([]);
  const row = await gateway.store.db.selectFrom('users').selectAll().executeTakeFirstOrThrow();
  const user = { id: row.id, partnerId: row.partner_id, externalUserId: row.external_user_id } as never;
  return { db: gateway.store.db, user, ended };
}

test('the session of a connection that is removed ends at once', async () => {
  const { db, user, ended } = await openSession();
  const change = { by: 'user', now: Date.now() } as never;
  const isRemoved = await db
    .transaction()
    .execute((transaction) => removeUserConnection(transaction, user, { service: 'library' }, change));
  expect(isRemoved).toBe(true);
  await vi.waitFor(() => expect(ended()).toHaveLength(1), { timeout: 5000 });
}, 60_000);

test('the sessions of a user that is removed end at once', async () => {
  const { db, user, ended } = await openSession();
  expect(await db.transaction().execute((transaction) => forgetUser(transaction, user, { now: Date.now() }))).toBe(
    true,
  );
  await vi.waitFor(() => expect(ended()).toHaveLength(1), { timeout: 5000 });
}, 60_000);
