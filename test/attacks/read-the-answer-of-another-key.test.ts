import type { RequestListener } from 'node:http';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { insertAccessToken } from '../../server/base/store/repositories/access-tokens.ts';
import { insertPartner } from '../../server/base/store/repositories/partners.ts';
import { ensureUser } from '../../server/base/store/repositories/users.ts';
import { createCatalogue } from '../../server/call/tools/catalogue/catalogue.ts';
import { withRules } from '../../server/call/tools/catalogue/withheld.ts';
import { describeStore } from '../server/base/store/dialects.ts';
import { connect } from '../server/base/store/fixtures.ts';
import { type OnceUnderTest, startOnce, TOOLS } from '../server/call/tools/call/once/support.ts';
import { errorOf, textOf } from '../server/call/tools/support.ts';
import { fakeConnector } from '../support/fake-connector.ts';

const SECRET = 'the answer of ada';

describeStore('an attacker with the idempotency key of another call', (given) => {
  async function withOnce(run: (once: OnceUnderTest) => Promise<void>): Promise<void> {
    let number = 0;
    const once = await startOnce(given.store, (_, response) => {
      number += 1;
      response.end(JSON.stringify({ said: number === 1 ? SECRET : 'another answer' }));
    });
    try {
      expect(textOf(await once.add('k', { title: 'A' }))).toContain(SECRET);
      await run(once);
    } finally {
      await once.close();
    }
  }

  test('gets nothing of it with another grant of the same user', () =>
    withOnce(async (once) => {
      const grants = [await once.grant(), await once.grant()];
      for (const [index, grantId] of grants.entries()) {
        const principal = { grantId };
        expect(textOf(await once.add('k', { title: 'A' }, { principal }))).not.toContain(SECRET);
        expect(once.hits()).toBe(2 + index);
      }
    }));

  test('gets nothing of it as another user, of the same partner or another', () =>
    withOnce(async (once) => {
      const { db } = given.store;
      const other = await insertPartner(db, { clientId: 'mallory', name: 'Mallory', now: 1 });
      for (const [index, partnerId] of [once.principal.partnerId, other.id].entries()) {
        const { id: userId } = await ensureUser(db, { partnerId, externalUserId: `eve-${index}`, now: 1 });
        const id = await connect(given.store, { userId, service: 'library' });
        const token = { userId, scopes: ['tools:write'], services: null, resource: 'r', now: 1, expiresAt: 1e15 };
        const tokenId = await insertAccessToken(db, { ...token, tokenHash: `eve-${index}` });
        const connection = { id, status: 'active', sealedCredential: null, updatedAt: 1 } as const;
        const principal = { userId, partnerId, tokenId, connections: new Map([['library', connection]]) };
        expect(textOf(await once.add('k', { title: 'A' }, { principal }))).not.toContain(SECRET);
      }
      expect(once.hits()).toBe(3);
    }));

  test('cannot move the sealed answer to their own key in the database', () =>
    withOnce(async (once) => {
      const grantId = await once.grant();
      await once.add('mine', {}, { principal: { grantId } });
      const { db } = given.store;
      const ofAda = sql<string>`(select sealed_answer from calls_made_once where grant_id is null)`;
      await db.updateTable('calls_made_once').set({ sealed_answer: ofAda }).where('grant_id', '=', grantId).execute();
      const moved = await once.add('mine', {}, { principal: { grantId } });
      expect(errorOf(moved).code).toBe('result_too_large');
      expect(textOf(moved)).not.toContain(SECRET);
    }));

  test('gets nothing of it after the grant or the user is removed', () =>
    withOnce(async (once) => {
      const grantId = await once.grant();
      await once.add('of the grant', {}, { principal: { grantId } });
      await given.store.db.deleteFrom('oauth_grants').execute();
      await given.store.db.deleteFrom('users').execute();
      expect(await given.store.db.selectFrom('calls_made_once').selectAll().execute()).toEqual([]);
      expect(errorOf(await once.add('k', { title: 'A' })).code).toBe('not_connected');
    }));

  test('gets nothing of it once a rule withholds a member, and the call is not made again', async () => {
    const rules = [{ service: 'library', members: { '**.said': 'drop' } }] as const;
    const catalogue = createCatalogue(withRules([fakeConnector({ tools: TOOLS })], rules));
    const listener: RequestListener = (_, response) => response.end(JSON.stringify({ said: SECRET }));
    const once = await startOnce(given.store, listener, {}, { catalogue });
    try {
      expect(textOf(await once.add('k', { title: 'A' }, { node: 0 }))).toContain(SECRET);
      const later = await once.add('k', { title: 'A' }, { node: 1 });
      expect(errorOf(later).code).toBe('result_too_large');
      expect(textOf(later)).toContain('took effect. Its answer was not kept.');
      expect(textOf(later)).not.toContain(SECRET);
      expect(textOf(await once.add('later', { title: 'A' }, { node: 1 }))).toBe('{}');
      expect(textOf(await once.add('later', { title: 'A' }, { node: 1 }))).toBe('{}');
      expect(once.hits()).toBe(2);
    } finally {
      await once.close();
    }
  });
});
