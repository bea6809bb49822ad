import type { Kysely } from 'kysely';
import { expect, test } from 'vitest';
import type { Store } from '../../server/base/store/index.ts';
import { describeConnect, OPERATOR_SECRET, REDIRECT_URI, requestOf } from '../server/connect/support.ts';
import { type Answer, Visitor } from '../server/modules/admin/support.ts';

const PLANTED = 'planted-credential-42';
const REFUSED = 'refused-credential-43';

describeConnect('planted secrets', (given) => {
  test('appear in no log line, page, dashboard page, error, call record, audit event or other row', async () => {
    given.accepted.add(PLANTED);
    const visitor = given.visitor();
    const seen: Pick<Answer, 'text' | 'headers'>[] = [await visitor.open('library', requestOf())];
    seen.push(await visitor.submit('library', { decision: 'connect', 'credential-0': REFUSED }));
    seen.push(await visitor.submit('library', { decision: 'connect', 'credential-0': PLANTED }));
    const code = new URL(seen.at(-1)!.headers.get('Location')!).searchParams.get('code')!;
    const redeemed = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, user_id: 'alice' };
    seen.push(await given.token({ ...redeemed, redirect_uri: 'https://other.example/' }));
    const tokens = (await given.token(redeemed)).body;
    seen.push(await given.call(tokens.access_token, 'library_list'));
    given.accepted.clear();
    seen.push(await given.call(tokens.access_token, 'library_list'));
    seen.push(await given.call(tokens.access_token, 'library_list'));
    given.broken = { status: 500, body: `{"message":"crashed with ${PLANTED}"}` };
    await given.store.db.updateTable('connections').set({ status: 'active' }).execute();
    seen.push(await given.call(tokens.access_token, 'library_list'));
    await given.store.db.updateTable('connections').set({ sealed_credential: 'v2.lost.AAAA' }).execute();
    seen.push(await given.call(tokens.access_token, 'library_list'));
    seen.push(await given.send('/api/partner/users/alice/connections', { headers: { Authorization: 'Basic eDp5' } }));
    seen.push(await given.token(redeemed));
    await expect.poll(async () => (await dump(given.store)).call_records?.length, { timeout: 5000 }).toBeGreaterThan(3);
    const operator = new Visitor(
      () => given.origin,
      () => {},
    );
    await operator.signIn(OPERATOR_SECRET);
    const user = await given.store.db.selectFrom('users').select('id').executeTakeFirstOrThrow();
    const partners = `/admin/partners/${given.partnerId}`;
    for (const path of [
      '',
      '/partners',
      '/users',
      `/users/${user.id}`,
      '/tools',
      '/tools/library_list',
      '/clients',
      '/audit',
    ]) {
      const answer = await operator.get(`/admin${path}`);
      expect([path, answer.status]).toEqual([path, 200]);
      seen.push(answer);
    }
    seen.push(await operator.get(partners));

    const secrets = [PLANTED, REFUSED, OPERATOR_SECRET, given.secret, code, tokens.access_token, tokens.refresh_token];
    const answers = seen.map(({ text, headers }) => text + JSON.stringify([...headers]).replace(code, ''));
    const stored = JSON.stringify(await dump(given.store));
    for (const secret of secrets) {
      expect(given.lines.join('\n')).not.toContain(secret);
      expect(stored).not.toContain(secret);
      expect(answers.join('\n')).not.toContain(secret);
    }
    expect(given.lines.length).toBeGreaterThan(10);
    expect(answers.join('\n')).toContain('[redacted]');
  });
});

async function dump(store: Pick<Store, 'db'>): Promise<Record<string, readonly unknown[]>> {
  const db = store.db as unknown as Kysely<Record<string, Record<string, unknown>>>;
  const rows: Record<string, readonly unknown[]> = {};
  for (const { name } of await db.introspection.getTables()) {
    rows[name] = await db.selectFrom(name).selectAll().execute();
  }
  return rows;
}
