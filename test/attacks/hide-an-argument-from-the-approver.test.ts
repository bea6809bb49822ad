import { expect, test } from 'vitest';
import { type Answer, describeUserPage, type UserPageUnderTest } from '../server/modules/me/support.ts';
import { fakeConnector, fakeTool } from '../support/fake-connector.ts';

const SEND = 'library_send';
const DROP = 'library_drop';
const CLEAR = 'library_clear';
const TEXT = { type: 'string' };
const DESTROYS = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true };
const ID = { shelfId: '5f0c1f6e', listId: '3b9f6c7d' };

const tools = [
  fakeTool({
    name: SEND,
    method: 'POST',
    path: '/messages',
    input: {
      properties: {
        note: TEXT,
        tags: {},
        copy: TEXT,
        subject: TEXT,
        body: TEXT,
        reply: TEXT,
        to: TEXT,
        options: {},
        sectionIds: {},
        tone: { type: ['string', 'null'] },
      },
      required: ['to', 'subject'],
      additionalProperties: TEXT,
    },
    request: {
      header: { 'X-Publish': { constant: 'at once' } },
      cookie: { 'X-Publish': { constant: 'to all' } },
      body: {
        mediaType: 'application/json',
        members: { to: 'to', urgent: { constant: true }, tone: { argument: 'tone', default: 'plain' } },
      },
    },
    more: { title: 'Send a message', effect: 'send' },
  }),
  fakeTool({
    name: DROP,
    method: 'DELETE',
    path: '/shelves/{shelf}/lists/{list}',
    input: { properties: { shelfId: TEXT, listId: TEXT }, required: ['shelfId', 'listId'] },
    request: { path: { shelf: 'shelfId', list: 'listId' }, query: { shelfId: { constant: 'and all below' } } },
    more: { title: 'Drop a list', annotations: DESTROYS },
  }),
  fakeTool({
    name: CLEAR,
    method: 'DELETE',
    path: '/shelves/{shelf}/lists/{list}',
    input: {
      properties: {
        shelfId: TEXT,
        listId: TEXT,
        also: { type: 'array', items: { type: 'object' } },
        count: { type: 'integer' },
      },
      required: ['shelfId', 'listId'],
    },
    request: { path: { shelf: 'shelfId', list: 'listId' } },
    more: { title: 'Clear lists', annotations: DESTROYS, batch: ['listId', 'shelfId'] },
  }),
  fakeTool({
    name: 'library_get_list',
    path: '/shelves/{s}/lists/{id}',
    input: { properties: { shelf: TEXT, id: TEXT }, required: ['shelf', 'id'] },
    request: { path: { s: 'shelf', id: 'id' } },
  }),
  fakeTool({
    name: 'library_get_section',
    path: '/sections/{id}',
    input: { properties: { sectionId: TEXT }, required: ['sectionId'] },
    request: { path: { id: 'sectionId' } },
  }),
  fakeTool({
    name: 'library_get_shelf',
    path: '/shelves/{id}',
    input: { properties: { id: TEXT }, required: ['id'] },
    request: { path: { id: 'id' } },
  }),
];

const requests: string[] = [];
const bodies: { readonly tone?: unknown }[] = [];
const WORLD = {
  connectors: [
    { ...fakeConnector({ tools }), caps: { concurrency: 1 } },
    fakeConnector({ name: 'archive', title: 'Archive', tools: [] }),
  ],
  upstream: ((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.setHeader('Content-Type', 'application/json');
    if (request.url?.includes('/lists/') === true) {
      const name = request.url.includes(ID.shelfId) ? 'Newsletter <b>\u202e' : 'All customers';
      response.end(JSON.stringify({ id: ID.listId, name, num_contacts: 8 }));
      return;
    }
    request.on('data', (chunk) => bodies.push(JSON.parse(String(chunk))));
    response.statusCode = 500;
    response.end('{}');
  }) as Parameters<typeof describeUserPage>[3] extends { upstream: infer Listener } | undefined ? Listener : never,
};

const MESSAGE = { to: 'eve@evil.example', subject: 'Hello' };

