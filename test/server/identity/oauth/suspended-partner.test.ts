import { expect, test } from 'vitest';
import { resumePartner, suspendPartner } from '../../../../server/identity/partners/lifecycle.ts';
import { describeConsent } from './consent-support.ts';
import { authorize, describeOAuth, type OAuthUnderTest, signIn } from './support.ts';

const SAYS = /Acme is suspended at this gateway.*Ask Acme/s;

function change(given: OAuthUnderTest, what: typeof suspendPartner): Promise<boolean> {
  return given.store.db.transaction().execute((transaction) => what(transaction, given.partnerId, { now: given.now }));
}

describeOAuth('the token endpoint for clients of a suspended partner', (given) => {
  test('neither redeems an authorization code nor uses it up', async () => {
    const { parameters } = await authorize(given);
    await change(given, suspendPartner);
    const refused = await given.token(parameters);
    expect([refused.status, refused.body.error]).toEqual([400, 'temporarily_unavailable']);
    expect(refused.body.error_description).toMatch(SAYS);
    expect(refused.headers.get('Retry-After')).toBe('300');
    await change(given, resumePartner);
    expect((await given.token(parameters)).status).toBe(200);
  });

  test('neither refreshes nor uses the refresh token up', async () => {
    const { clientId, refreshToken } = await signIn(given);
    const refresh = () =>
      given.token({ grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId });
    await change(given, suspendPartner);
    const refused = await refresh();
    expect([refused.status, refused.body.error]).toEqual([400, 'temporarily_unavailable']);
    expect(refused.body.error_description).toMatch(SAYS);
    await change(given, resumePartner);
    expect((await refresh()).status).toBe(200);
  });

  test('names the partner by its client_id if an error_description cannot contain the name', async () => {
    const { parameters } = await authorize(given);
    await given.store.db.updateTable('partners').set({ name: 'Société "Ünïq"' }).execute();
    await change(given, suspendPartner);
    const { body } = await given.token(parameters);
    expect(body.error_description).toMatch(/^acme is suspended.*Ask acme/);
  });

  test('still revokes tokens for a client', async () => {
    const { clientId, accessToken } = await signIn(given);
    await change(given, suspendPartner);
    expect((await given.revoke({ token: accessToken, client_id: clientId })).status).toBe(200);
    await change(given, resumePartner);
    expect(await given.use(accessToken)).toBe(401);
  });
});

describeConsent('the consent page for a user of a suspended partner', (given, page) => {
  const suspend = () => change(given, suspendPartner);

  test('accepts no code, says whom to ask, and leaves the code unused', async () => {
    const code = await page.mint();
    await suspend();
    await page.open();
    const refused = await page.type(code);
    expect(refused.status).toBe(403);
    expect(refused.body).toMatch(SAYS);
    expect(refused.body).not.toContain('value="allow"');
    await change(given, resumePartner);
    const taken = await page.type(code);
    expect(taken.status).toBe(200);
    expect(taken.body).toContain('value="allow"');
  });

  test('grants nothing if the partner is suspended while the page is open', async () => {
    await page.reachConsent();
    const { pageState } = page.visitor;
    await suspend();
    const answer = await page.visitor.submit({ decision: 'allow', access: 'write', service: 'retrieval' });
    expect(answer.status).toBe(403);
    expect(await page.grantsOf()).toEqual([]);
    page.visitor.pageState = pageState;
    const ownPage = await page.visitor.submit({ decision: 'own-page' });
    expect(ownPage.status).toBe(403);
    expect(await page.eventsOf('user_link_minted')).toEqual([]);
  });

  test('sends the browser back to the client on Cancel', async () => {
    const code = await page.mint();
    await suspend();
    await page.open();
    await page.type(code);
    const denied = await page.visitor.submit({ decision: 'deny' });
    expect(denied.headers.get('Location')).toContain('error=access_denied');
  });

  test('offers no service that the partner no longer offers', async () => {
    await given.store.db.updateTable('partners').set({ services: 'crm' }).execute();
    const { body } = await page.reachConsent();
    expect(body).toContain('value="crm"');
    expect(body).not.toContain('value="retrieval"');
  });
});
