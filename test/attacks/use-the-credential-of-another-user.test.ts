import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type ConnectUnderTest, describeConnect, REDIRECT_URI } from '../server/connect/support.ts';

const ADA = { 'credential-0': 'good-key-1' };
const EVE = { 'credential-0': 'good-key-2' };

async function answerTo(given: ConnectUnderTest, token: string): Promise<string> {
  const { body } = await given.call(token, 'library_list');
  const texts = body.result.content as readonly { text: string }[];
  return body.result.isError === true ? JSON.parse(texts.at(-1)?.text ?? '{}').code : 'served';
}

describeConnect('an attacker who can write to the database', (given) => {
  async function connectBoth(): Promise<{ ada: string; eve: string }> {
    given.accepted.add('good-key-2');
    const ada = await given.connected('library', 'ada', ADA);
    const eve = await given.connected('library', 'eve', EVE);
    expect([await answerTo(given, ada.body.access_token), await answerTo(given, eve.body.access_token)]).toEqual([
      'served',
      'served',
    ]);
    return { ada: ada.body.access_token, eve: eve.body.access_token };
  }

  const idOf = (name: string) => sql`(select id from users where external_user_id = ${name})`;

  async function giveToEve(): Promise<void> {
    await sql`delete from connections where user_id = ${idOf('eve')}`.execute(given.store.db);
    await sql`update connections set user_id = ${idOf('eve')}`.execute(given.store.db);
  }

  test('cannot point a connection to another user', async () => {
    const { eve } = await connectBoth();
    await giveToEve();
    expect(await answerTo(given, eve)).toBe('credential_unreadable');
  });

  test('cannot copy a sealed credential into the connection of another user', async () => {
    const { eve } = await connectBoth();
    const ofAda = sql`(select sealed_credential from connections where user_id = ${idOf('ada')})`;
    await sql`update connections set sealed_credential = ${ofAda}`.execute(given.store.db);
    expect(await answerTo(given, eve)).toBe('credential_unreadable');
  });

  test('cannot point a connection to another service, such as one that they run', async () => {
    const { ada } = await connectBoth();
    await sql`update connections set service = 'silent'`.execute(given.store.db);
    const { body } = await given.call(ada, 'silent_list');
    expect(JSON.stringify(body)).toContain('credential_unreadable');
  });

  test('cannot point a user to another partner', async () => {
    const { ada } = await connectBoth();
    const mallory = await given.add('mallory');
    await sql`update users set partner_id = ${mallory.id}`.execute(given.store.db);
    expect(await answerTo(given, ada)).toBe('credential_unreadable');
  });

  test('cannot redeem the credential of a pending connect flow for another user', async () => {
    const code = await given.connect('library', 'ada', ADA);
    await sql`update connection_attempts set external_user_id = 'eve'`.execute(given.store.db);
    const redeemed = await given.token({
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
      user_id: 'eve',
    });
    expect([redeemed.status, redeemed.body.error]).toEqual([400, 'invalid_grant']);
  });
});
