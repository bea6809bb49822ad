import { expect, test } from 'vitest';
import { describeConsent } from './consent-support.ts';
import { locationOf } from './page-visitor.ts';

describeConsent('the link from the consent page to the user’s own page', (given, page) => {
  const goThere = () => page.visitor.submit({ decision: 'own-page' });

  test('opens the page of the user, and does not use up the code', async () => {
    const consent = await page.reachConsent();
    expect(consent.body).toMatch(/value="own-page" formtarget="_blank">/);
    const answer = await goThere();
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toMatch(/^\/me\?link=utg_ul_[A-Za-z0-9_-]{43}$/);
    expect(await page.eventsOf('user_link_minted')).toMatchObject([
      { user_id: given.userId, details: '{"by":"connection-code"}' },
    ]);
    expect(await page.grantsOf()).toEqual([]);
    expect(locationOf(await page.visitor.submit({ decision: 'allow' })).parameters.code).toMatch(/^utg_ac_/);
  });

  test('is absent before a code was entered, and after it is used or has expired', async () => {
    await page.open();
    expect((await goThere()).status).toBe(400);
    await page.reachConsent();
    await page.visitor.submit({ decision: 'allow' });
    expect((await goThere()).status).toBe(410);
    await page.reachConsent();
    given.now += 600_000;
    expect((await goThere()).status).toBe(400);
    expect(await page.eventsOf('user_link_minted')).toEqual([]);
  });
});
