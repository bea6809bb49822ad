import { beforeEach, describe, expect, test } from 'vitest';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import { createCatalogue } from '../../../../server/call/tools/catalogue/catalogue.ts';
import { createToolConsentLinks } from '../../../../server/call/tools/tool-consent.ts';
import { mintConnectionCode } from '../../../../server/identity/oauth/connection-codes.ts';
import { limitsWithout } from '../../../support/oauth-router.ts';
import { WHOLE_LIMITS } from '../../../support/whole-limits.ts';
import { hiddenOf } from './page-visitor.ts';
import { authorize, CATALOGUE, describeOAuth, PUBLIC_URL } from './support.ts';

const ALLOW = '/api/mcp/oauth/allow';
const links = createToolConsentLinks({ keys: [{ id: 'test', key: Buffer.alloc(32, 1) }], publicUrl: PUBLIC_URL });
/** With one more tool of mailer that deletes. */
const MAILER = createCatalogue(
  CATALOGUE.connectors.map((connector) => {
    const remove = connector.tools.find(({ name }) => name === 'mailer_remove');
    if (remove === undefined) return connector;
    return { ...connector, tools: [...connector.tools, { ...remove, name: 'mailer_purge', path: '/purge' }] };
  }),
);
const FACTS = 'writes library.example';

