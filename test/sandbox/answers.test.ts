import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSandbox } from '../../sandbox/index.ts';
import type { Sandbox } from '../../sandbox/start.ts';
import { ask, KEY, postJson, type Reply, startBookshop } from './support.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startBookshop();
});
afterAll(() => sandbox.close());

describe('answers', () => {
  test('the descriptor’s example is preferred, with the id from the request', async () => {
    const reply = await ask(sandbox, '/books/7');
    expect(reply.body).toEqual({ id: 7, title: 'Ulysses', author: { name: 'James Joyce' }, isbn: null });
  });

  test('without an example the body is made from the schema and fits it', async () => {
    const { checks, descriptor } = sandbox.services.get('bookshop')!;
    const reply = await ask(sandbox, '/books/upsert', postJson({}));
    const operation = descriptor.operations.find(({ id }) => id === 'upsertBook')!;
    expect(checks.checkAnswer(operation, 200, reply.body)).toEqual([]);
    expect(Object.keys(reply.body).sort()).toEqual(['added', 'author', 'id', 'isbn', 'state', 'tags', 'title']);
    expect(reply.body.title).toBe('Sample title');
  });

  test('a list has only items that a filter asks for', async () => {
    const billing = await openSandbox({
      root: resolve(import.meta.dirname, '../..'),
      services: ['billing'],
      world: 30,
    });
    const statusesOf = async (status: string) => {
      const path = `/billing/v1/customers/d7abd0cd-4ae9-4db7-8676-e986a4ebd8dc/invoices?status=${status}`;
      const response = await fetch(billing.origin + path, { headers: { authorization: 'Bearer key' } });
      const { data } = (await response.json()) as { data: readonly { readonly status: string }[] };
      return new Set(data.map((invoice) => invoice.status));
    };
    const found = [await statusesOf('FINALIZED'), await statusesOf('DRAFT'), await statusesOf('VOID')];
    await billing.close();
    expect(found).toEqual([new Set(['FINALIZED']), new Set(['DRAFT']), new Set(['VOID'])]);
  });

  describe('of our own services', () => {
    const KEYS = { authorization: 'Bearer key', 'x-api-token': 'key', 'x-api-key': 'key' };
    let all: Sandbox;
    beforeAll(async () => {
      all = await openSandbox({ root: resolve(import.meta.dirname, '../..'), world: 30 });
    });
    afterAll(() => all.close());
    const get = async (path: string, headers: Record<string, string>) =>
      (await fetch(all.origin + path, { headers })).json();

    test('a contact is the one that the list has, by id and by e-mail address', async () => {
      const path = '/mailer/v1/brands/5f0c1f6e-3d0b-4c57-9a4e-0d6a3a1c7b21/contacts';
      const { data } = await get(`${path}?limit=25`, KEYS);
      expect(new Set(data.map(({ id }: { id: string }) => id)).size).toBe(25);
      for (const contact of [data[0], data[1], data[7]])
        expect(await get(`${path}/${contact.id}`, KEYS)).toMatchObject(contact);
      expect(await get(`${path}/omar@tidewater.example`, KEYS)).toMatchObject({
        email: 'omar@tidewater.example',
        id: data[0].id,
      });
    });

    test('a person has one name and one address in all of them', async () => {
      const mailed = await get('/mailer/v1/brands/5f0c1f6e-3d0b-4c57-9a4e-0d6a3a1c7b21/contacts', KEYS);
      const known = await get('/crm/v2/persons', KEYS);
      const nameOf = new Map(
        known.data.map((of: { primaryEmailAddress: string; firstName: string }) => [
          of.primaryEmailAddress,
          of.firstName,
        ]),
      );
      const contacts = mailed.data.slice(0, 2);
      for (const { email, field_values: values } of contacts) expect(values[0].string).toBe(nameOf.get(email));
    });

    test('days of prices ascend, none twice, and are of the ticker that was asked for', async () => {
      const rowsOf = async (query: string) => {
        const path = `/datatable/api/v3/datatables/QUOTEMEDIA/PRICES.json?${query}`;
        return (await get(path, KEYS)).datatable.data as [string, string][];
      };
      const days = (await rowsOf('qopts.per_page=25')).map(([, day]) => day);
      expect(days).toHaveLength(25);
      expect(days).toEqual([...new Set(days)].toSorted());
      const within = (await rowsOf('ticker=AAPL&qopts.per_page=25&date.gte=2026-11-10&date.lt=2026-11-21')).map(
        ([, day]) => day,
      );
      expect([within.length, within[0], within.at(-1)]).toEqual([9, '2026-11-10', '2026-11-20']);
      expect(await rowsOf('date.lt=2000-01-01')).toEqual([]);
      expect(new Set((await rowsOf('ticker=MSFT')).map(([ticker]) => ticker))).toEqual(new Set(['MSFT']));
    });
  });

  test.each([
    ['', {}, 'application/json'],
    ['?media_type=text/plain', {}, 'text/plain'],
    ['?media_type=image/png', {}, 'image/png'],
    ['', { accept: 'text/plain' }, 'text/plain'],
    ['', { accept: 'application/json, text/plain' }, 'application/json'],
  ])('the content with "%s" and %j has the media type %s', async (query, headers: Record<string, string>, want) => {
    const retrieval = await openSandbox({ root: resolve(import.meta.dirname, '../..'), services: ['retrieval'] });
    const path = `/retrieval/documents/8e4c1f0a-6d3b-4c57-9a3e-2b1f7d905c11/content${query}`;
    const response = await fetch(retrieval.origin + path, { headers: { authorization: 'Bearer key', ...headers } });
    await response.arrayBuffer();
    await retrieval.close();
    expect([response.status, response.headers.get('content-type')]).toEqual([200, want]);
  });

  test('the same request always gets the same answer', async () => {
    const first = await ask(sandbox, '/books/upsert', postJson({}));
    const other = await startBookshop();
    const second = await ask(other, '/books/upsert', postJson({}));
    await other.close();
    expect(second.body).toEqual(first.body);
  });

  test('a recursive schema gets a finite body', async () => {
    const reply = await ask(sandbox, '/admin', { headers: { authorization: 'Basic YTpi' } });
    expect(reply.body).toEqual({ value: { text: 'Sample text' }, children: [] });
  });

  test('members of the request body are repeated in an answer that declares them', async () => {
    const reply = await ask(sandbox, '/books', postJson({ title: 'Emma', author: { name: 'Jane' }, isbn: null }));
    expect([reply.status, reply.body]).toMatchObject([201, { title: 'Emma', author: { name: 'Jane' }, isbn: null }]);
  });

  test('a 204 has no body', async () => {
    const reply = await ask(sandbox, '/books/7', { method: 'DELETE' });
    expect([reply.status, reply.body, reply.headers.get('content-type')]).toEqual([204, '', null]);
  });

  test('an image operation answers with an image', async () => {
    const response = await fetch(`${sandbox.origin}/bookshop/api/v2/books/7/cover`, { headers: KEY });
    const bytes = Buffer.from(await response.arrayBuffer());
    expect([response.headers.get('content-type'), bytes.subarray(1, 4).toString()]).toEqual(['image/png', 'PNG']);
  });
});

