import { expect, test } from 'vitest';
import { type Answer, describeUserPage, type UserPageUnderTest } from './support.ts';

const BURN = 'library_burn';
const LEND = 'library_lend';
const ASKING = '/me/asking';

function codeOf({ body }: Answer): string {
  const { isError, content } = body.result;
  return isError === true ? JSON.parse(content[1].text).code : 'ok';
}

async function waitingOf(given: UserPageUnderTest) {
  return (await given.api('GET', '../approvals')).body.approvals;
}

async function decideOnPage(
  given: UserPageUnderTest,
  decision: string,
  more: readonly (readonly [string, string])[] = [],
) {
  const browser = await given.entered();
  const [{ id, digest }] = await waitingOf(given);
  const fields = [['call', `${id}.${digest}`], ['decision', decision], ...more] as const;
  return browser.submit('/me/approvals', '/me/approvals/decide', fields);
}

describeUserPage(
  'a user who approves all calls of a tool for a day',
  (given) => {
    test('is offered that with the time at which it ends, sees it, ends it, and both are in the audit trail', async () => {
      const { token } = await given.allow('Cursor');
      expect(codeOf(await given.call(token, BURN, { id: '1' }))).toBe('awaiting_approval');
      const browser = await given.entered();
      const offered = (await browser.get('/me/approvals')).text;
      expect(offered).toContain('do not ask again for this tool and client until tomorrow');
      expect(offered).toContain('2030-01-16 12:00 UTC');
      expect(offered).not.toMatch(/name="remember"[^>]*checked/);
      await decideOnPage(given, 'approve', [['remember', 'yes']]);
      for (const id of ['1', '2', '3']) expect(codeOf(await given.call(token, BURN, { id }))).toBe('ok');
      expect(codeOf(await given.call((await given.allow('Other')).token, BURN, { id: '1' }))).toBe('awaiting_approval');
      const { text } = await browser.get(ASKING);
      expect(text).toContain(
        'called by “<bdi>Cursor</bdi>” <small class="unverified">unverified name</small> without asking until',
      );
      const [path] = /\/me\/asking\/choices\/[^"]+\/end/.exec(text)!;
      expect((await browser.submit(ASKING, path)).headers.get('location')).toBe(`${ASKING}?done=ended`);
      expect(codeOf(await given.call(token, BURN, { id: '4' }))).toBe('awaiting_approval');
      expect((await browser.submit(ASKING, path)).status).toBe(404);
      const [decided] = await given.auditOf('approval_decided');
      expect(decided?.details).toMatchObject({
        tool: BURN,
        by: 'page',
        until: expect.stringMatching(/^2030-01-16T12:00:/),
      });
      expect(await given.auditOf('standing_approval_ended')).toMatchObject([
        { user_id: given.userId, details: { tool: BURN, by: 'user' }, address: '127.0.0.1' },
      ]);
    });

    test('who only approves, or denies, is asked again', async () => {
      const { token } = await given.allow('Cursor');
      await given.call(token, BURN, { id: '1' });
      await decideOnPage(given, 'approve');
      await given.call(token, BURN, { id: '1' });
      expect(codeOf(await given.call(token, BURN, { id: '1' }))).toBe('awaiting_approval');
      await decideOnPage(given, 'deny', [['remember', 'yes']]);
      expect(codeOf(await given.call(token, BURN, { id: '2' }))).toBe('awaiting_approval');
    });

    test("may say so in the partner's application, until the partner wants each call approved", async () => {
      const { token } = await given.allow('Cursor');
      await given.call(token, BURN, { id: '1' });
      const [{ id, digest, may_remember }] = await waitingOf(given);
      expect(may_remember).toBe(true);
      await given.api('POST', `../approvals/${id}/decision`, { decision: 'approve', digest, remember: true });
      for (const other of ['1', '2']) expect(codeOf(await given.call(token, BURN, { id: other }))).toBe('ok');
      expect((await given.api('GET', `../approvals/${id}`)).body.status).toBe('spent');
      await given.api('PUT', '../approval-rule', { approvals: ['each'] });
      expect(codeOf(await given.call(token, BURN, { id: '3' }))).toBe('awaiting_approval');
      const [refused] = await waitingOf(given);
      expect(refused.may_remember).toBe(false);
      const answer = { decision: 'approve', digest: refused.digest, remember: true };
      expect((await given.api('POST', `../approvals/${refused.id}/decision`, answer)).status).toBe(400);
      expect((await (await given.entered()).get('/me/approvals')).text).not.toContain('name="remember"');
    });

    test('is made for several calls, of which those that are gone are named', async () => {
      const { token } = await given.allow('Cursor');
      for (const id of ['1', '2']) await given.call(token, BURN, { id });
      const [first, second] = (await waitingOf(given)).map(({ id, digest }: { id: string; digest: string }) => ({
        id,
        digest,
      }));
      const decide = (approvals: readonly unknown[], more: object) =>
        given.api('POST', '../approvals/decisions', { decision: 'approve', approvals, ...more });
      await decide([first], {});
      const { status, body } = await decide([first, second], { remember: true });
      expect([status, body]).toEqual([200, { decided: [second?.id], not_decided: [first?.id] }]);
    });

    test('cannot end the choice of another user', async () => {
      const { token } = await given.allow('Cursor');
      await given.call(token, BURN, { id: '1' });
      await decideOnPage(given, 'approve', [['remember', 'yes']]);
      const text = (await (await given.entered()).get(ASKING)).text;
      const [path] = /\/me\/asking\/choices\/[^"]+\/end/.exec(text)!;
      const browser = given.browser();
      const { body } = await given.api('POST', 'alice/links', undefined, { id: 'other', secret: given.other.secret });
      await browser.enter(body.url.slice(given.origin.length));
      expect((await browser.get(ASKING)).text).not.toContain('Cursor');
      expect((await browser.submit(ASKING.replace('/asking', ''), path)).status).toBe(404);
      expect(codeOf(await given.call(token, BURN, { id: '2' }))).toBe('ok');
    });
  },
  { APPROVALS: 'destroy', APPROVAL_REMEMBER: 'destroy' },
);

describeUserPage(
  'a user who wants to be asked more often',
  (given) => {
    const save = async (fields: readonly (readonly [string, string])[]) => {
      const browser = await given.entered();
      return browser.submit(ASKING, `${ASKING}/services/library`, fields);
    };

    test('is asked before every writing tool of the service, or before single ones, and not before others', async () => {
      const { token } = await given.allow('Cursor');
      expect(codeOf(await given.call(token, LEND))).toBe('ok');
      expect((await save([['tool', LEND]])).headers.get('location')).toBe(`${ASKING}?done=saved`);
      expect(codeOf(await given.call(token, LEND))).toBe('awaiting_approval');
      expect(codeOf(await given.call(token, 'library_find'))).toBe('ok');
      await save([['every', 'library']]);
      expect(codeOf(await given.call(token, LEND))).toBe('awaiting_approval');
      await save([]);
      expect(codeOf(await given.call(token, LEND))).toBe('ok');
      expect((await given.auditOf('own_rules_changed')).map(({ details }) => details.asked)).toEqual([
        [`tool:${LEND}`],
        ['service:library'],
        [],
      ]);
    });

    test('cannot take back what others require, nor write rules of another kind', async () => {
      const { token } = await given.allow('Cursor');
      await save([]);
      expect(codeOf(await given.call(token, BURN, { id: '1' }))).toBe('awaiting_approval');
      await save([
        ['tool', 'each,destroy'],
        ['tool', 'museum_visit'],
        ['tool', 'library_find'],
      ]);
      const row = await given.store.db
        .selectFrom('users')
        .select('approvals')
        .where('id', '=', given.userId)
        .executeTakeFirst();
      expect(row).toEqual({ approvals: null });
      const browser = await given.entered();
      expect((await browser.submit(ASKING, `${ASKING}/services/museum`, [['every', 'museum']])).status).toBe(404);
    });

    test('and the partner see which tools ask first', async () => {
      const { grantId } = await given.allow('Cursor');
      const asking = async () =>
        (await given.api('GET', 'alice/grants')).body.grants[0].may.map((may: { asking: number }) => may.asking);
      expect(await asking()).toEqual([0, 1]);
      await save([['tool', LEND]]);
      expect(await asking()).toEqual([0, 2]);
      const browser = await given.entered();
      const { text } = await browser.get(`/me/clients/${grantId}/tools/library`);
      expect(text).toContain('library_lend: writes; you approve each call');
      expect(text).toContain('library_find: reads<');
      expect((await browser.get('/me')).text).toContain('you approve each call to 2 of them');
      expect((await browser.get(ASKING)).text).toContain('Always ask: 1');
    });

    test('of another partner keeps the rules of its own', async () => {
      await save([['every', 'library']]);
      const row = await given.store.db
        .selectFrom('users')
        .select('approvals')
        .where('id', '=', given.other.userId)
        .executeTakeFirst();
      expect(row).toEqual({ approvals: null });
    });
  },
  { APPROVALS: 'destroy' },
);
