import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { html } from '../../../../server/base/pages/html.ts';
import { toPublicPage } from '../../../../server/base/pages/page.ts';
import { exampleArguments } from '../../../../server/call/tools/call/argument-rules.ts';
import { createPageCache } from '../../../../server/modules/landing/tools/index.ts';
import { limitsOf, membersOf, typeOf } from '../../../../server/modules/landing/tools/schema-words.ts';
import { fakeConnector, fakeHandWritten, fakeTool } from '../../../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../../../support/gateway.ts';

const BROWSER = { Accept: 'text/html' };
const COPIES = 120;

const find = fakeTool({
  name: 'library_find_books',
  path: '/books',
  input: {
    properties: {
      words: { type: 'string', description: 'What <b>to</b> look for.', minLength: 1, examples: ['labyrinth'] },
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
      order: { type: ['string', 'null'], enum: ['new', 'old'] },
      filter: {
        type: 'object',
        properties: { year: { type: 'integer', description: 'Of the first print.' } },
      },
    },
    required: ['words'],
  },
  output: { properties: { items: { type: 'array', items: { type: 'object', properties: { isbn: {}, title: {} } } } } },
  more: {
    title: 'Find books',
    description: 'Finds books by words.',
    aliases: [{ name: 'library_search', until: '2027-03-01' }],
    scopes: [['books.read']],
  },
});
const burn = fakeTool({
  name: 'library_burn_book',
  method: 'DELETE',
  path: '/books/{id}',
  more: {
    title: 'Burn a book',
    description: 'Removes a book for good.',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  },
});
const survey = fakeHandWritten({ uses: ['library_find_books'], run: async () => ({ count: 0 }) });
const library = fakeConnector({ title: 'The <i>Library</i>', tools: [burn, find], handWritten: [survey] });
const archive = fakeConnector({
  name: 'archive',
  title: 'Archive',
  tools: Array.from({ length: COPIES }, (_, at) =>
    fakeTool({ name: `archive_get_copy_${String(at).padStart(3, '0')}` }),
  ),
});

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGateway({ connectors: [library, archive], secretOf: () => '' });
});
afterAll(() => gateway.close());

async function open(path: string, headers: Record<string, string> = {}, at = gateway) {
  const response = await fetch(new URL(path, at.url), { headers: { ...BROWSER, ...headers }, redirect: 'manual' });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const toolsOn = (text: string): (string | undefined)[] =>
  [...text.matchAll(/<li><a href="\/tools\/\w+\/(\w+)">/g)].map(([, name]) => name);

describe('the page of all tools', () => {
  test('has every service, with its number of tools by effect', async () => {
    const { status, text } = await open('/tools');
    expect(status).toBe(200);
    expect(text).toContain('123 tools of 2 services');
    expect(text).toContain('<a href="/tools/library"><strong>The &lt;i&gt;Library&lt;/i&gt;</strong></a>');
    expect(text).toContain('3 tools: 2 read, 1 deletes or overwrites');
    expect(text).toContain('<form class="search" role="search" method="get" action="/tools">');
  });

  test.each([
    ['q=remove+a+book', ['library_burn_book']],
    ['q=find+books', ['library_find_books']],
    ['q=burn&service=archive', []],
  ])('lists the best tool for %s first', async (query, [first] = []) => {
    expect(toolsOn((await open(`/tools?${query}`)).text)[0]).toBe(first);
  });

  test('shows at most the 25 best matches', async () => {
    const { text } = await open('/tools?q=get+copy');
    expect(toolsOn(text)).toHaveLength(25);
    expect(text).toContain('The 25 best matches');
  });

  test.each([
    ['no words', 'q=', 200],
    ['control characters', 'q=%00%1b%5b31m%0a%e2%80%ae', 200],
    ['broken UTF-8', 'q=%ff%fe%', 200],
    ['markup', 'q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E', 200],
    ['a property name of every object', 'q=__proto__+constructor&service=__proto__', 200],
    ['the parameter twice', 'q=find&q=burn', 200],
  ])('answers a search with %s', async (_, query, status) => {
    const page = await open(`/tools?${query}`);
    expect(page.status).toBe(status);
    expect(page.text).toContain('<h1>Tools</h1>');
    for (const hostile of ['<script', '\u0000', '\u001b', '\u202e']) expect(page.text).not.toContain(hostile);
  });

  test('truncates a long search', async () => {
    const shownFor = async (words: string) =>
      /name="q" value="([^"]*)"/.exec((await open(`/tools?q=${words}`)).text)?.[1];
    expect(await shownFor('book+'.repeat(1_000))).toBe(Array(12).fill('book').join(' '));
    expect(await shownFor('b'.repeat(5_000))).toBe(`${'b'.repeat(99)}…`);
  });

  test('limits one address to sixty searches a minute, and lets it read other pages', async () => {
    const stopped = Date.now();
    const other = await startGateway({ connectors: [library], secretOf: () => '', now: () => stopped });
    try {
      const answers = [];
      for (let time = 0; time <= 60; time += 1) answers.push((await open('/tools?q=book', {}, other)).status);
      expect([...new Set(answers.slice(0, 60)), answers[60]]).toEqual([200, 429]);
      expect((await open('/tools', {}, other)).status).toBe(200);
    } finally {
      await other.close();
    }
  });
});

