import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openVault } from '../../server/base/credentials/store-key.ts';
import { createLog } from '../../server/base/http/log.ts';
import { createGateway } from '../../server/gateway.ts';
import { MCP_PATH } from '../../server/gateway-paths.ts';
import { loadConfig } from '../../server/index.ts';
import { CONNECTORS, type ConnectUnderTest, describeConnect, KEYS } from '../server/connect/support.ts';
import { RECORDING } from '../support/listening.ts';

const ADA = { 'credential-0': 'good-key-1' };
const EVE = { 'credential-0': 'good-key-2' };
const RING = [{ id: 'k1', key: Buffer.from(KEYS.k1, 'base64') }];
const HOUR_MS = 3_600_000;

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url');

async function answerTo(given: ConnectUnderTest, token: string): Promise<string> {
  const { status, body } = await given.call(token, 'library_list');
  if (status !== 200) return String(status);
  const texts = body.result.content as readonly { text: string }[];
  return body.result.isError === true ? JSON.parse(texts.at(-1)?.text ?? '{}').code : 'served';
}

function startAgain(given: ConnectUnderTest) {
  const env = { PUBLIC_URL: given.origin, DATABASE_URL: given.databaseUrl, ENCRYPTION_KEYS: `k1:${KEYS.k1}` };
  const config = loadConfig({ modules: RECORDING, connectors: CONNECTORS, env });
  return createGateway({ config, connectors: CONNECTORS, log: createLog({ level: 'silent' }), alone: false });
}

describeConnect('an attacker who can only write to the database', (given) => {
  async function insertToken(name: string): Promise<string> {
    const token = `utg_at_${randomBytes(32).toString('base64url')}`;
    await sql`
      insert into access_tokens (id, token_hash, user_id, scopes, resource, created_at, expires_at)
      select ${token}, ${sha256(token)}, id, 'tools:read tools:write', ${given.origin + MCP_PATH}, ${given.now}, ${given.now + HOUR_MS}
        from users where external_user_id = ${name}`.execute(given.store.db);
    return token;
  }

  test('cannot insert an access token', async () => {
    await given.connected('library', 'ada', ADA);
    expect(await answerTo(given, await insertToken('ada'))).toBe('401');
  });

  test('cannot insert an access token that a gateway carries over when it starts, even where the key of the store is removed', async () => {
    const { body } = await given.connected('library', 'ada', ADA);
    const token = await insertToken('ada');
    await (await startAgain(given)).close();
    expect(await answerTo(given, token)).toBe('401');
    expect(await answerTo(given, body.access_token)).toBe('served');
    await sql`delete from store_keys`.execute(given.store.db);
    await expect(startAgain(given)).rejects.toThrow('its own key is gone');
  });

  test('gets no credential by taking it away while the store gets another key', async () => {
    await given.connected('library', 'ada', ADA);
    const { rows } = await sql<{ text: string }>`select sealed_credential as text from connections`.execute(
      given.store.db,
    );
    await sql`update connections set sealed_credential = null`.execute(given.store.db);
    await sql`delete from store_keys`.execute(given.store.db);
    await (await startAgain(given)).close();
    const connection = await given.store.db.selectFrom('connections').select('id').executeTakeFirstOrThrow();
    const user = await given.store.db.selectFrom('users').selectAll().executeTakeFirstOrThrow();
    const vault = await openVault(given.store.db, RING);
    const owner = { partnerId: user.partner_id, userId: user.id, externalUserId: 'ada' };
    const open = () => vault.open(rows[0]?.text ?? '', { connectionId: connection.id, ...owner, service: 'library' });
    expect(open).toThrow('damaged');
  });

  test('cannot insert an operator', async () => {
    const secret = `utg_op_${randomBytes(32).toString('base64url')}`;
    await sql`insert into operators (id, name, role, secret_hash, created_at) values ('1', 'eve', 'act', ${sha256(secret)}, 1)`.execute(
      given.store.db,
    );
    const page = await given.send('/admin/sign-in');
    const cookie = page.headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ');
    const [, page_state = ''] = /name="page_state" value="([^"]*)"/.exec(page.text) ?? [];
    const headers = { Cookie: cookie, Origin: given.origin };
    const body = new URLSearchParams({ page_state, secret });
    const signIn = await given.send('/admin/sign-in', { method: 'POST', headers, body });
    expect(signIn.status).toBe(401);
  });

  test('cannot insert a secret of a partner', async () => {
    await sql`insert into partner_secrets (id, partner_id, secret_hash, created_at) values ('1', ${given.partnerId}, ${sha256('secret')}, 1)`.execute(
      given.store.db,
    );
    const answer = await given.token({ grant_type: 'refresh_token', refresh_token: 'x', client_secret: 'secret' });
    expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client']);
  });

  test('cannot swap the names of two users', async () => {
    given.accepted.add('good-key-2');
    const ada = await given.connected('library', 'ada', ADA);
    const eve = await given.connected('library', 'eve', EVE);
    expect(await answerTo(given, ada.body.access_token)).toBe('served');
    for (const [from, to] of [
      ['ada', 'none'],
      ['eve', 'ada'],
      ['none', 'eve'],
    ])
      await sql`update users set external_user_id = ${to} where external_user_id = ${from}`.execute(given.store.db);
    expect(await answerTo(given, ada.body.access_token)).toBe('credential_unreadable');
    expect(await answerTo(given, eve.body.access_token)).toBe('credential_unreadable');
  });
});
