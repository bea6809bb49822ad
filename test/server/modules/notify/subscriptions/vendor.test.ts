import { expect, test, vi } from 'vitest';
import { readPermission, writePermission } from '../../../../../server/base/principal/permission.ts';
import { describeUserPage } from '../../me/support.ts';
import { ask, askText, NAME, openAddress, sign, tell, told, WORLD } from './support.ts';

vi.setConfig({ testTimeout: 60_000 });

const permission = (changes: object) => writePermission({ ...readPermission(null), ...changes });

describeUserPage(
  'events that a service tells',
  (given) => {
    const allow = async (changes = {}) => (await given.allow('Claude', changes)).token;
    const list = async (token: string) => (await ask(given, token, 'events/list')).events;
    const poll = (token: string, params: object = {}) =>
      ask(given, token, 'events/poll', { name: NAME, cursor: null, ...params });
    const idsOf = ({ events }: { events: { eventId: string }[] }) => events.map(({ eventId }) => eventId);

    test('are listed once the connection has an address, to those who have the tool that they belong to', async () => {
      const token = await allow();
      expect(await list(token)).toEqual([]);
      await openAddress(given);
      const [listed, ...others] = await list(token);
      expect(others).toEqual([]);
      expect(listed).toMatchObject({
        name: NAME,
        delivery: ['webhook', 'poll'],
        _meta: { 'unified-tool-gateway/service': 'library', 'unified-tool-gateway/tool': 'library_find' },
      });
      expect(await list(await allow({ permission: permission({ without: ['library_find'] }) }))).toEqual([]);
      expect(await list(await allow({ services: ['archive'] }))).toEqual([]);
    });

    test('come to who polls after them, each once, in their order', async () => {
      const path = await openAddress(given);
      const token = await allow();
      const start = await poll(token);
      expect(start).toMatchObject({ events: [], truncated: false, hasMore: false, nextPollMs: 15_000 });
      for (const nonce of ['a', 'b', 'a', 'c']) expect(await tell(given, path, told(nonce))).toBe(204);
      const first = await poll(token, { cursor: start.cursor, maxEvents: 2 });
      expect([idsOf(first), first.hasMore]).toEqual([['a', 'b'], true]);
      const rest = await poll(token, { cursor: first.cursor });
      expect([idsOf(rest), rest.hasMore, rest.truncated]).toEqual([['c'], false, false]);
      expect(rest.events[0]).toEqual({
        ...{ eventId: 'c', name: NAME, timestamp: new Date(given.now).toISOString() },
        data: { id: 'c', shelf: 'north' },
      });
      expect(idsOf(await poll(token, { cursor: rest.cursor }))).toEqual([]);
    });

    test('are filtered by arguments, and never have what does not leave by the tool', async () => {
      const path = await openAddress(given);
      const token = await allow();
      const { cursor } = await poll(token);
      await tell(given, path, told('a', { shelf: 'south', owner: { name: 'Ada', taxNumber: 't-4711' } }));
      await tell(given, path, told('b', { number: 12_345_678_901_234_567_890n.toString() }));
      const south = await poll(token, { cursor, arguments: { shelf: 'south' } });
      expect(south.events).toMatchObject([{ eventId: 'a', data: { owner: { name: 'Ada' } } }]);
      expect(JSON.stringify(south)).not.toContain('4711');
      const [listed] = await list(token);
      expect(Object.keys(listed.inputSchema.properties)).toEqual(['shelf']);
      expect(JSON.stringify(listed.payloadSchema)).not.toContain('taxNumber');
      expect(await poll(token, { cursor, arguments: { taxNumber: 't-4711' } })).toMatchObject({ code: -32602 });
      expect(await poll(token, { cursor, arguments: { shelf: 7 } })).toMatchObject({ code: -32602 });
    });

    test('are polled with parameters of which each problem is named', async () => {
      await openAddress(given);
      const token = await allow();
      for (const [params, message] of [
        [{ name: 7 }, 'name must be the name of an event of events/list.'],
        [{ arguments: [] }, 'arguments must be an object.'],
        [{ cursor: 5 }, 'cursor must be a string or null.'],
        [{ maxAgeMs: -1 }, 'maxAgeMs must be a whole number.'],
        [{ maxAgeMs: null }, 'maxAgeMs must be a whole number.'],
        [{ maxEvents: 1.5 }, 'maxEvents must be a whole number.'],
      ] as const)
        expect(await poll(token, params)).toEqual({ code: -32602, message });
      expect(await poll(token, { cursor: undefined, maxEvents: 0, more: true })).toMatchObject({ events: [] });
    });

    test('stay within the pins of a grant, which no argument passes', async () => {
      const path = await openAddress(given);
      const token = await allow({ permission: permission({ pins: { library: { shelf: 'south' } } }) });
      const { cursor } = await poll(token);
      await tell(given, path, told('a'));
      await tell(given, path, told('b', { shelf: 'south' }));
      expect(idsOf(await poll(token, { cursor }))).toEqual(['b']);
      expect(await poll(token, { cursor, arguments: { shelf: 'north' } })).toMatchObject({ code: -32602 });
      const other = await allow({ permission: permission({ pins: { library: { branch: 'x' } } }) });
      expect(await list(other)).toEqual([]);
    });

    test('are those of accounts with which the allowance of the user includes their tool', async () => {
      const path = await openAddress(given);
      const token = await allow();
      const { cursor } = await poll(token);
      await tell(given, path, told('a'));
      await given.store.db.updateTable('connections').set({ account: 'home' }).execute();
      const allows = [
        { tools: ['library_find'], accounts: { library: ['work'] } },
        { tools: ['library_lend'], accounts: { library: ['home'] } },
      ];
      expect((await given.api('PUT', 'alice/allowance', { allows })).status).toBe(200);
      expect([await list(token), await poll(token, { cursor })]).toEqual([
        [],
        expect.objectContaining({ code: -32024 }),
      ]);
      expect((await given.api('PUT', 'alice/allowance', { allows: [{ ...allows[0], accounts: {} }] })).status).toBe(
        200,
      );
      expect(idsOf(await poll(token, { cursor }))).toEqual(['a']);
    });

    test('are of one user: another has no such event, and a cursor leads nowhere else', async () => {
      const path = await openAddress(given);
      const token = await allow();
      const { cursor } = await poll(token);
      await tell(given, path, told('a'));
      const { token: foreign } = await given.allow('Claude', { userId: given.other.userId });
      expect(await poll(foreign, { cursor })).toMatchObject({ code: -32024 });
      expect(await poll(token, { name: 'library.burnt' })).toMatchObject({ code: -32023, data: { kind: 'event' } });
      const wrong = await poll(token, { cursor: `${'0'.repeat(12)}.0` });
      expect([wrong.events, wrong.truncated]).toEqual([[], true]);
      expect(await poll(token, { cursor: cursor.replace(/\d+$/, '99999') })).toMatchObject({
        events: [],
        truncated: true,
      });
    });

    test('are refused without the signature of the service, and at every other address', async () => {
      const path = await openAddress(given);
      const token = await allow();
      const { cursor } = await poll(token);
      const body = told('a');
      const wrong = [sign(`${body} `), sign(body, 'another'), '', sign(body).slice(0, 32), 'ä'.repeat(64)];
      for (const signature of wrong) expect(await tell(given, path, body, encodeURI(signature))).toBe(401);
      expect(await tell(given, `${path}x`, body)).toBe(404);
      expect(await tell(given, '/api/events/utg_ea_x', body)).toBe(404);
      expect(await tell(given, path, 'no json')).toBe(400);
      expect(await tell(given, path, told('big', { text: 'x'.repeat(300_000) }))).toBe(413);
      expect(await tell(given, path, JSON.stringify({ type: 'book_burnt', payload: {} }))).toBe(204);
      const again = await openAddress(given);
      expect(await tell(given, path, body)).toBe(404);
      expect(idsOf(await poll(token, { cursor }))).toEqual([]);
      expect(await tell(given, again, body)).toBe(204);
      expect(idsOf(await poll(token, { cursor }))).toEqual(['a']);
      expect(given.lines.join()).not.toContain(again.split('/').at(-1));
    });

    test('are kept sealed for three days, and a poll from before says that some are missing', async () => {
      const path = await openAddress(given);
      const token = await allow();
      const { cursor } = await poll(token);
      await tell(given, path, told('a', { owner: { name: 'Grace' } }));
      const rows = await given.store.db.selectFrom('event_occurrences').selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain('Grace');
      given.now += 60_000;
      await tell(given, path, told('b'));
      const young = await poll(token, { cursor, maxAgeMs: 30_000 });
      expect([idsOf(young), young.truncated]).toEqual([['b'], true]);
      await given.store.db.updateTable('event_occurrences').set({ sealed: null }).where('event_id', '=', 'a').execute();
      const late = await poll(token, { cursor });
      expect([idsOf(late), late.truncated]).toEqual([['b'], true]);
      expect(await tell(given, path, told('a'))).toBe(204);
      expect(idsOf(await poll(token, { cursor: late.cursor }))).toEqual([]);
    });

    test('come in answers of about a megabyte, and none is lost', async () => {
      const path = await openAddress(given);
      const token = await allow();
      let { cursor } = await poll(token);
      const nonces = Array.from({ length: 25 }, (_, index) => `event-${index}`);
      for (const nonce of nonces) await tell(given, path, told(nonce, { text: 'x'.repeat(150_000) }));
      const pages: string[][] = [];
      for (let hasMore = true; hasMore; ) {
        const page = await poll(token, { cursor, maxEvents: 100 });
        pages.push(idsOf(page));
        ({ cursor, hasMore } = page);
      }
      expect(pages.length).toBeGreaterThan(2);
      expect(pages.flat()).toEqual(nonces);
    });

    test('keep every digit of their numbers', async () => {
      const path = await openAddress(given);
      const token = await allow();
      const { cursor } = await poll(token);
      await tell(given, path, '{"nonce":"a","type":"book_returned","payload":{"id":12345678901234567890}}');
      expect(await askText(given, token, 'events/poll', { name: NAME, cursor })).toContain(
        '{"id":"12345678901234567890"}',
      );
    });

    test('take no secret that anyone can guess', async () => {
      await openAddress(given);
      const { status, body } = await given.api('PUT', 'alice/connections/library/event-address', {
        secret: ' '.repeat(9),
      });
      expect([status, body.error_description]).toEqual([
        400,
        'secret must have at least 8 characters, not counting spaces at its ends.',
      ]);
    });

    test('end with the address', async () => {
      const path = await openAddress(given);
      const token = await allow();
      const address = 'alice/connections/library/event-address';
      expect((await given.api('POST', 'alice/connections/archive/event-address')).status).toBe(404);
      expect((await given.api('POST', address, undefined, { id: 'other', secret: given.other.secret })).status).toBe(
        404,
      );
      expect((await given.api('DELETE', address)).status).toBe(204);
      expect((await given.api('PUT', address, { secret: 'whatever-it-is' })).status).toBe(404);
      expect([await tell(given, path, told('a')), await list(token)]).toEqual([404, []]);
    });
  },
  {},
  WORLD,
);
