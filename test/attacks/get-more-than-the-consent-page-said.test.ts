import { beforeEach, expect, test } from 'vitest';
import { mintConnectionCode } from '../../server/identity/oauth/connection-codes.ts';
import { connect } from '../server/base/store/fixtures.ts';
import { createVisitor, requestOf, type Visitor } from '../server/identity/oauth/page-visitor.ts';
import { describeOAuth } from '../server/identity/oauth/support.ts';
import { limitsWithout } from '../support/oauth-router.ts';
import { WHOLE_LIMITS } from '../support/whole-limits.ts';

const HELD = /name="held" value="([^"]*)"/;

describeOAuth(
  'getting more than the consent page said',
  (given) => {
    let clientId: string;
    let visitor: Visitor;
    let held: string[];

    beforeEach(async () => {
      await connect(given.store, { userId: given.userId, service: 'mailer', status: 'active' });
      clientId = (await given.register()).body.client_id;
      visitor = createVisitor(given);
    });

    async function reach(limits: object = {}) {
      await visitor.open(requestOf(clientId));
      given.now += 1000;
      const { userId, now } = given;
      const connection_code = await mintConnectionCode(given.store.db, {
        userId,
        limits: { ...WHOLE_LIMITS, ...limits },
        now,
      });
      const page = await visitor.submit({ connection_code });
      held = HELD.exec(page.body)?.slice(1) ?? [];
      return page;
    }

    const allow = (fields: Record<string, string | string[]> = {}) =>
      visitor.submit({ decision: 'allow', ...(held.length === 0 ? {} : { held }), ...fields });

    async function granted() {
      const rows = await given.store.db.selectFrom('oauth_grants').selectAll().orderBy('id', 'desc').execute();
      const { seen: _, ...permission } = JSON.parse(rows[0]?.permission ?? '{}');
      return { scopes: rows[0]?.scopes, ...permission };
    }

    test('a stale form keeps nothing that its page did not show', async () => {
      await reach();
      const stale = visitor;
      visitor = createVisitor(given);
      await reach();
      await allow({ access: 'write' });
      given.now += 1000;
      visitor = stale;
      held = [];
      await allow();
      expect(await granted()).toMatchObject({ scopes: 'tools:read', agreed: { writes: [], destroys: [] } });
    });

    test('a form that names the grant of another client keeps nothing of it', async () => {
      await reach();
      await allow({ access: 'write' });
      const [first] = await given.store.db.selectFrom('oauth_grants').select('id').execute();
      clientId = (await given.register()).body.client_id;
      await reach();
      await allow({ held: first!.id });
      expect(await granted()).toMatchObject({ scopes: 'tools:read', agreed: { writes: [], destroys: [] } });
    });

    test.each([
      [{ readOnly: true }, 'tools:read'],
      [{ services: ['crm'] }, 'tools:read'],
    ])('a form gets no more than a code with %o allows, whatever it says', async (limits, scopes) => {
      await reach();
      await allow({ access: 'write' });
      await reach(limits);
      await allow({ access: 'read', service: ['mailer', 'retrieval', 'crm'], tool: ['crm_list', 'mailer_send'] });
      expect(await granted()).toMatchObject({ scopes, agreed: { writes: [], destroys: [] } });
    });

    test.each([
      ['an access that was not offered', { access: 'no-delete' }],
      ['an unknown access', { access: 'all' }],
    ])('a form with %s gets nothing', async (_title, fields) => {
      await given.store.db.deleteFrom('connections').where('service', '=', 'mailer').execute();
      await reach();
      expect((await allow(fields)).status).toBe(400);
      expect(await given.store.db.selectFrom('oauth_grants').selectAll().execute()).toEqual([]);
    });

    test('a form gets no writing in a service that its page did not offer', async () => {
      await reach({ services: ['retrieval', 'crm'] });
      await allow({
        access: 'write',
        service: ['mailer', 'retrieval'],
        tool: ['mailer_send', 'mailer_remove', 'retrieval_add'],
      });
      expect(await granted()).toMatchObject({ agreed: { writes: ['retrieval'], destroys: [] } });
    });
  },
  { consent: 'need', limits: limitsWithout('registrations', 'consent-pages') },
);
