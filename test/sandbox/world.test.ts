import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenSandbox, openSandbox } from '../../sandbox/index.ts';
import type { Sandbox } from '../../sandbox/start.ts';
import { ask, postJson, startBookshop } from './support.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const KEYS = { authorization: 'Bearer key', 'x-api-token': 'key', 'x-api-key': 'key' };
const BRAND = '5f0c1f6e-3d0b-4c57-9a4e-0d6a3a1c7b21';
const NEWSLETTER = '3b9f6c7d-5e20-4d1a-97c8-b4a1e0f2d386';
const ALL_CONTACTS = '8e1d4b0a-2c6f-4f39-8b57-6d0e9a3c5f12';
const ACME = 'd7abd0cd-4ae9-4db7-8676-e986a4ebd8dc';
const PRICES = '/datatable/api/v3/datatables/QUOTEMEDIA/PRICES.json';
const CONTACTS = `/mailer/v1/brands/${BRAND}/contacts`;
const INVOICES = `/billing/v1/customers/${ACME}/invoices`;

// biome-ignore lint/suspicious/noExplicitAny: answers of five services.
type Json = any;

let sandbox: OpenSandbox;
beforeAll(async () => {
  sandbox = await openSandbox({ root: ROOT, world: 200 });
});
afterAll(() => sandbox.close());

async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(sandbox.origin + path, { method, headers: { ...KEYS, ...type, ...headers }, ...init });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, body: (isJson ? JSON.parse(text) : text) as Json };
}
const get = async (path: string, headers = {}): Promise<Json> => (await send('GET', path, undefined, headers)).body;
const records = (service: string, list: string): readonly Json[] => sandbox.services.get(service)!.world!.records(list);

