import { describe, expect, test } from 'vitest';
import { createCatalogue } from '../../../../server/call/tools/catalogue/catalogue.ts';
import { mintConnectionCode } from '../../../../server/identity/oauth/connection-codes.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { limitsWithout } from '../../../support/oauth-router.ts';
import { WHOLE_LIMITS } from '../../../support/whole-limits.ts';
import { connect } from '../../base/store/fixtures.ts';
import { describeConsent } from './consent-support.ts';
import { createVisitor, locationOf, requestOf } from './page-visitor.ts';
import { CATALOGUE, describeOAuth } from './support.ts';

const permissionOf = (grants: object[]) => JSON.parse((grants as { permission: string }[])[0]!.permission);

describeConsent('the choices of the consent page', (given, page) => {
  test('are the services with their number of tools, and each tool with its effect', async () => {
    await connect(given.store, { userId: given.userId, service: 'mailer', status: 'active' });
    const { body } = await page.reachConsent();
    expect(body).toContain('mailer<small>1 read-only tool, 1 that changes data, 1 that deletes or overwrites.</small>');
    expect(body).toContain('crm<small>1 read-only tool.</small>');
    expect(body).toContain('mailer_remove<small>mailer_remove, deletes or overwrites</small>');
    expect(body).toContain('name="access" id="access-no-delete" value="no-delete"');
  });

  test('begin with everything, and the page says first that writing and deleting is ticked', async () => {
    expect((await page.reachConsent()).body).toContain(
      'for you. Everything is ticked, also tools that write: untick what it does not need.',
    );
    await connect(given.store, { userId: given.userId, service: 'mailer', status: 'active' });
    expect((await page.reachConsent()).body).toContain('also tools that write, delete and overwrite: untick');
    await given.store.db.deleteFrom('connections').where('service', '!=', 'crm').execute();
    const { body } = await page.reachConsent();
    expect(body).toContain('for you. Everything is ticked: untick what it does not need.');
  });

  test('offer and grant no writing if no connected service writes', async () => {
    await given.store.db.deleteFrom('connections').where('service', '=', 'retrieval').execute();
    const { body } = await page.reachConsent();
    expect(body).not.toContain('name="access"');
    expect(body).toContain('These services have no tools that change anything.');
    await page.visitor.submit({ decision: 'allow' });
    expect(await page.grantsOf()).toMatchObject([{ scopes: 'tools:read', services: null }]);
  });

  test.each([
    [3600, 'In an hour'],
    [47 * 3600, 'In 47 hours'],
    [30 * 86_400, 'In 30 days'],
  ])('show the expiry of a grant of %i seconds', async (grantSeconds, end) => {
    expect((await page.reachConsent({ grantSeconds })).body).toContain(end);
  });

  test('are stored with the tool facts that the user saw', async () => {
    await page.reachConsent();
    await page.visitor.submit({ decision: 'allow', service: 'retrieval', tool: 'retrieval_search' });
    const { hash, text } = CATALOGUE.facts;
    expect(permissionOf(await page.grantsOf())).toEqual({ without: ['crm/*', 'retrieval_add'], seen: hash });
    expect(await given.store.db.selectFrom('tool_facts').selectAll().execute()).toEqual([
      { hash, facts: text, created_at: given.now },
    ]);
    await page.reachConsent();
    await page.visitor.submit({ decision: 'allow', later: 'freeze' });
    expect(permissionOf((await page.grantsOf()).slice(1))).toEqual({
      only: ['crm_list', 'retrieval_add', 'retrieval_search'],
      seen: hash,
    });
    expect(await given.store.db.selectFrom('tool_facts').selectAll().execute()).toHaveLength(1);
  });

  test('that leave nothing are asked for again, with the reason first', async () => {
    await page.reachConsent();
    const answer = await page.visitor.submit({ decision: 'allow', service: [] });
    expect(answer.status).toBe(400);
    expect(answer.body).toContain('<title>Error: Allow Claude?');
    expect(answer.body).toContain('Nothing is left to allow');
    expect(await page.grantsOf()).toEqual([]);
    expect(locationOf(await page.visitor.submit({ decision: 'allow' })).parameters).toHaveProperty('code');
  });

  describe('a request that was answered', () => {
    test.each(['allow', 'deny'])('by %s says so when its page is shown again', async (decision) => {
      const shown = await page.reachConsent();
      const { pageState, checked } = page.visitor;
      expect((await page.visitor.submit({ decision })).status).toBe(303);
      Object.assign(page.visitor, { pageState, checked });
      const again = await page.visitor.submit({ decision: 'allow' });
      expect([shown.status, again.status]).toEqual([200, 410]);
      expect(again.body).toContain('This request has been answered');
      expect(await page.eventsOf('consent_denied')).toHaveLength(decision === 'deny' ? 1 : 0);
      expect(await page.grantsOf()).toHaveLength(decision === 'deny' ? 0 : 1);
    });
  });
});

const MANY = createCatalogue([
  fakeConnector({
    name: 'retrieval',
    tools: Array.from({ length: 1000 }, (_, index) =>
      fakeTool({ name: `retrieval_${'x'.repeat(50)}_${index}`, method: index % 2 === 0 ? 'GET' : 'POST' }),
    ),
  }),
]);

describeOAuth(
  'the consent page with a thousand tools',
  (given) => {
    test('accepts a form with each of them', async () => {
      const { client_id } = (await given.register()).body;
      const visitor = createVisitor(given);
      await visitor.open(requestOf(client_id));
      const { userId, now } = given;
      const limits = WHOLE_LIMITS;
      const connection_code = await mintConnectionCode(given.store.db, { userId, limits, now });
      await visitor.submit({ connection_code });
      const tools = visitor.checked.filter(([name]) => name === 'tool').map(([, value]) => value);
      expect(tools).toHaveLength(1000);
      expect((await visitor.submit({ decision: 'allow', tool: tools.slice(1) })).status).toBe(303);
      const [grant] = await given.store.db.selectFrom('oauth_grants').select('permission').execute();
      expect(JSON.parse(grant!.permission!).without).toEqual([tools[0]]);
    });
  },
  { catalogue: MANY, limits: limitsWithout('registrations', 'consent-pages') },
);
