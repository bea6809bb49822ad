import { expect, test } from 'vitest';
import { setWritingStopped } from '../../../../server/base/store/repositories/switches.ts';
import { type AllowedClient, type Answer, describeUserPage, type UserPageUnderTest } from './support.ts';

const BURN = 'library_burn';
const MINUTE_MS = 60_000;

interface Waiting {
  readonly id: string;
  readonly digest: string;
  readonly sentence: string;
}

function codeOf({ body }: Answer): string {
  const { isError, content } = body.result;
  return isError === true ? JSON.parse(content[1].text).code : 'ok';
}

function urlOf({ body }: Answer): string {
  return /http\S+\/me\/approvals\S*/.exec(body.result.content[0].text)?.[0] ?? 'none';
}

function partner(given: UserPageUnderTest, method: string, path: string, body?: object): Promise<Answer> {
  return given.api(method, `../${path}`, body);
}

/** By what they would do. */
async function waitingOf(given: UserPageUnderTest): Promise<Waiting[]> {
  const approvals: Waiting[] = (await partner(given, 'GET', 'approvals')).body.approvals;
  return approvals.toSorted((a, b) => (a.sentence < b.sentence ? -1 : 1));
}

const field = ({ id, digest }: Pick<Waiting, 'id' | 'digest'>) => ['call', `${id}.${digest}`] as const;

