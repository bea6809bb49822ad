import { beforeEach, expect, test } from 'vitest';
import { limitsWithout } from '../../../support/oauth-router.ts';
import { type ConsentVisit, visitConsent } from './consent-visit.ts';
import { describeOAuth, REDIRECT_URI } from './support.ts';

describeOAuth(
  'the consent page by need',
  (given) => {
    let visit: ConsentVisit;
    beforeEach(async () => {
      visit = await visitConsent(given);
    });

    test('begins with reading, and grants that to someone who only presses Allow', async () => {
      const { body } = await visit.reach();
      expect(body).toContain('it can read these services for you.');
      expect(body).toContain('id="access-read" value="read" checked');
      expect(body).toContain('It creates and changes things in mailer and retrieval.');
      expect(body).toContain('It also deletes and overwrites things in mailer.');
      expect(body.indexOf('name="access"')).toBeLessThan(body.indexOf('name="service"'));
      await visit.allow();
      expect(await visit.granted()).toEqual({ scopes: 'tools:read', agreed: { writes: [], destroys: [] } });
    });

    test('shows a client that asks for more only the difference, and keeps what it has', async () => {
      await visit.reach();
      await visit.allow({ access: 'no-delete', tool: ['crm_list', 'mailer_list', 'mailer_remove', 'mailer_send'] });
      const { body } = await visit.reach();
      expect(body).toContain('choose below what it may do in addition');
      expect(body).toContain('<li>mailer: 1 read-only tool, 1 that changes data</li>');
      expect(body).not.toContain('<li>retrieval');
      expect(body).toContain('Also delete');
      expect(body).not.toContain('access-no-delete');
      await visit.allow({ access: 'write' });
      expect(await visit.granted()).toEqual({
        scopes: 'tools:read tools:write',
        agreed: { writes: ['mailer'], destroys: ['mailer'] },
        without: ['retrieval/*'],
      });
    });

    test('keeps a client frozen that the user froze', async () => {
      await visit.reach();
      await visit.allow({ later: 'freeze' });
      expect((await visit.reach()).body).toContain('value="freeze" checked');
    });

    test('offers a client that registered only for reading nothing else, whatever it asks for', async () => {
      const metadata = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none', scope: 'tools:read' };
      visit.clientId = (await given.register(metadata)).body.client_id;
      for (const scope of ['tools:read tools:write', 'tools:write', '']) {
        const { body } = await visit.reach({}, { scope });
        expect(body).not.toContain('name="access"');
        await visit.allow({ access: 'write' });
        expect(await visit.granted()).toMatchObject({ scopes: 'tools:read' });
      }
    });

    test('says nothing of what the user allowed to another client, or what was revoked', async () => {
      await visit.reach();
      await visit.allow({ access: 'write' });
      visit.clientId = (await given.register()).body.client_id;
      expect((await visit.reach()).body).not.toContain('It may already use');
      await visit.allow();
      await given.store.db.updateTable('oauth_grants').set({ revoked_at: 1 }).execute();
      expect((await visit.reach()).body).not.toContain('It may already use');
    });
  },
  { consent: 'need', limits: limitsWithout('registrations', 'consent-pages') },
);
