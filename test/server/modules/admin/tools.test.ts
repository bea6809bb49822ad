import { describe, expect, test } from 'vitest';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import { exampleFields } from '../../../../server/modules/admin/pages/tools/tool-form.ts';
import { searchAuditEvents } from '../../../../server/modules/audit/search.ts';
import { fakeTool } from '../../../support/fake-connector.ts';
import { connect } from '../../base/store/fixtures.ts';
import { givenDashboard, linksOf, rowsOf } from './support.ts';

const given = givenDashboard();

describe('the list of tools', () => {
  const namesOn = async (query: string) => {
    const { text } = await (await given.operator()).get(`/admin/tools${query}`);
    return linksOf(text).filter((to) => to.startsWith('/admin/tools/library_'));
  };

  test('begins with services, their number of tools, and what these may do', async () => {
    const { text } = await (await given.operator()).get('/admin/tools?user=u');
    expect(rowsOf(text)).toEqual([['Library', 'The Library.', '2', '1', '1', '0']]);
    expect(linksOf(text)).toContain('/admin/tools?user=u&service=library&effect=reads');
  });

  test.each([
    ['?service=library', ['/admin/tools/library_burn', '/admin/tools/library_find']],
    ['?service=other', []],
    ['?effect=reads', ['/admin/tools/library_find']],
    ['?effect=writes&user=u', ['/admin/tools/library_burn?user=u']],
    ['?q=BURN', ['/admin/tools/library_burn']],
    ['?q=library%20find', ['/admin/tools/library_find']],
    ['?q=%00&effect=x', []],
  ])('is narrowed by %s', async (query, names) => {
    expect((await namesOn(query)).toSorted()).toEqual(names);
  });
});

describe('the form of a tool', () => {
  const path = '/admin/tools/library_find';

  test('is filled with defaults and examples of its schema, or with the simplest valid required values', () => {
    const input = {
      properties: {
        query: { type: 'string', examples: ['parental leave', 'other'] },
        limit: { type: 'integer', minimum: 3 },
        exact: { type: 'boolean' },
        order: { type: 'string', enum: ['new', 'old'] },
        filter: { type: 'object', properties: { year: { type: 'integer', examples: [1984] } }, required: ['year'] },
        optional: { type: 'string', examples: ['not needed'] },
      },
      required: ['query', 'limit', 'exact', 'order', 'filter'],
    };
    expect(Object.fromEntries(exampleFields(fakeTool({ name: 'library_find', input })))).toEqual({
      'arg.query': 'parental leave',
      'arg.limit': '3',
      'arg.exact': 'true',
      'arg.order': 'new',
      'arg.filter': '{"year":1984}',
    });
  });

  test('prefers the example of the tool', () => {
    const properties = { query: { type: 'string', examples: ['of the argument'] }, limit: { type: 'integer' } };
    const examples = [{ query: 'of the tool', limit: 2, unknown: true }, { query: 'second' }];
    const tool = fakeTool({ name: 'library_find', input: { properties, required: ['query'], examples } });
    expect(Object.fromEntries(exampleFields(tool))).toEqual({ 'arg.query': 'of the tool', 'arg.limit': '2' });
  });

  test('runs unchanged', async () => {
    const operator = await given.operator();
    const { text } = await operator.get(path);
    const [, words = ''] = /name="arg.words"[^>]*value="([^"]*)"/.exec(text) ?? [];
    expect(words).not.toBe('');
    await operator.submit(path, path, { user: given.userId, 'arg.words': words });
    expect(given.calls[0]?.[2]).toEqual({ words });
  });

  test('shows the request of a call without making it, also of a tool that writes', async () => {
    const operator = await given.operator();
    const form = { do: 'show', user: given.userId, arguments: '{"words":"<b>"}' };
    const { text, status } = await operator.submit('/admin/tools/library_burn', '/admin/tools/library_burn', form);
    expect([status, given.calls.length, given.dryRuns.map(([, name]) => name)]).toEqual([200, 0, ['library_burn']]);
    expect(given.dryRuns[0]?.[2]).toEqual({ words: '<b>' });
    const lines = 'POST https://library.example/find?words=%3Cb%3E\nauthorization: (credential)\n';
    expect(text).toContain(
      `<pre>${lines}content-type: application/json\n\n{&quot;a&quot;:&quot;&lt;i&gt;1&quot;}</pre>`,
    );
    const events = await searchAuditEvents(given.store.db, {}, 100);
    expect(events.filter(({ type }) => type === 'tool_tried')).toEqual([]);
  });

  test('finds any user of the service by name, not only the newest', async () => {
    const { db } = given.store;
    for (let index = 0; index < 60; index += 1) {
      const key = { partnerId: given.partnerId, externalUserId: `user-${index}`, now: given.now + 1 + index };
      await connect(given.store, { userId: (await ensureUser(db, key)).id, service: 'library', now: given.now });
    }
    const operator = await given.operator();
    const offered = async (query: string) => {
      const { text } = await operator.get(path + query);
      return {
        text,
        names: [...text.matchAll(/<option value="[^"]*"(?: selected)?>([^<]*) \(Acme\)/g)].map(([, name]) => name),
      };
    };
    const newest = await offered('');
    expect([newest.names.length, newest.names.includes('alice')]).toEqual([50, false]);
    expect(newest.text).toContain('The 50 newest users are listed.');
    expect((await offered('?who=ALI')).names).toEqual(['alice']);
    expect((await offered(`?user=${given.userId}`)).names[0]).toBe('alice');
    expect((await offered('?who=nobody')).text).toContain('No user whose user_id contains this has connected Library.');
    const ran = await operator.submit(`${path}?who=ali`, path, { who: 'ali', user: given.userId, 'arg.words': 'x' });
    expect([ran.text.includes('value="ali"'), given.calls.length]).toEqual([true, 1]);
  });
});