describe('pages', () => {
  async function walk(limit: string): Promise<{ sizes: number[]; ids: number[]; totals: number[] }> {
    const sizes: number[] = [];
    const ids: number[] = [];
    const totals: number[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body }: Reply = await ask(sandbox, `/books?cursor=${cursor}${limit}`);
      sizes.push(body.books.length);
      ids.push(...body.books.map(({ id }) => id));
      totals.push(body.pagination.total_count);
      cursor = body.pagination.next_cursor;
    }
    return { sizes, ids, totals };
  }

  test('a list without a limit has pages of ten, and a null cursor on the last', async () => {
    const { sizes, ids, totals } = await walk('');
    expect(sizes).toEqual([10, 10, 5]);
    expect(new Set(ids).size).toBe(25);
    expect(totals).toEqual([25, 25, 25]);
  });

  test('the limit of the request is the page size', async () => {
    expect((await walk('&limit=12')).sizes).toEqual([12, 12, 1]);
    expect((await walk('&limit=100')).sizes).toEqual([25]);
  });

  test('an unknown cursor is refused', async () => {
    const reply = await ask(sandbox, '/books?cursor=invented');
    expect([reply.status, reply.body.violations]).toEqual([
      400,
      [{ in: 'query', name: 'cursor', message: 'is not a cursor that this sandbox gave out' }],
    ]);
  });
});
