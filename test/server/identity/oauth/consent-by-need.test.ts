import { beforeEach, expect, test } from 'vitest';
import { mintConnectionCode } from '../../../../server/identity/oauth/connection-codes.ts';
import { limitsWithout } from '../../../support/oauth-router.ts';
import { WHOLE_LIMITS } from '../../../support/whole-limits.ts';
import { connect } from '../../base/store/fixtures.ts';
import { createVisitor, requestOf, type Visitor } from './page-visitor.ts';
import { describeOAuth } from './support.ts';

const HELD = /name="held" value="([^"]*)"/;

describeOAuth(
  'the consent page by need',
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

    test('begins with reading, and grants that to someone who only presses Allow', async () => {
      const { body } = await reach();
      expect(body).toContain('It writes or deletes only if you choose that below.');
      expect(body).toContain('id="access-read" value="read" checked');
      expect(body).toContain('It creates and changes things in mailer and retrieval.');
      expect(body).toContain('It also deletes and overwrites things in mailer.');
      expect(body.indexOf('name="access"')).toBeLessThan(body.indexOf('name="service"'));
      await allow();
      expect(await granted()).toEqual({ scopes: 'tools:read', agreed: { writes: [], destroys: [] } });
    });

    test('shows a client that asks for more only the difference, and keeps what it has', async () => {
      await reach();
      await allow({ access: 'no-delete', tool: ['crm_list', 'mailer_list', 'mailer_remove', 'mailer_send'] });
      const { body } = await reach();
      expect(body).toContain('choose below what it may do in addition');
      expect(body).toContain('<li>mailer: 1 tool reads, 1 writes</li>');
      expect(body).not.toContain('<li>retrieval');
      expect(body).toContain('Also delete');
      expect(body).not.toContain('access-no-delete');
      await allow({ access: 'write' });
      expect(await granted()).toEqual({
        scopes: 'tools:read tools:write',
        agreed: { writes: ['mailer'], destroys: ['mailer'] },
        without: ['retrieval/*'],
      });
    });

    test('keeps a client frozen that the user froze', async () => {
      await reach();
      await allow({ later: 'freeze' });
      expect((await reach()).body).toContain('value="freeze" checked');
    });

    test('says nothing of what the user allowed to another client, or what was revoked', async () => {
      await reach();
      await allow({ access: 'write' });
      clientId = (await given.register()).body.client_id;
      expect((await reach()).body).not.toContain('It may already use');
      await allow();
      await given.store.db.updateTable('oauth_grants').set({ revoked_at: 1 }).execute();
      expect((await reach()).body).not.toContain('It may already use');
    });
  },
  { consent: 'need', limits: limitsWithout('registrations', 'consent-pages') },
);
