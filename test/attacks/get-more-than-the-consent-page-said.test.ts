import { beforeEach, expect, test } from 'vitest';
import { type ConsentVisit, visitConsent } from '../server/identity/oauth/consent-visit.ts';
import { createVisitor } from '../server/identity/oauth/page-visitor.ts';
import { describeOAuth } from '../server/identity/oauth/support.ts';
import { limitsWithout } from '../support/oauth-router.ts';

describeOAuth(
  'getting more than the consent page said',
  (given) => {
    let visit: ConsentVisit;
    beforeEach(async () => {
      visit = await visitConsent(given);
    });

    test('a stale form keeps nothing that its page did not show', async () => {
      await visit.reach();
      const stale = visit.visitor;
      visit.visitor = createVisitor(given);
      await visit.reach();
      await visit.allow({ access: 'write' });
      given.now += 1000;
      visit.visitor = stale;
      visit.held = [];
      await visit.allow();
      expect(await visit.granted()).toMatchObject({ scopes: 'tools:read', agreed: { writes: [], destroys: [] } });
    });

    test('a form that names the grant of another client keeps nothing of it', async () => {
      await visit.reach();
      await visit.allow({ access: 'write' });
      const [first] = await given.store.db.selectFrom('oauth_grants').select('id').execute();
      visit.clientId = (await given.register()).body.client_id;
      await visit.reach();
      await visit.allow({ held: first!.id });
      expect(await visit.granted()).toMatchObject({ scopes: 'tools:read', agreed: { writes: [], destroys: [] } });
    });

    test.each([
      [{ readOnly: true }, 'tools:read'],
      [{ services: ['crm'] }, 'tools:read'],
    ])('a form gets no more than a code with %o allows, whatever it says', async (limits, scopes) => {
      await visit.reach();
      await visit.allow({ access: 'write' });
      await visit.reach(limits);
      await visit.allow({ access: 'read', service: ['mailer', 'retrieval', 'crm'], tool: ['crm_list', 'mailer_send'] });
      expect(await visit.granted()).toMatchObject({ scopes, agreed: { writes: [], destroys: [] } });
    });

    test.each([
      ['an access that was not offered', { access: 'no-delete' }],
      ['an unknown access', { access: 'all' }],
    ])('a form with %s gets nothing', async (_title, fields) => {
      await given.store.db.deleteFrom('connections').where('service', '=', 'mailer').execute();
      await visit.reach();
      expect((await visit.allow(fields)).status).toBe(400);
      expect(await given.store.db.selectFrom('oauth_grants').selectAll().execute()).toEqual([]);
    });

    test('a form gets no writing in a service that its page did not offer', async () => {
      await visit.reach({ services: ['retrieval', 'crm'] });
      await visit.allow({
        access: 'write',
        service: ['mailer', 'retrieval'],
        tool: ['mailer_send', 'mailer_remove', 'retrieval_add'],
      });
      expect(await visit.granted()).toMatchObject({ agreed: { writes: ['retrieval'], destroys: [] } });
    });
  },
  { consent: 'need', limits: limitsWithout('registrations', 'consent-pages') },
);