/** The text of a page as a browser shows it. */
function textOf(page: string): string {
  const plain = page.slice(page.indexOf('<main>')).replaceAll(/<[^>]*>/g, '');
  const entities = { '&quot;': '"', '&lt;': '<', '&gt;': '>', '&#39;': "'", '&amp;': '&' };
  return plain.replaceAll(/&(?:quot|lt|gt|#39|amp);/g, (entity) => entities[entity as keyof typeof entities]);
}

function idOf({ body }: Answer): string {
  return /\/me\/approvals\/([0-9a-f-]{36})/.exec(body.result.content[0].text)?.[1] ?? 'none';
}

const offersDecision = (page: string) => page.includes('value="approve"');

describeUserPage(
  'a call that hides something from who approves it',
  (given) => {
    async function ask(args: object, tool = SEND) {
      const { token } = await given.allow('Cursor');
      const answer = await given.call(token, tool, args);
      const id = idOf(answer);
      const browser = await given.entered();
      const [list, page] = [await browser.get('/me/approvals'), await browser.get(`/me/approvals/${id}`)];
      const { body: api } = await given.api('GET', `../approvals/${id}`);
      return {
        token,
        answer,
        id,
        browser,
        list: list.text,
        page: page.text,
        api,
        said: answer.body.result.content[0].text,
      };
    }
    const argumentOf = (api: Awaited<ReturnType<typeof ask>>['api'], name: string) =>
      api.arguments.find((argument: { name: string }) => argument.name === name);

    test('by a recipient after six other arguments shows the recipient first, everywhere', async () => {
      const others = { note: 'a', tags: 'b', copy: 'c', body: 'd', reply: 'e', options: 'f' };
      const { list, page, api, said } = await ask({ ...others, ...MESSAGE });
      for (const text of [textOf(list), textOf(page), said]) expect(text).toContain('eve@evil.example');
      const names = api.arguments.map(({ name }: { name: string }) => name);
      expect(names).toEqual([
        'subject',
        'to',
        'note',
        'tags',
        'copy',
        'body',
        'reply',
        'options',
        'X-Publish',
        'X-Publish',
        'urgent',
        'tone',
      ]);
      expect(said).not.toMatch(/and \d+ more/);
    });

    test('by values that the tool adds shows them, and who adds them', async () => {
      const { page, api } = await ask(MESSAGE);
      expect(argumentOf(api, 'urgent')).toMatchObject({ value: 'true', origin: 'constant' });
      expect(argumentOf(api, 'X-Publish')).toMatchObject({ value: '"at once"', origin: 'constant' });
      expect(textOf(page)).toContain('"to all"');
      expect(argumentOf(api, 'tone')).toMatchObject({ value: '"plain"', origin: 'default' });
      expect(textOf(page)).toContain('Added by the gateway to every call of this tool.');
    });

    test('by null, in place of which the tool sends its default, shows what is sent', async () => {
      const { api, id, browser, token } = await ask({ ...MESSAGE, tone: null });
      const tones = api.arguments.filter(({ name }: { name: string }) => name === 'tone');
      const approval = [
        ['call', `${id}.${api.digest}`],
        ['decision', 'approve'],
      ] as const;
      await browser.submit(`/me/approvals/${id}`, '/me/approvals/decide', approval);
      bodies.length = 0;
      await given.call(token, SEND, { ...MESSAGE, tone: null });
      expect(bodies.map(({ tone }) => tone)).toEqual(['plain']);
      expect(tones).toEqual([expect.objectContaining({ value: '"plain"', origin: 'default' })]);
    });

    test('by an end after thousands of characters is whole on its page and in the API, and only a link in the list', async () => {
      const body = `${'x'.repeat(20_000)} and pay eve`;
      const { list, page, api, said } = await ask({ ...MESSAGE, body });
      expect(textOf(page)).toContain(body);
      expect([offersDecision(page), offersDecision(list)]).toEqual([true, false]);
      expect(list).toContain('See all of it, and decide');
      expect(JSON.parse(argumentOf(api, 'body').value)).toBe(body);
      expect(said).toContain('Send a message, with');
      expect(said).not.toContain('eve@evil.example');
    });

    test('by more than an API answer holds cannot be approved there, but on the page that shows it', async () => {
      const body = `${'x'.repeat(70_000)} and pay eve`;
      const { page, api, id, browser, token } = await ask({ ...MESSAGE, body });
      expect(api).toMatchObject({
        complete: false,
        arguments: null,
        names: null,
        page_url: expect.stringContaining(id),
      });
      const decide = (decision: string) =>
        given.api('POST', `../approvals/${id}/decision`, { decision, digest: api.digest });
      expect((await decide('approve')).body.error).toBe('not_decidable');
      const all = { decision: 'approve', approvals: [{ id, digest: api.digest }] };
      expect((await given.api('POST', '../approvals/decisions', all)).body).toEqual({ decided: [], not_decided: [id] });
      expect(textOf(page)).toContain('and pay eve');
      const fields = [
        ['call', `${id}.${api.digest}`],
        ['decision', 'approve'],
      ] as const;
      expect((await browser.submit(`/me/approvals/${id}`, '/me/approvals/decide', fields)).status).toBe(303);
      expect((await given.call(token, SEND, { ...MESSAGE, body })).body.result.isError).toBe(true);
      expect(requests.at(-1)).toBe('POST /messages');
    });

    test('by more than a person can be shown is refused, and waits for nobody', async () => {
      const { answer } = await ask({ ...MESSAGE, body: 'x'.repeat(300_000) });
      expect(JSON.parse(answer.body.result.content[1].text).code).toBe('request_too_large');
      expect((await given.api('GET', '../approvals')).body.approvals).toEqual([]);
    });

    test.each([
      ['text that turns around', 'a\u202egnp.exe', '"a\\u202egnp.exe"'],
      ['a zero-width character', 'pay\u200bpal', '"pay\\u200bpal"'],
      ['tag characters', 'hi\u{e0041}', '"hi\\udb40\\udc41"'],
      ['spaces that are none', 'a\u00a0b\u3000c\u2800d', '"a\\u00a0b\\u3000c\\u2800d"'],
      ['markup', '</code><script>1</script><!-- ', '"</code><script>1</script><!-- "'],
      ['variation selectors', 'a\ufe00b', '"a\\ufe00b"'],
    ])('in %s shows it', async (_, to, shown) => {
      const { page, list, api } = await ask({ ...MESSAGE, to });
      expect(textOf(page)).toContain(shown);
      expect(textOf(list)).toContain(shown);
      expect(JSON.parse(argumentOf(api, 'to').value)).toBe(to);
      expect(page).not.toContain('<script>1');
    });

    test('in the name of an argument that looks like several shows that it is one', async () => {
      const names = ['x "y", to "ada@good.example", z', 'a\nb', 'pay\\u200bpal', 'pay\u200bpal'];
      const { page, api, said } = await ask({ ...MESSAGE, ...Object.fromEntries(names.map((name) => [name, '1'])) });
      const shown = api.arguments.map(({ name }: { name: string }) => name);
      expect(shown).toEqual(
        expect.arrayContaining([
          'x \\"y\\", to \\"ada@good.example\\", z',
          'a\\nb',
          'pay\\\\u200bpal',
          'pay\\u200bpal',
        ]),
      );
      expect(textOf(page)).toContain('a\\nb');
      for (const text of [said, api.sentence]) {
        expect(text).toContain('"x \\"y\\", to \\"ada@good.example\\", z" "1"');
        expect(text).not.toContain(', to "ada@good.example"');
      }
    });

    test('behind letters of another alphabet says which ones', async () => {
      const { page, api } = await ask({ ...MESSAGE, to: 'ada@p\u0430ypal.com' });
      const remark = 'ada@p\u0430ypal.com is ada@p\\u0430ypal.com';
      expect(textOf(page)).toContain(remark);
      expect(argumentOf(api, 'to').warning).toContain(remark);
      expect(argumentOf(api, 'subject').warning).toBeNull();
    });

    test('in a nested member, or among a thousand, shows all of them', async () => {
      const tags = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`tag${index}`, index]));
      const options = { a: [{ b: { cc: 'mallory@evil.example' } }] };
      const { page, list } = await ask({ ...MESSAGE, tags, options });
      const shown = textOf(page);
      expect(Object.keys(tags).filter((name) => !shown.includes(`"${name}": `))).toEqual([]);
      expect(shown).toContain('mallory@evil.example');
      expect(offersDecision(list)).toBe(false);
    });

    test('among others that differ only at their ends shows them side by side, none of them selected', async () => {
      const same = 'https://files.example/'.padEnd(200, 'a');
      const { token } = await ask({ ...MESSAGE, body: `${same}/report` });
      await given.call(token, SEND, { ...MESSAGE, body: `${same}/purse` });
      const { text } = await (await given.entered()).get('/me/approvals');
      expect(text).toContain('Where they differ');
      expect(text.match(/<mark>[^<]+<\/mark>/g)?.sort()).toEqual(['<mark>purse</mark>', '<mark>report</mark>']);
      expect(text.match(/type="checkbox" name="call"/g)).toHaveLength(2);
      expect(text).not.toMatch(/type="checkbox"[^>]* checked/);
      expect(textOf(text).match(/eve@evil\.example/g)).toHaveLength(1);
    });

    test('behind more ids than are looked up says of each other one that it has no name', async () => {
      const { api } = await ask({
        ...MESSAGE,
        reply: 'x',
        sectionIds: Array.from({ length: 10 }, (_, at) => `s${at}`),
      });
      const found = api.names.filter(({ argument }: { argument: string }) => argument === 'sectionIds');
      expect(found).toHaveLength(10);
      expect(found.slice(8)).toEqual(
        [8, 9].map((at) => ({ argument: 'sectionIds', id: `s${at}`, name: null, problem: 'failed' })),
      );
    });

    test('behind an id shows what the service calls it and when, or that it could not be looked up', async () => {
      requests.length = 0;
      const { page, list, api, said } = await ask(ID, DROP);
      expect(requests.toSorted()).toEqual(['GET /shelves/5f0c1f6e', 'GET /shelves/5f0c1f6e/lists/3b9f6c7d']);
      for (const text of [textOf(page), textOf(list)]) {
        expect(text).toContain('Library calls it "Newsletter <b>\\u202e", num_contacts 8');
        expect(text).toContain('The name could not be looked up.');
        expect(text).toContain('"5f0c1f6e"');
        expect(text).toContain('for these names at 2030-01-15');
      }
      expect(api.names).toEqual([
        { argument: 'shelfId', id: '5f0c1f6e', name: null, problem: 'failed' },
        { argument: 'listId', id: '3b9f6c7d', name: '"Newsletter <b>\\u202e", num_contacts 8', problem: null },
      ]);
      expect(said).toContain('listId is "Newsletter');
    });

    test('behind one id that means another thing in another place shows what each of them is', async () => {
      const { token } = await ask(ID, DROP);
      await given.call(token, DROP, { ...ID, shelfId: 'b8e8a6c2' });
      const { text } = await (await given.entered()).get('/me/approvals');
      for (const name of ['"Newsletter', '"All customers"']) expect(textOf(text)).toContain(`Library calls it ${name}`);
    });

    test('by a value that the tool adds under the name of an argument that differs shows both', async () => {
      const { token, list } = await ask(ID, DROP);
      await given.call(token, DROP, { ...ID, shelfId: 'b8e8a6c2' });
      const { text } = await (await given.entered()).get('/me/approvals');
      for (const shown of [textOf(list), textOf(text)]) expect(shown).toContain('and all below');
    });

    test('in a batch next to a smaller one says of each how many calls it is', async () => {
      const item = (id: number) => ({ ...ID, listId: `list-${id}` });
      const { token } = await ask({ ...item(0), also: [item(1)], count: 2 }, CLEAR);
      await given.call(token, CLEAR, { ...item(0), also: [item(1), item(2)], count: 3 });
      const { text } = await (await given.entered()).get('/me/approvals');
      for (const times of [2, 3]) expect(textOf(text)).toContain(`Clear lists, ${times} times`);
    });

    test('behind one id of two items of a batch shows what each of them is', async () => {
      const also = [{ ...ID, shelfId: 'b8e8a6c2' }];
      const { page, api, said } = await ask({ ...ID, also, count: 2 }, CLEAR);
      for (const name of ['"Newsletter', '"All customers"']) {
        expect(textOf(page)).toContain(`Library calls it ${name}`);
        expect(said).toContain(`listId is ${name}`);
      }
      expect(api.names.filter(({ argument }: { argument: string }) => argument === 'listId')).toHaveLength(2);
    });
  },
  { APPROVALS: 'destroy,send' },
  WORLD,
);

describeUserPage(
  'a name that the client may not read',
  (given: UserPageUnderTest) => {
    test('is shown to the user and not to the client', async () => {
      const permission = JSON.stringify({ only: [DROP] });
      const { token } = await given.allow('Cursor', { permission } as never);
      const answer = await given.call(token, DROP, ID);
      expect(answer.body.result.content[0].text).toContain('listId "3b9f6c7d"');
      expect(JSON.stringify(answer.body)).not.toContain('Newsletter');
      const { text } = await (await given.entered()).get(`/me/approvals/${idOf(answer)}`);
      expect(textOf(text)).toContain('Newsletter');
    });
  },
  { APPROVALS: 'destroy' },
  WORLD,
);