describe('the page of a service', () => {
  test('has all its tools, hand-written ones too', async () => {
    const { text } = await open('/tools/library');
    expect(toolsOn(text)).toEqual(['library_burn_book', 'library_find_books', 'library_survey']);
    expect(text).not.toContain('aria-label="Pages"');
  });

  test('has fifty tools per page, with links to the others', async () => {
    const pages = await Promise.all(['', '?page=2', '?page=3'].map((query) => open(`/tools/archive${query}`)));
    const names = pages.map(({ text }) => toolsOn(text));
    expect(names.map((shown) => shown.length)).toEqual([50, 50, 20]);
    expect(new Set(names.flat()).size).toBe(COPIES);
    expect(pages[1]?.text).toContain('<a href="/tools/archive?page=3" rel="next">');
    expect(pages[1]?.text).toContain('<a href="/tools/archive?page=1" rel="prev">');
  });

  test.each(['0', '4', '-1', '1.5', 'x', '1e9'])('is the first one for ?page=%s', async (page) => {
    expect((await open(`/tools/archive?page=${page}`)).text).toContain('Page 1 of 3');
  });
});

describe('the page of a tool', () => {
  let text: string;
  beforeAll(async () => {
    ({ text } = await open('/tools/library/library_find_books'));
  });

  test('says what it does and which scopes it needs', () => {
    expect(text).toContain('<span class="badge reads">reads</span>');
    expect(text).toContain('Reads: changes nothing at the service.');
    expect(text).toContain('readOnlyHint: true, destructiveHint: false');
    expect(text).toContain('<code>tools:read</code>');
    expect(text).toContain('<code>books.read</code>');
    expect(text).toContain('<code>GET /books</code>');
    expect(text).toContain('Works until 2027-03-01.');
  });

  test('has each argument, required ones first, with type, limits and default', () => {
    expect(text).toContain('<dt><code>words</code> <span>string, required</span></dt>');
    expect(text).toContain('What &lt;b&gt;to&lt;/b&gt; look for.');
    expect(text).toContain('not empty · for example &quot;labyrinth&quot;');
    expect(text).toContain('<dt><code>limit</code> <span>integer</span></dt>');
    expect(text).toContain('at least 1 · at most 100 · default 10');
    expect(text).toContain('one of &quot;new&quot;, &quot;old&quot;');
    expect(text).toContain('<summary>Members of <code>filter</code></summary>');
    expect(text).toContain('Of the first print.');
  });

  test('shows an example call as a client sends it, and its answer', () => {
    const [, block = ''] = /aria-label="Example call">([^<]*)</.exec(text) ?? [];
    expect(JSON.parse(block.replaceAll('&quot;', '"'))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'library_find_books', arguments: { words: 'labyrinth' } },
    });
    expect(text).toContain('<code>items</code> <span class="quiet">array of objects with isbn, title</span>');
  });

  test('links operators to the form that runs it, if the dashboard is part of the site', async () => {
    expect(text).toContain('href="/admin/tools/library_find_books"');
    const env = { ADMIN_LISTEN: '127.0.0.1:39999', ADMIN_URL: 'http://127.0.0.1:39999' };
    const other = await startGateway({ connectors: [library], secretOf: () => '', env });
    try {
      const page = await open('/tools/library/library_find_books', {}, other);
      expect(page.status).toBe(200);
      expect(page.text).not.toMatch(/\/admin|39999/);
    } finally {
      await other.close();
    }
  });

  test('names the requests that a hand-written tool may send', async () => {
    const page = await open('/tools/library/library_survey');
    expect(page.text).toContain('Requests that it may send');
    expect(page.text).toContain('<code>GET /books</code>');
  });

  test('redirects from an old name to the new one', async () => {
    const { status, headers } = await open('/tools/library/library_search');
    expect([status, headers.get('Location')]).toEqual([302, '/tools/library/library_find_books']);
  });

  test.each(['/tools/nowhere', '/tools/library/nothing', '/tools/archive/library_find_books', '/tools/__proto__'])(
    '%s does not exist',
    async (path) => {
      const page = await open(path);
      expect([page.status, page.headers.get('Cache-Control')]).toEqual([404, 'no-store']);
      expect(page.text).toContain('<h1>No such');
    },
  );
});