describeOAuth(
  'the page that allows a tool whose risk increased',
  (given) => {
    let grantId: string;
    let cookie: string;
    let pageState: string;

    beforeEach(async () => {
      await authorize(given);
      const old = { hash: 'old', facts: '{"retrieval_add":"reads library.example"}', created_at: 1 };
      await given.store.db.insertInto('tool_facts').values(old).execute();
      await given.store.db.updateTable('oauth_grants').set({ permission: '{"seen":"old"}' }).execute();
      grantId = (await given.store.db.selectFrom('oauth_grants').select('id').executeTakeFirstOrThrow()).id;
    });

    const mint = (limits: object = {}, userId = given.userId) =>
      mintConnectionCode(given.store.db, {
        userId,
        limits: { ...WHOLE_LIMITS, ...limits },
        now: given.now,
      });

    async function open(changes: object = {}) {
      const url = new URL(links.urlOf({ grantId, tool: 'retrieval_add', facts: FACTS, ...changes }, given.now));
      const answer = await given.send(url.pathname + url.search, { redirect: 'manual' });
      cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
      pageState = hiddenOf(answer.body) ?? '';
      return answer;
    }

    const submit = (connection_code: string, headers: Record<string, string> = { Cookie: cookie }, more: object = {}) =>
      given.send(ALLOW, {
        method: 'POST',
        redirect: 'manual',
        headers,
        body: new URLSearchParams({ page_state: pageState, connection_code, ...more }),
      });

    const permission = async () =>
      (await given.store.db.selectFrom('oauth_grants').select('permission').executeTakeFirstOrThrow()).permission;

    test('says that no one can allow it to a client that registered only for reading', async () => {
      await given.store.db.updateTable('oauth_clients').set({ scopes: 'tools:read' }).execute();
      const { status, body } = await open();
      expect([status, body]).toEqual([403, expect.stringContaining('It registered here for tools that read.')]);
      await given.store.db.updateTable('oauth_clients').set({ scopes: null }).execute();
      await open();
      await given.store.db.updateTable('oauth_clients').set({ scopes: 'tools:read' }).execute();
      expect((await submit(await mint())).status).toBe(403);
      expect(await permission()).toBe('{"seen":"old"}');
    });

    test('says what changed, and accepts a code of the user once', async () => {
      const { status, body } = await open();
      expect(status).toBe(200);
      expect(body).toContain('<dd>retrieval_add<small>retrieval_add, of retrieval</small></dd>');
      expect(body).toContain('<li>It writes data. Before, it only read.</li>');
      const code = await mint();
      const done = await submit(code);
      expect([done.status, done.headers.get('Location')]).toEqual([303, `${ALLOW}/done`]);
      expect((await given.send(`${ALLOW}/done`)).body).toContain('The tool is allowed');
      expect(JSON.parse((await permission())!)).toEqual({ seen: 'old', accepted: { retrieval_add: FACTS } });
      expect(await given.events()).toContain('tool_allowed');
      expect((await submit(code)).body).toContain('The tool is allowed');
      expect((await open()).body).toContain('The tool is allowed');
    });

    test('accepts no code that is wrong, of another user, or too narrow for the tool', async () => {
      const other = await ensureUser(given.store.db, { partnerId: given.partnerId, externalUserId: 'mallory', now: 1 });
      await open();
      for (const code of ['0000-0000-0000', '', await mint({}, other.id)]) {
        const { status, body } = await submit(code);
        expect([status, body.includes('This code is not valid')]).toEqual([400, true]);
      }
      for (const limits of [{ readOnly: true }, { services: ['crm'] }]) {
        const { status, body } = await submit(await mint(limits));
        expect([status, body.includes('This code does not include the tool')]).toEqual([400, true]);
      }
      expect(await permission()).toBe('{"seen":"old"}');
    });

    describe('of a tool that the user did not agree to at consent', () => {
      const facts = MAILER.facts.byTool.mailer_remove!;
      const agreed = { writes: ['mailer'], destroys: [] };
      const asked = { tool: 'mailer_remove', facts };

      beforeEach(async () => {
        await given.store.db
          .updateTable('oauth_grants')
          .set({ permission: JSON.stringify({ agreed }) })
          .execute();
      });

      test('says only what is more, and allows it once', async () => {
        const { status, body } = await open(asked);
        expect(status).toBe(200);
        expect(body).toContain('<dt>It may already use</dt><dd>1 read-only tool, 1 that changes data</dd>');
        expect(body).toContain('<dt>Now it asks for</dt><dd>mailer_remove<small>mailer_remove, of mailer</small></dd>');
        expect(body).toContain('It deletes or overwrites things there.');
        expect((await submit(await mint())).status).toBe(303);
        expect(JSON.parse((await permission())!)).toEqual({ agreed, accepted: { mailer_remove: facts } });
        expect((await open(asked)).body).toContain('The tool is allowed');
      });

      test('allows every tool that deletes there to a user who chooses that, and only this one at first', async () => {
        const { body } = await open(asked);
        expect(body).toMatch(/value="one" checked>/);
        expect(body).toContain('Every tool of mailer that deletes or overwrites<small>2 tools.');
        expect((await submit(await mint(), undefined, { tools: 'every' })).status).toBe(303);
        const all = { agreed: { writes: ['mailer'], destroys: ['mailer'] }, accepted: { mailer_remove: facts } };
        expect(JSON.parse((await permission())!)).toEqual(all);
      });

      test('allows every tool by no code that leaves one of them out', async () => {
        await open(asked);
        const code = await mint({ permission: { ...WHOLE_LIMITS.permission, without: ['mailer_purge'] } });
        const { body } = await submit(code, undefined, { tools: 'every' });
        expect(body).toContain('This code does not include the tool');
        expect(JSON.parse((await permission())!)).toEqual({ agreed });
        expect((await submit(code)).status).toBe(303);
        expect(JSON.parse((await permission())!)).toEqual({ agreed, accepted: { mailer_remove: facts } });
      });

      test.each([
        ['only reads', { readOnly: true }],
        ['is for another service', { services: ['retrieval'] }],
        ['excludes deleting', { permission: { ...WHOLE_LIMITS.permission, destructive: false } }],
        ['excludes the tool', { permission: { ...WHOLE_LIMITS.permission, without: ['mailer_remove'] } }],
      ])('accepts no code that %s', async (_title, limits) => {
        await open(asked);
        expect((await submit(await mint(limits))).body).toContain('This code does not include the tool');
        expect(JSON.parse((await permission())!)).toEqual({ agreed });
      });
    });

    test('offers nothing more for a tool that has changed, whatever its form says', async () => {
      const { body } = await open();
      expect(body).not.toContain('name="tools"');
      await submit(await mint(), undefined, { tools: 'every' });
      expect(JSON.parse((await permission())!)).toEqual({ seen: 'old', accepted: { retrieval_add: FACTS } });
    });

    test('accepts at most five wrong codes', async () => {
      await open();
      const statuses: number[] = [];
      for (let i = 0; i < 5; i += 1) statuses.push((await submit('0000-0000-0000')).status);
      const sixth = await submit(await mint());
      expect([...statuses, sixth.status]).toEqual([400, 400, 400, 400, 400, 429]);
      expect(sixth.body).not.toContain('name="connection_code"');
    });

    test('accepts no form of another browser or another site', async () => {
      await open();
      const code = await mint();
      expect((await submit(code, {})).status).toBe(400);
      expect((await submit(code, { Cookie: cookie, 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
      expect(await permission()).toBe('{"seen":"old"}');
    });

    test.each([
      ['of a grant that was revoked', {}, () => given.store.db.updateTable('oauth_grants').set({ revoked_at: 1 })],
      ['of a tool that has changed since', { facts: 'reads library.example' }, null],
      ['of a tool that was removed', { tool: 'retrieval_gone' }, null],
      ['of no grant', { grantId: 'nobody' }, null],
    ])('a link %s is answered with 410', async (_title, changes, spoil) => {
      await spoil?.().execute();
      const { status, body } = await open(changes);
      expect([status, body.includes('Nothing is waiting here')]).toEqual([410, true]);
    });

    test('an expired or forged link is answered with 410', async () => {
      const { pathname, search } = new URL(links.urlOf({ grantId, tool: 'retrieval_add', facts: FACTS }, given.now));
      given.now += 1_800_001;
      expect((await given.send(pathname + search)).status).toBe(410);
      expect((await given.send(`${ALLOW}?request=v1.test.AAAA`)).status).toBe(410);
      expect((await given.send(ALLOW)).status).toBe(410);
    });
  },
  { limits: limitsWithout('registrations', 'consent-pages'), catalogue: MAILER },
);