describe('the world of the sandbox', () => {
  test('has as many records as its size says, by the factor of the list', () => {
    expect(records('crm', '/v2/persons')).toHaveLength(200);
    expect(records('crm', '/v2/opportunities')).toHaveLength(200);
    expect(records('retrieval', '/documents')).toHaveLength(200);
    expect(records('mailer', '/v1/brands/{brand_id}/contacts')).toHaveLength(960);
    expect(records('billing', '/v1/customers/{customer_id}/invoices')).toHaveLength(2400);
  });

  test.each([
    ['crm', '/v2/persons'],
    ['crm', '/v2/companies'],
    ['crm', '/v2/opportunities'],
    ['crm', '/v2/lists/{listId}/list-entries'],
    ['mailer', '/v1/brands/{brand_id}/contacts'],
    ['billing', '/v1/customers'],
    ['billing', '/v1/customers/{customer_id}/invoices'],
    ['retrieval', '/documents'],
  ])('no two records of %s %s have the same id', (service, list) => {
    const ids = records(service, list).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each([
    ['/crm/v2/persons', 'data', ''],
    ['/crm/v2/companies', 'data', ''],
    [CONTACTS, 'data', ''],
    ['/billing/v1/customers', 'data', 'data'],
    [INVOICES, 'data', 'data'],
    ['/retrieval/documents', 'documents', ''],
  ])('each record of %s is the same when it is read by its id', async (path, list, holder) => {
    const page = (await get(path))[list];
    for (const record of [page[0], page[5], page.at(-1)]) {
      const alone = await get(`${path}/${record.id}`);
      expect(holder === '' ? alone : alone[holder]).toMatchObject(record);
    }
  });

  test('a person has one name and one address wherever it occurs', () => {
    const firstNames = new Map(records('crm', '/v2/persons').map((of) => [of.primaryEmailAddress, of.firstName]));
    const contacts = records('mailer', '/v1/brands/{brand_id}/contacts').filter(({ email }) => firstNames.has(email));
    expect(contacts.length).toBeGreaterThan(400);
    for (const { email, field_values: values } of contacts) expect(values[0].string).toBe(firstNames.get(email));
  });

  test('what a record names exists: the person of a deal, the company of a customer, the list and the author of others', () => {
    const people = new Set(records('crm', '/v2/persons').map(({ id }) => id));
    const companies = new Set(records('crm', '/v2/companies').map(({ name }) => name));
    const lists = new Set(records('mailer', '/v1/brands/{brand_id}/lists').map(({ id }) => id));
    const deals = records('crm', '/v2/lists/{listId}/list-entries').filter(({ type }) => type === 'opportunity');
    const contactOf = ({ entity }: Json) => entity.fields.find(({ name }: Json) => name === 'Contact').value.data;
    expect(deals).toHaveLength(200);
    expect(deals.filter((deal) => !people.has(contactOf(deal).id))).toEqual([]);
    expect(records('billing', '/v1/customers').filter(({ name }) => !companies.has(name))).toEqual([]);
    const named = records('mailer', '/v1/brands/{brand_id}/contacts').flatMap(({ list_ids: ids }) => ids);
    expect(named.filter((id) => !lists.has(id))).toEqual([]);
  });

  test('a person is on the lists whose entries name it', async () => {
    const entries = records('crm', '/v2/lists/{listId}/list-entries').filter(({ entity }) => entity.id === 38706);
    const { data } = await get('/crm/v2/persons/38706/lists');
    expect(data.map(({ id }: Json) => id)).toEqual(entries.map(({ listId }) => listId));
    expect((await get('/crm/v2/persons/38706/list-entries')).data.map(({ id }: Json) => id)).toEqual(
      entries.map(({ id }) => id),
    );
  });

  test('the same seed makes the same world', async () => {
    const other = await openSandbox({ root: ROOT, world: 200, services: ['crm'] });
    const same = other.services.get('crm')!.world!.records('/v2/persons');
    await other.close();
    expect(same).toEqual(records('crm', '/v2/persons'));
  });

  test('a smaller world has the same people in front', async () => {
    const small = await openSandbox({ root: ROOT, world: 20, services: ['crm'] });
    const few = small.services
      .get('crm')!
      .world!.records('/v2/persons')
      .map(({ firstName }) => firstName);
    await small.close();
    expect(few).toHaveLength(20);
    expect(few).toEqual(
      records('crm', '/v2/persons')
        .slice(0, 20)
        .map(({ firstName }) => firstName),
    );
  });
});

describe('a list of the world', () => {
  test('is paged to its end, each record once', async () => {
    const seen: string[] = [];
    for (let cursor = ''; cursor !== '-'; ) {
      const page = await get(`/retrieval/documents?page_size=60&cursor=${cursor}`);
      seen.push(...page.documents.map(({ id }: Json) => id));
      expect(page.pagination.total_count).toBe(200);
      cursor = page.pagination.next_cursor ?? '-';
    }
    expect(seen).toEqual(records('retrieval', '/documents').map(({ id }) => id));
  });

  test.each<[string, string, string, string, (of: Json) => boolean]>([
    [
      'a member that contains the value',
      `${CONTACTS}?limit=100&list_id=${NEWSLETTER}`,
      'mailer',
      '/v1/brands/{brand_id}/contacts',
      (of) => of.brand_id === BRAND && of.list_ids.includes(NEWSLETTER),
    ],
    [
      'a list that stands for all',
      `${CONTACTS}?limit=100&list_id=${ALL_CONTACTS}`,
      'mailer',
      '/v1/brands/{brand_id}/contacts',
      (of) => of.brand_id === BRAND,
    ],
    ['ids', '/crm/v2/persons?ids=38706&ids=90114', 'crm', '/v2/persons', (of) => [38706, 90114].includes(of.id)],
    [
      'archived ones',
      '/billing/v1/customers?limit=100&only_archived=true',
      'billing',
      '/v1/customers',
      (of) => of.archived_at !== null,
    ],
    [
      'active ones without asking',
      '/billing/v1/customers?limit=100',
      'billing',
      '/v1/customers',
      (of) => of.archived_at === null,
    ],
    [
      'one of several names',
      '/billing/v1/customers?ingest_alias=acme-prod',
      'billing',
      '/v1/customers',
      (of) => of.ingest_aliases.includes('acme-prod'),
    ],
    [
      'an object’s member',
      '/billing/v1/customers?salesforce_account_ids=0015500001WO1ZiABL',
      'billing',
      '/v1/customers',
      (of) => of.customer_config.salesforce_account_id === '0015500001WO1ZiABL',
    ],
    [
      'a range of times',
      `${INVOICES}?starting_on=2026-03-01T00:00:00Z&ending_before=2026-07-01T00:00:00Z`,
      'billing',
      '/v1/customers/{customer_id}/invoices',
      (of) => of.customer_id === ACME && of.start_timestamp >= '2026-03' && of.end_timestamp < '2026-07-01',
    ],
    [
      'two members at once',
      `${INVOICES}?status=FINALIZED&type=USAGE`,
      'billing',
      '/v1/customers/{customer_id}/invoices',
      (of) => of.customer_id === ACME && of.status === 'FINALIZED' && of.type === 'USAGE',
    ],
    [
      'metadata in JSON',
      `/retrieval/documents?page_size=100&filter=${encodeURIComponent('{"department":{"$in":["legal","sales"]},"year":{"$lt":2023}}')}`,
      'retrieval',
      '/documents',
      (of) => ['legal', 'sales'].includes(of.metadata.department) && of.metadata.year < 2023,
    ],
  ])('honours a filter on %s', async (_, path, service, list, keep) => {
    const page = await get(path);
    const found: readonly Json[] = page.data ?? page.documents;
    const want = records(service, list).filter(keep);
    expect(want.length).toBeGreaterThan(0);
    expect(found.map(({ id }) => id)).toEqual(want.map(({ id }) => id).slice(0, 100));
  });

  test('honours a header that narrows', async () => {
    const { pagination } = await get('/retrieval/documents', { partition: 'legal' });
    const want = records('retrieval', '/documents').filter(({ partition }) => partition === 'legal');
    expect(pagination.total_count).toBe(want.length);
  });

  test('is sorted as asked', async () => {
    const issued = async (sort: string) =>
      (await get(`${INVOICES}?limit=100&sort=${sort}`)).data.map((of: Json) => of.issued_at);
    const [up, down] = [await issued('date_asc'), await issued('date_desc')];
    const known = up.filter((time: string | undefined) => time !== undefined);
    expect(known).toEqual(known.toSorted());
    expect(down.slice(0, known.length)).toEqual(known.toReversed());
  });

  test('leaves out fields that are not asked for, and line items of no quantity', async () => {
    const fieldsOf = async (query: string) =>
      (await get(`/crm/v2/companies?ids=7161${query}`)).data[0].fields.map(({ id }: Json) => id);
    expect(await fieldsOf('')).toEqual([]);
    expect(await fieldsOf('&fieldTypes=enriched')).toEqual(['affinity-data-number-of-employees']);
    expect(await fieldsOf('&fieldIds=field-5201')).toEqual(['field-5201']);
    const itemsOf = async (query: string) => (await get(`${INVOICES}${query}`)).data[0].line_items.length;
    expect([await itemsOf(''), await itemsOf('?skip_zero_qty_line_items=true')]).toEqual([2, 1]);
  });

  test('of prices has the ticker, days and columns that were asked for, on weekdays since 2000', async () => {
    const rowsOf = async (query: string) => (await get(`${PRICES}?${query}`)).datatable.data as [string, string][];
    const year = await rowsOf('ticker=AAPL,MSFT&date.gte=2004-01-01&date.lt=2005-01-01&qopts.columns=ticker,date');
    expect(year).toHaveLength(2 * 262);
    expect(new Set(year.map((row) => row[0]))).toEqual(new Set(['AAPL', 'MSFT']));
    expect(year[0]).toEqual(['AAPL', '2004-01-01']);
    expect((await rowsOf('ticker=AAPL&qopts.per_page=1'))[0]![1]).toBe('2000-01-03');
    const [, , open, high, low, close] = (await rowsOf('ticker=KO&date=2010-06-01'))[0]! as unknown as number[];
    expect(Math.max(open!, close!)).toBeLessThanOrEqual(high!);
    expect(Math.min(open!, close!)).toBeGreaterThanOrEqual(low!);
  });

  test.each([
    ['a column that is no filter', `${PRICES}?close.gte=3`, 'query', 'close.gte'],
    ['an unknown column', `${PRICES}?qopts.columns=colour`, 'query', 'qopts.columns'],
    [
      'an unknown operator',
      `/retrieval/documents?filter=${encodeURIComponent('{"year":{"$like":"2"}}')}`,
      'query',
      'filter',
    ],
  ])('refuses %s, and names the parameter', async (_, path, place, name) => {
    const { status, body } = await send('GET', path);
    expect(status).toBe(400);
    expect(body.violations).toMatchObject([{ in: place, name }]);
  });

  test('refuses a version that it does not speak', async () => {
    const { status, body } = await send('GET', '/crm/v2/persons', undefined, {
      'x-affinity-api-version': '2023-01-01',
    });
    expect([status, body.violations[0].name]).toEqual([400, 'X-Affinity-Api-Version']);
  });

  test.each([
    ['/crm/v2/persons/1', 404],
    ['/mailer/v1/brands/nobody/contacts', 404],
    ['/datatable/api/v3/datatables/NO/SUCH.json', 404],
    ['/datatable/api/v3/datatables/NO/SUCH/metadata.json', 404],
  ])('%s is not found', async (path, status) => {
    expect((await send('GET', path)).status).toBe(status);
  });
});

describe('writes', () => {
  test('a contact is created, found in the list and by its address, changed, and gone after it is deleted', async () => {
    const email = 'new@person.example';
    const before = (await get(`${CONTACTS}?limit=1`)).total;
    const { body: created } = await send('POST', CONTACTS, { email, list_ids: [NEWSLETTER] });
    expect((await get(`${CONTACTS}?limit=1`)).total).toBe(before + 1);
    expect(await get(`${CONTACTS}/${email}`)).toMatchObject({
      id: created.id,
      brand_id: BRAND,
      list_ids: [NEWSLETTER],
    });
    await send('POST', `${CONTACTS}/${created.id}?list_ids_op=add`, { list_ids: ['other'], unsubscribe_all: true });
    expect(await get(`${CONTACTS}/${email}`)).toMatchObject({ list_ids: [NEWSLETTER, 'other'], unsubscribe_all: true });
    await send('POST', `${CONTACTS}/${created.id}?list_ids_op=remove`, { list_ids: [NEWSLETTER] });
    expect((await get(`${CONTACTS}/${email}`)).list_ids).toEqual(['other']);
    expect((await send('DELETE', `${CONTACTS}/${created.id}`)).status).toBe(200);
    expect((await send('GET', `${CONTACTS}/${email}`)).status).toBe(404);
    expect((await send('DELETE', `${CONTACTS}/${created.id}`)).status).toBe(404);
    expect((await get(`${CONTACTS}?limit=1`)).total).toBe(before);
  });

  test('an upsert changes the contact of the address, or adds one', async () => {
    const { total } = await get(`${CONTACTS}?limit=1`);
    const [known] = (await get(`${CONTACTS}?limit=1`)).data;
    expect((await send('POST', `${CONTACTS}/upsert`, { email: known.email, unsubscribe_all: true })).body.id).toBe(
      known.id,
    );
    expect((await get(`${CONTACTS}/${known.id}`)).unsubscribe_all).toBe(true);
    expect((await get(`${CONTACTS}?limit=1`)).total).toBe(total);
    await send('POST', `${CONTACTS}/upsert`, { email: 'second@person.example' });
    expect((await get(`${CONTACTS}?limit=1`)).total).toBe(total + 1);
  });

  test('the size of a list is counted when it is read', async () => {
    const path = `/mailer/v1/brands/${BRAND}/lists/${NEWSLETTER}`;
    const { num_contacts: before } = await get(path);
    await send('POST', CONTACTS, { email: 'third@person.example', list_ids: [NEWSLETTER] });
    expect((await get(path)).num_contacts).toBe(before + 1);
  });

  test('a document keeps its text, and loses the metadata that are set to null', async () => {
    const sent = { data: 'The office is open.', name: 'Hours', metadata: { department: 'people', year: 2026 } };
    const { body: created } = await send('POST', '/retrieval/documents/raw', sent);
    const path = `/retrieval/documents/${created.id}`;
    expect((await get(`${path}/content`)).content).toBe('The office is open.');
    expect(await get(`${path}/content?media_type=text/plain`)).toBe('The office is open.');
    await send('PATCH', `${path}/metadata`, { metadata: { year: null, reviewed: true } });
    expect((await get(path)).metadata).toEqual({ department: 'people', reviewed: true });
    expect(Object.keys(await get(path))).not.toContain('$data');
    expect((await send('DELETE', `${path}?async=true`)).status).toBe(202);
    expect((await send('GET', `${path}/chunks`)).status).toBe(404);
  });

  test('the limits of a partition are set and shown', async () => {
    await send('PUT', '/retrieval/partitions/sales/limits', { pages_hosted_limit_max: 7 });
    expect((await get('/retrieval/partitions/sales')).limits).toEqual({ pages_hosted_limit_max: 7 });
  });

  test('stay in their process, and end with it', async () => {
    await send('DELETE', '/retrieval/documents/8e4c1f0a-6d3b-4c57-9a3e-2b1f7d905c11');
    const other = await openSandbox({ root: ROOT, world: 200, services: ['retrieval'] });
    const ids = other.services
      .get('retrieval')!
      .world!.records('/documents')
      .map(({ id }) => id);
    await other.close();
    expect(ids).toContain('8e4c1f0a-6d3b-4c57-9a3e-2b1f7d905c11');
    expect(records('retrieval', '/documents').map(({ id }) => id)).not.toContain(ids[0]);
  });
});

describe('a search of the world', () => {
  test('finds parts of documents that exist, the best first, within the filter', async () => {
    const body = { query: 'parental leave in Berlin', top_k: 3, filter: { department: { $in: ['people'] } } };
    const { scored_chunks: chunks } = (await send('POST', '/retrieval/retrievals', body)).body;
    expect(chunks[0].text).toContain('Berlin');
    expect(chunks.map(({ score }: Json) => score)).toEqual(
      chunks
        .map(({ score }: Json) => score)
        .toSorted()
        .toReversed(),
    );
    const documents = new Map(records('retrieval', '/documents').map((of) => [of.id, of]));
    for (const { document_id: id, document_name: name } of chunks) {
      expect(documents.get(id)).toMatchObject({ name, metadata: { department: 'people' } });
    }
  });
});

describe('an added descriptor', () => {
  let bookshop: Sandbox;
  beforeAll(async () => {
    bookshop = await startBookshop({ world: 100 });
  });
  afterAll(() => bookshop.close());

  test('takes part without rules of its own', async () => {
    const { body } = await ask(bookshop, '/books?limit=100');
    expect(new Set(body.books.map(({ id }) => id)).size).toBe(100);
    expect((await ask(bookshop, `/books/${body.books[60]!.id}`)).body).toMatchObject(body.books[60]!);
    expect((await ask(bookshop, '/books?ids=2&ids=5')).body.books.map(({ id }) => id)).toEqual([2, 5]);
    const { body: added } = await ask(
      bookshop,
      '/books',
      postJson({ title: 'Emma', author: { name: 'J' }, isbn: null }),
    );
    expect((await ask(bookshop, '/books?limit=1')).body.pagination.total_count).toBe(101);
    expect((await ask(bookshop, `/books/${(added as unknown as { id: number }).id}`)).body.title).toBe('Emma');
  });

  test('is refused a parameter that no member answers, by its name', async () => {
    const reply = await ask(bookshop, '/books?columns=title');
    expect([reply.status, reply.body.violations]).toEqual([
      400,
      [{ in: 'query', name: 'columns', message: 'is not honoured by this sandbox' }],
    ]);
  });
});
