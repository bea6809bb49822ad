import { describe, expect, test } from 'vitest';
import { verifies } from '../../../requirements/verifies.ts';
import { describeConsent, MINUTE_MS, WRONG } from './consent-support.ts';
import { locationOf } from './page-visitor.ts';

describeConsent('the first step of the consent page', (given, page) => {
  describe('first step: the connection code', () => {
    test('is accepted as it is shown, and as people type it', async () => {
      for (const retype of [(code: string) => code, (code: string) => ` ${code.toLowerCase().replaceAll('-', ' ')} `]) {
        await page.open();
        const answer = await page.type(retype(await page.mint()));
        expect([answer.status, answer.body.includes('value="allow"')]).toEqual([200, true]);
      }
    });

    test('a wrong one leaves the page as it was, with the reason first', async () => {
      await page.open();
      const answer = await page.type('wrong "one" <b>');
      expect(answer.status).toBe(400);
      expect(answer.body).toContain('<title>Error: Connect Claude');
      expect(answer.body).toContain('role="alert"');
      expect(answer.body).toContain('aria-invalid="true"');
      expect(answer.body).toContain('aria-describedby="code-problem code-help"');
      expect(answer.body).toContain('value="wrong &quot;one&quot; &lt;b&gt;"');
      expect((await page.type(await page.mint())).status).toBe(200);
    });

    test('an empty one does not count as a wrong code', async () => {
      await page.open();
      for (let i = 0; i < 30; i += 1) expect((await page.type('  ')).status).toBe(400);
      expect((await page.type(await page.mint())).status).toBe(200);
    });

    test('the answer is the same for an unknown, misspelt, used or expired one', async () => {
      verifies('rfc6749-10.10-guessing');
      const used = await page.mint();
      await page.open();
      await page.type(used);
      await page.visitor.submit({ decision: 'allow' });
      const old = await page.mint();
      given.now += 11 * MINUTE_MS;
      const answers: string[] = [];
      for (const code of [WRONG, 'Z', used, old]) {
        await page.open();
        const { status, body } = await page.type(code);
        answers.push(`${status} ${body}`.replaceAll(/ value="[^"]*"/g, ''));
      }
      expect(new Set(answers).size).toBe(1);
    });

    test('opening the page uses nothing up', async () => {
      const code = await page.mint();
      for (let i = 0; i < 3; i += 1) {
        await page.open();
        expect((await page.type(code)).status).toBe(200);
      }
      await page.visitor.submit({ decision: 'deny' });
      await page.open();
      await page.type(code);
      expect(locationOf(await page.visitor.submit({ decision: 'allow' })).parameters).toHaveProperty('code');
    });
  });

  describe('wrong codes', () => {
    test('are limited to five per request', async () => {
      verifies('rfc6749-10.10-guessing');
      await page.open();
      const statuses: number[] = [];
      for (let i = 0; i < 5; i += 1) statuses.push((await page.type(WRONG)).status);
      const sixth = await page.type(await page.mint());
      expect([...statuses, sixth.status]).toEqual([400, 400, 400, 400, 400, 429]);
      expect(sixth.body).not.toContain('name="connection_code"');
      expect(locationOf(await page.visitor.submit({ decision: 'deny' })).parameters.error).toBe('access_denied');
    });

    test('are limited to twenty per address in ten minutes', async () => {
      verifies('rfc6749-10.10-guessing');
      const statuses: number[] = [];
      for (let i = 0; i < 20; i += 1) {
        await page.open();
        statuses.push((await page.type(WRONG)).status);
      }
      expect(new Set(statuses)).toEqual(new Set([400]));
      await page.open();
      const refused = await page.type(WRONG);
      expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '600']);
      given.now += 10 * MINUTE_MS;
      await page.open();
      expect((await page.type(WRONG)).status).toBe(400);
    });

    test('of a neighbour do not keep out who has the right one', async () => {
      for (let i = 0; i < 25; i += 1) {
        await page.open();
        await page.type(WRONG);
      }
      await page.open();
      expect((await page.type(await page.mint())).status).toBe(200);
      expect(await given.anonymousEvents()).toMatchObject({ connection_code_refused: 20 });
    });

    test('are counted before they are checked, so concurrent ones are limited too', async () => {
      await page.open();
      const answers = await Promise.all(Array.from({ length: 30 }, () => page.type(WRONG)));
      expect(answers.filter(({ status }) => status === 400)).toHaveLength(5);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(25);
      expect(await given.anonymousEvents()).toMatchObject({ connection_code_refused: 5 });
    });

    test('are counted, correct ones are not', async () => {
      const code = await page.mint();
      await page.open();
      const first = page.visitor.pageState;
      for (let i = 0; i < 30; i += 1) {
        page.visitor.pageState = first;
        expect((await page.type(code)).status).toBe(200);
      }
    });
  });
});
