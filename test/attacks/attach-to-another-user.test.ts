import { expect, test } from 'vitest';
import { changePartner } from '../../server/identity/partners/manage.ts';
import { createSessionVisitor, mintSession } from '../server/connect/session-steps.ts';
import { describeConnect, locationOf, REDIRECT_URI, requestOf } from '../server/connect/support.ts';

const KEY = { 'credential-0': 'good-key-1' };
const EVES_KEY = { 'credential-0': 'good-key-2' };

describeConnect('a plain connect link whose user_id was rewritten', (given) => {
  const redeem = (code: string, changes: Record<string, string | undefined> = {}) =>
    given.token({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, ...changes });
  const connections = () => given.store.db.selectFrom('connections').select(['id', 'sealed_credential']).execute();

  test.each([{ account: 'sole' }, { account: 'add', account_name: 'Mine' }])(
    'attaches no credential to the other user, and issues no token for that user: %j',
    async (choice) => {
      given.accepted.add('good-key-2');
      const ada = await given.connected('library', 'ada', KEY);
      const before = await connections();

      const eve = given.visitor();
      await eve.open('library', requestOf({ user_id: 'ada', state: 'the-state-of-eve' }));
      await eve.submit('library', { decision: 'connect', ...EVES_KEY });
      const back = locationOf(await eve.submit('library', { decision: 'account', ...choice }));
      expect(back.parameters.state).toBe('the-state-of-eve');

      const withoutUser = await redeem(back.parameters.code ?? '');
      expect([withoutUser.status, withoutUser.body.error]).toEqual([400, 'invalid_request']);
      expect(withoutUser.body.error_description).toContain('user_id is required');
      const withEve = await redeem(back.parameters.code ?? '', { user_id: 'eve' });
      expect([withEve.status, withEve.body.error]).toEqual([400, 'invalid_grant']);

      expect(await connections()).toEqual(before);
      given.accepted.delete('good-key-2');
      expect((await given.call(ada.body.access_token, 'library_list')).body.result.isError ?? false).toBe(false);
    },
  );

  test('shows an error after the partner turns plain links off, even on a page that was already open', async () => {
    const visitor = given.visitor();
    await visitor.open('library');
    await given.store.db
      .transaction()
      .execute((transaction) => changePartner(transaction, given.partnerId, { plainLinks: false }, { now: given.now }));
    const opened = await given.visitor().open('library');
    expect([opened.status, opened.headers.get('Location')]).toEqual([400, null]);
    expect(opened.text).toContain('does not accept links like this');
    const submitted = await visitor.submit('library', { decision: 'connect', ...KEY });
    expect([submitted.status, submitted.headers.get('Location')]).toEqual([400, null]);
    expect(await given.store.db.selectFrom('connection_attempts').selectAll().execute()).toEqual([]);
  });
});

describeConnect('a connect session of one user', (given) => {
  test('attaches no credential to another user, even if the browser adds a user to URLs and forms', async () => {
    const ada = await given.connected('library', 'ada', KEY);
    given.accepted.add('good-key-2');
    const { connect_url } = (await mintSession(given, { user_id: 'eve' })).body;
    const eve = createSessionVisitor(given);
    await eve.open(`${connect_url}&user_id=ada`);
    const [{ id = '' } = {}] = await given.store.db.selectFrom('connect_sessions').select('id').execute();
    expect((await eve.open(`/connect?session=${id}&user_id=ada`)).text).toContain('eve');
    const back = locationOf(await eve.submit({ ...EVES_KEY, user_id: 'ada', externalUserId: 'ada' }));
    const code = back.parameters.code ?? '';
    const redeem = (user_id?: string) =>
      given.token({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, user_id });
    expect((await redeem('ada')).body.error).toBe('invalid_grant');
    expect((await redeem()).body.error).toBe('invalid_request');
    expect((await redeem('eve')).body.user_id).toBe('eve');
    given.accepted.delete('good-key-2');
    expect((await given.call(ada.body.access_token, 'library_list')).body.result.isError ?? false).toBe(false);
  });

  test('cannot be finished by a browser that did not start it', async () => {
    const { connect_url } = (await mintSession(given, { user_id: 'ada' })).body;
    const [ada, eve] = [createSessionVisitor(given), createSessionVisitor(given)];
    await eve.open(connect_url);
    await ada.open(connect_url);
    await ada.submit({ 'credential-0': 'wrong' });
    expect((await eve.submit(KEY)).status).toBe(400);
    ada.pageState = eve.pageState;
    expect((await ada.submit(KEY)).status).toBe(400);
    expect(await given.store.db.selectFrom('connection_attempts').selectAll().execute()).toEqual([]);
  });
});