describeUserPage(
  'a call that waits for its user',
  (given) => {
    async function asked(args: object = { id: '1' }): Promise<AllowedClient> {
      const client = await given.allow('Cursor');
      expect(codeOf(await given.call(client.token, BURN, args))).toBe('awaiting_approval');
      return client;
    }

    test('that is a batch is shown with each of its items, and approved as a whole', async () => {
      const ids = Array.from({ length: 60 }, (_, index) => `8f3c2b1a-book-${String(index).padStart(4, '0')}`);
      const batch = { id: ids[0], also: [...ids.slice(1, 59), '</code>\n\u202e<b>'] };
      const { token } = await given.allow('Cursor');
      const first = await given.call(token, BURN, batch);
      const path = urlOf(first).slice(given.origin.length);
      const browser = await given.entered();
      const { text } = await browser.get(path);
      expect(text).toContain('Burn a book, 60 times');
      expect(ids.slice(0, 59).filter((id) => !text.includes(id))).toEqual([]);
      expect(text).toContain('&quot;&lt;/code&gt;\\n\n\\u202e&lt;b&gt;&quot;');
      const [call] = await waitingOf(given);
      expect(call?.sentence).toBe('Burn a book, 60 times, with 2 arguments');
      await browser.submit(path, '/me/approvals/decide', [field(call!), ['decision', 'approve']]);
      expect(given.writes).toBe(0);
      expect((await given.call(token, BURN, batch)).body.result.structuredContent.batch).toEqual({
        count: 60,
        done: 60,
      });
      expect(given.writes).toBe(60);
    });

    test('is shown on the page that the answer names, approved there, made once, and asked for again', async () => {
      const { token } = await given.allow('<b>Cursor</b>');
      const first = await given.call(token, BURN, { id: '<i>1</i>' });
      const path = urlOf(first).slice(given.origin.length);
      expect(path).toMatch(/^\/me\/approvals\/[0-9a-f-]{36}$/);
      const browser = await given.entered();
      const { status, text } = await browser.get(path);
      expect(status).toBe(200);
      for (const shown of ['Burn a book', '&lt;b&gt;Cursor&lt;/b&gt;', '&quot;&lt;i&gt;1&lt;/i&gt;&quot;']) {
        expect(text).toContain(shown);
      }
      expect((await browser.get('/me')).text).toContain('1 action needs your approval.');
      for (const page of [text, (await browser.get('/me/approvals')).text]) {
        expect(page).toContain('The client wrote these values. Approve only what you want.');
      }
      const [call] = await waitingOf(given);
      const answer = await browser.submit(path, '/me/approvals/decide', [field(call!), ['decision', 'approve']]);
      expect([answer.status, answer.headers.get('location')]).toEqual([303, '/me/approvals?done=approved']);
      expect((await browser.get(path)).text).toContain('You approved this call.');
      expect(given.writes).toBe(0);
      expect(codeOf(await given.call(token, BURN, { id: '<i>1</i>' }))).toBe('ok');
      expect((await browser.get(path)).text).toContain('and it was made');
      expect(codeOf(await given.call(token, BURN, { id: '<i>1</i>' }))).toBe('awaiting_approval');
      expect(given.writes).toBe(1);
      expect(await given.auditOf('approval_decided')).toMatchObject([
        { user_id: given.userId, details: { tool: BURN, decision: 'approved', by: 'page' }, address: '127.0.0.1' },
      ]);
    });

    test('is denied on the page, which stops its client', async () => {
      const { token } = await asked();
      const [call] = await waitingOf(given);
      const browser = await given.entered();
      await browser.submit('/me/approvals', '/me/approvals/decide', [field(call!), ['decision', 'deny']]);
      expect(codeOf(await given.call(token, BURN, { id: '1' }))).toBe('denied_by_user');
      expect(given.writes).toBe(0);
    });

    test('is approved together with those of its tool and client that the user selects, each as it was shown', async () => {
      const { token } = await asked();
      for (const id of ['2', '3']) await given.call(token, BURN, { id });
      const browser = await given.entered();
      const { text } = await browser.get('/me/approvals');
      expect(text).toContain('The client wrote these values. Approve only what you want.');
      const levels = [...text.matchAll(/<h([1-6])/g)].map(([, level]) => Number(level));
      expect(levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1)).toEqual([]);
      expect(text.match(/type="checkbox" name="call"/g)).toHaveLength(3);
      expect(text).not.toMatch(/type="checkbox"[^>]+ checked/);
      const [, ...calls] = await waitingOf(given);
      await browser.submit('/me/approvals', '/me/approvals/decide', [...calls.map(field), ['decision', 'approve']]);
      for (const id of ['2', '3']) expect(codeOf(await given.call(token, BURN, { id }))).toBe('ok');
      for (const id of ['1', '4']) expect(codeOf(await given.call(token, BURN, { id }))).toBe('awaiting_approval');
      expect(given.writes).toBe(2);
      const none = await browser.submit('/me/approvals', '/me/approvals/decide', [['decision', 'approve']]);
      expect([none.status, none.text.includes('Select a call first.')]).toEqual([400, true]);
    });

    test("is decided in the partner's application together with others, and each only as it was shown", async () => {
      const { token } = await asked();
      for (const id of ['2', '3']) await given.call(token, BURN, { id });
      const [one, two, three] = await waitingOf(given);
      const approvals = [one!, { id: two!.id, digest: three!.digest }, { id: 'nobody', digest: 'x' }];
      const decide = (as?: { id: string; secret: string }) =>
        given.api(
          'POST',
          '../approvals/decisions',
          { decision: 'approve', approvals: approvals.map(({ id, digest }) => ({ id, digest })) },
          as,
        );
      const outsider = await decide({ id: 'other', secret: given.other.secret });
      expect(outsider.body.decided).toEqual([]);
      expect((await decide()).body).toEqual({ decided: [one!.id], not_decided: [two!.id, 'nobody'] });
      expect((await decide()).body.decided).toEqual([]);
      expect(codeOf(await given.call(token, BURN, { id: '1' }))).toBe('ok');
      for (const id of ['2', '3']) expect(codeOf(await given.call(token, BURN, { id }))).toBe('awaiting_approval');
      expect(given.writes).toBe(1);
    });

    test.each([
      ['a browser without a session', async () => given.browser()],
      [
        'the user of another partner',
        async () => {
          const browser = given.browser();
          const { body } = await given.api('POST', 'alice/links', undefined, {
            id: 'other',
            secret: given.other.secret,
          });
          await browser.enter(body.url.slice(given.origin.length));
          return browser;
        },
      ],
    ])('is neither shown to %s, nor decided by it', async (_, open) => {
      await asked();
      const [call] = await waitingOf(given);
      const browser = await open();
      const shown = await browser.get(`/me/approvals/${call!.id}`);
      expect([401, 404]).toContain(shown.status);
      expect(shown.text).not.toContain('Burn');
      const csrf = /name="csrf" value="([^"]+)"/.exec((await browser.get('/me')).text)?.[1] ?? '';
      const fields = [['csrf', csrf], field(call!), ['decision', 'approve']] as const;
      expect((await browser.post('/me/approvals/decide', fields)).status).toBeGreaterThanOrEqual(400);
      expect(await waitingOf(given)).toHaveLength(1);
    });

    test('is not approved by a form of another site or session, or for another call than it names', async () => {
      const { token } = await asked();
      await given.call(token, BURN, { id: '2' });
      const [one, two] = await waitingOf(given);
      const browser = await given.entered();
      const decision = ['decision', 'approve'] as const;
      const forged = await browser.post('/me/approvals/decide', [['csrf', 'x'], field(one!), decision]);
      expect(forged.status).toBe(403);
      const csrf = /name="csrf" value="([^"]+)"/.exec((await browser.get('/me')).text)?.[1] ?? '';
      const site = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' };
      expect((await browser.post('/me/approvals/decide', [['csrf', csrf], field(one!), decision], site)).status).toBe(
        403,
      );
      const swapped = ['call', `${one!.id}.${two!.digest}`] as const;
      const answer = await browser.post('/me/approvals/decide', [['csrf', csrf], swapped, decision]);
      expect([answer.status, answer.text.includes('could not be decided')]).toEqual([400, true]);
      expect(await waitingOf(given)).toHaveLength(2);
    });

    test("is approved through the partner's application, which sees what the user sees", async () => {
      const { token } = await asked({ id: '7' });
      const [call] = await waitingOf(given);
      const { body: shown } = await partner(given, 'GET', `approvals/${call!.id}`);
      expect(shown).toMatchObject({
        user_id: 'alice',
        client: { client_name: 'Cursor' },
        service: 'library',
        tool: BURN,
        status: 'pending',
        sentence: 'Burn a book: id "7"',
        complete: true,
        arguments: [{ name: 'id', value: '"7"', origin: 'client', warning: null }],
      });
      const answer = { decision: 'approve', digest: shown.digest };
      const { status, body } = await partner(given, 'POST', `approvals/${call!.id}/decision`, answer);
      expect([status, body.status, body.channel, body.arguments]).toEqual([200, 'approved', 'partner', null]);
      const again = await partner(given, 'POST', `approvals/${call!.id}/decision`, answer);
      expect([again.status, again.body.error]).toEqual([409, 'not_decidable']);
      expect(codeOf(await given.call(token, BURN, { id: '7' }))).toBe('ok');
      expect(codeOf(await given.call(token, BURN, { id: '7' }))).toBe('awaiting_approval');
      expect((await partner(given, 'GET', `approvals/${call!.id}`)).body.status).toBe('spent');
      expect(given.writes).toBe(1);
    });

    test('is not found by another partner, not decided with another digest, and not after it expired', async () => {
      await asked();
      const [call] = await waitingOf(given);
      const as = { id: 'other', secret: given.other.secret };
      const path = `../approvals/${call!.id}`;
      const decide = (digest: string, who?: typeof as) =>
        given.api('POST', `${path}/decision`, { decision: 'approve', digest }, who);
      expect((await given.api('GET', path, undefined, as)).status).toBe(404);
      expect((await given.api('GET', '../approvals', undefined, as)).body.approvals).toEqual([]);
      expect((await decide(call!.digest, as)).status).toBe(404);
      expect((await decide('another')).body.error).toBe('not_decidable');
      given.now += 11 * MINUTE_MS;
      expect((await decide(call!.digest)).body.error).toBe('not_decidable');
      expect((await given.api('GET', path)).body).toMatchObject({ status: 'expired', arguments: null });
    });

    test('may be of more kinds where the partner requires that, which it cannot take back', async () => {
      const { token } = await given.allow('Cursor');
      expect(codeOf(await given.call(token, 'library_lend'))).toBe('ok');
      const { body } = await partner(given, 'PUT', 'approval-rule', { approvals: ['write'] });
      expect(body).toEqual({ approvals: ['write'] });
      expect(codeOf(await given.call(token, 'library_lend'))).toBe('awaiting_approval');
      expect((await partner(given, 'PUT', 'approval-rule', { approvals: [] })).status).toBe(400);
      expect((await partner(given, 'GET', 'approval-rule')).body).toEqual({ approvals: ['write'] });
    });

    test('is refused at once while the operator has stopped everything that writes, with or without an approval', async () => {
      const { token } = await asked();
      const [call] = await waitingOf(given);
      await partner(given, 'POST', `approvals/${call!.id}/decision`, { decision: 'approve', digest: call!.digest });
      const set = (isStopped: boolean) =>
        given.store.db
          .transaction()
          .execute((transaction) => setWritingStopped(transaction, isStopped, { now: given.now }));
      expect([await set(true), await set(true)]).toEqual([true, false]);
      expect(codeOf(await given.call(token, BURN, { id: '1' }))).toBe('writing_stopped');
      expect(codeOf(await given.call(token, 'library_lend'))).toBe('writing_stopped');
      expect(codeOf(await given.call(token, 'library_find'))).toBe('ok');
      expect(given.writes).toBe(0);
      expect(await set(false)).toBe(true);
      expect(codeOf(await given.call(token, BURN, { id: '1' }))).toBe('ok');
      expect(await given.auditOf('writing_stopped')).toHaveLength(1);
      expect(await given.auditOf('writing_resumed')).toHaveLength(1);
    });
  },
  { APPROVALS: 'destroy' },
);

describeUserPage(
  'where the operator accepts no page and no partner',
  (given) => {
    test('neither decides', async () => {
      const { token } = await given.allow('Cursor');
      const answer = await given.call(token, BURN, { id: '1' });
      expect([codeOf(answer), urlOf(answer)]).toEqual(['awaiting_approval', 'none']);
      const [call] = await waitingOf(given);
      const sent = { decision: 'approve', digest: call!.digest };
      const { body } = await partner(given, 'POST', `approvals/${call!.id}/decision`, sent);
      expect(body.error).toBe('channel_not_accepted');
      const browser = await given.entered();
      const fields = [field(call!), ['decision', 'approve']] as const;
      expect((await browser.submit('/me/approvals', '/me/approvals/decide', fields)).status).toBe(400);
      expect(await waitingOf(given)).toHaveLength(1);
    });
  },
  { APPROVALS: 'destroy', APPROVAL_CHANNELS: 'client' },
);