describe('every page about tools', () => {
  const PAGES = ['/tools', '/tools?q=book', '/tools/library', '/tools/library/library_burn_book'];

  test.each(PAGES)('%s is the same for everyone, and is answered with 304 if unchanged', async (path) => {
    const first = await open(path);
    const etag = first.headers.get('ETag') ?? '';
    expect(first.headers.get('Cache-Control')).toBe('public, max-age=300');
    expect(first.headers.get('Set-Cookie')).toBeNull();
    const again = await open(path, { 'If-None-Match': etag, Authorization: `Bearer ${gateway.token}` });
    expect([again.status, again.text, again.headers.get('ETag')]).toEqual([304, '', etag]);
    expect((await open(path, { 'If-None-Match': '"other"' })).text).toBe(first.text);
  });

  test.each(PAGES)('%s runs no script, loads nothing but its style sheet and is not framed', async (path) => {
    const { headers, text } = await open(path);
    expect(headers.get('Content-Security-Policy')).toMatch(
      /^default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
    );
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(text).not.toMatch(/<script|\ssrc=|@import|url\(/);
  });

  test.each(PAGES)('%s is 404 if the operator turned the pages off', async (path) => {
    const other = await startGateway({ connectors: [library], secretOf: () => '', env: { TOOL_PAGES: 'off' } });
    try {
      expect((await open(path, {}, other)).status).toBe(404);
      expect((await open('/', {}, other)).text).not.toContain('href="/tools');
    } finally {
      await other.close();
    }
  });
});

describe('typeOf', () => {
  test.each([
    [{ type: 'string' }, 'string'],
    [{ type: 'number' }, 'number'],
    [{ type: ['integer', 'null'] }, 'integer or null'],
    [{ type: 'array', items: { type: 'object' } }, 'array of objects'],
    [{ type: 'array', items: { type: ['string', 'null'] } }, 'array'],
    [{ anyOf: [{ type: 'string' }, { $ref: '#/$defs/List' }] }, 'string or array of strings'],
    [{ enum: ['a', 1] }, 'string or integer'],
    [{}, 'any'],
  ])('of %j is %s', (schema, want) => {
    const root = { $defs: { List: { type: 'array', items: { type: 'string' } } } };
    expect(typeOf(root, schema)).toBe(want);
  });
});

test.each([
  ['an object that may be null', { anyOf: [{ type: 'null' }, { $ref: '#/$defs/Book' }] }, ['isbn', 'title']],
  ['objects in nested arrays', { items: { items: { $ref: '#/$defs/Book' } } }, ['isbn', 'title']],
  ['a recursive array', { $ref: '#/$defs/Endless' }, []],
  ['a text', { type: 'string' }, []],
])('membersOf %s', (_, schema, want) => {
  const book = { type: 'object', properties: { title: {}, isbn: {} }, required: ['isbn'] };
  const root = { $defs: { Book: book, Endless: { type: 'array', items: { $ref: '#/$defs/Endless' } } } };
  expect(membersOf(root, schema).map(({ name }) => name)).toEqual(want);
});

test('limitsOf cuts long lists of values and long values', () => {
  const values = Array.from({ length: 31 }, (_, at) => `v${at}`);
  expect(limitsOf({ enum: values })[0]).toMatch(/^one of "v0", .*"v29" and 1 more$/);
  expect(limitsOf({ enum: ['a'], examples: ['a'] })).toEqual(['one of "a"']);
  expect(limitsOf({ default: 'x'.repeat(200) })).toEqual([`default "${'x'.repeat(79)}…`]);
});

test('an example repeats a value if arguments must agree', () => {
  const tool = fakeTool({
    name: 'library_get',
    path: '/{a}/{b}',
    input: {
      properties: { a: { type: 'string', examples: ['x'] }, b: { type: 'string' }, both: { type: 'string' } },
      required: ['a', 'b', 'both'],
    },
    more: { agreements: [{ argument: 'both', template: '{a}/{b}' }] },
  });
  expect(exampleArguments(tool)).toEqual({ a: 'x', b: 'text', both: 'x/text' });
});

test('pages are cached up to a limit, and the least recently used one is dropped first', () => {
  const built: string[] = [];
  const pageOf = (name: string) => ({ title: name, content: html`<h1>${name}</h1>` });
  const cache = createPageCache(toPublicPage(pageOf('a')).text.length * 2);
  for (const name of ['a', 'b', 'a', 'b', 'a', 'c', 'a', 'b']) {
    cache(name, () => {
      built.push(name);
      return pageOf(name);
    });
  }
  expect(built).toEqual(['a', 'b', 'c', 'b']);
});
