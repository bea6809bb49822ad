import { expect, test } from 'vitest';
import { describeUserPage, fieldOf } from './support.ts';

describeUserPage('a user’s own page, if the partner is suspended', (given) => {
  const suspend = () => given.store.db.updateTable('partners').set({ suspended_at: given.now }).execute();

  test('says so and whom to ask, and still revokes access', async () => {
    const { grantId } = await given.allow('Claude');
    const browser = await given.entered();
    await suspend();
    const { status, text } = await browser.get('/me');
    expect(status).toBe(200);
    expect(text).toContain('Acme &amp; Sons is suspended');
    expect(text).toContain('Ask Acme &amp; Sons');
    await browser.submit('/me', `/me/clients/${grantId}/revoke`);
    expect(await given.auditOf('grant_revoked')).toHaveLength(1);
  });

  test('is opened by no link', async () => {
    const link = await given.link();
    const browser = given.browser();
    const entry = await browser.get(link);
    await suspend();
    const { status, text } = await browser.post('/me', [['page_state', fieldOf(entry.text, 'page_state')]]);
    expect([status, text.includes('Ask Acme &amp; Sons')]).toEqual([403, true]);
    expect(await given.auditOf('user_page_entered')).toEqual([]);
  });

  test('names the service that the partner no longer offers', async () => {
    await given.allow('Claude');
    const browser = await given.entered();
    await given.store.db.updateTable('partners').set({ services: 'archive' }).execute();
    const { text } = await browser.get('/me');
    expect(text).toContain('Acme &amp; Sons does not offer it now');
    expect(text).not.toContain('Library: ');
    expect(text).toContain('City Archive: 1 read-only tool');
  });
});
