import type { RequestListener } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createValueSealer } from '../../../../../server/base/credentials/sealed-value.ts';
import { FULL_PERMISSION } from '../../../../../server/base/principal/permission.ts';
import type { CompleteToolResult } from '../../../../../server/call/tools/provider.ts';
import { createValidators } from '../../../../../server/call/tools/validate.ts';
import type { GatewayArgument, Tool } from '../../../../../server/contract/index.ts';
import { closeAfterEach } from '../../../../support/close-after-each.ts';
import { fakeTool } from '../../../../support/fake-connector.ts';
import { numRuns } from '../../../../support/num-runs.ts';
import { schemaArbitrary } from '../../../../support/schema-arbitrary.ts';
import { type Host, startHost } from '../../upstream/support.ts';
import { type CallOptions, createFixture, errorOf, type Fixture, type FixtureOptions, textOf } from '../support.ts';

const LIMIT_BYTES = 3000;
const keys = [{ id: 'k1', key: new Uint8Array(32).fill(7) }];
const resumes = createValueSealer({ keys, purpose: 'tool result' });

const open = closeAfterEach();

const INPUT = {
  type: 'object',
  properties: {
    query: { type: 'string' },
    limit: { type: 'integer', maximum: 100 },
    cursor: { type: 'string' },
    fields: { type: 'array', items: { type: 'string' } },
    maxItems: { type: 'integer', minimum: 1 },
    resume: { type: 'string' },
  },
  additionalProperties: false,
} as const;
const OUTPUT = {
  type: 'object',
  properties: {
    data: {
      type: 'array',
      items: { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' }, tags: {} } },
    },
    next: { type: ['string', 'null'] },
    page: { type: 'object' },
  },
} as const;
const PAGE = { argument: 'cursor', next: '/next', queryParameter: null, more: null, items: '/data', size: 'limit' };

interface Served extends Fixture {
  readonly requests: URL[];
}

async function serve(
  answer: (url: URL) => unknown,
  tool: Partial<Tool> & { readonly own?: readonly GatewayArgument[] } = {},
  options: FixtureOptions = {},
): Promise<Served> {
  const requests: URL[] = [];
  const listener: RequestListener = (request, response) => {
    const url = new URL(request.url ?? '/', 'http://host');
    requests.push(url);
    const body = answer(url);
    const [status, value] = Array.isArray(body) ? (body as [number, unknown]) : [200, body];
    const isText = typeof value === 'string';
    response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json' });
    response.end(isText ? value : JSON.stringify(value));
  };
  const host: Host = await startHost(listener);
  const { own = ['fields', 'maxItems', 'resume'], ...more } = tool;
  const request = { query: { query: 'query', limit: 'limit', cursor: 'cursor' } };
  const made = fakeTool({
    name: 'library_call',
    input: INPUT,
    more: { outputSchema: OUTPUT, request: request as Tool['request'], gatewayArguments: own, ...more },
  });
  const fixture = createFixture({
    origin: host.origin,
    tools: [made],
    ...options,
    changes: { resumes, resultTokens: LIMIT_BYTES / 2.75, ...options.changes },
  });
  open.push(host, fixture);
  return { ...fixture, requests };
}

const nextOf = (result: CompleteToolResult) =>
  (result.structuredContent?.page as { nextArguments?: Record<string, unknown> | null } | undefined)?.nextArguments ??
  null;
const bytesOf = (result: CompleteToolResult) =>
  result.content.reduce((sum, block) => sum + Buffer.byteLength(String(block.text)), 0);
const record = (id: number) => ({ id, name: `record ${id} ${'x'.repeat(80)}`, tags: ['a', 'b'] });
const records = (count: number, from = 0) => Array.from({ length: count }, (_, index) => record(from + index));

async function readAll(fixture: Fixture, args: Record<string, unknown> = {}): Promise<CompleteToolResult[]> {
  const results: CompleteToolResult[] = [];
  let next: Record<string, unknown> | null = args;
  while (next !== null && results.length < 500) {
    const result: CompleteToolResult = await fixture.call('library_call', next);
    results.push(result);
    next = nextOf(result);
  }
  return results;
}

describe('an answer over the limit', () => {
  it('is shown in parts that contain all of it, each valid and within the limit', async () => {
    const answer = { data: records(200), next: null };
    const fixture = await serve(() => answer);
    const results = await readAll(fixture, { query: 'q' });
    const accepts = createValidators()(OUTPUT);
    for (const result of results) {
      expect(bytesOf(result)).toBeLessThanOrEqual(LIMIT_BYTES);
      expect(accepts.problems(result.structuredContent)).toEqual([]);
    }
    expect(results.flatMap(({ structuredContent }) => structuredContent?.data ?? [])).toEqual(answer.data);
    expect(textOf(results[0] as CompleteToolResult)).toMatch(
      /Shown: data: 1 to \d+ of 200 elements\. For the rest call/,
    );
    expect(textOf(results.at(-1) as CompleteToolResult)).toContain('That is the end of it.');
    expect(fixture.requests.every(({ search }) => search === '?query=q')).toBe(true);
    expect(fixture.faults).toEqual([]);
  });

  it('continues with the account that the call named, and with no other', async () => {
    const account = (id: string, name: string) => ({
      ...({ id, name, status: 'active', sealedCredential: null, updatedAt: 7 } as const),
    });
    const others = [account('c2', 'home')];
    const principal = { connections: new Map([['library', { ...account('c1', 'work'), others }]]) };
    const paged = await serve(() => ({ data: records(2), next: 'c2' }), { page: PAGE });
    const first = await paged.call('library_call', { query: 'q', account: 'HOME' }, { principal });
    expect(nextOf(first)).toEqual({ query: 'q', account: 'home', cursor: 'c2' });
    const long = await serve(() => ({ data: records(200), next: null }));
    const next = nextOf(await long.call('library_call', { query: 'q', account: 'home' }, { principal }));
    expect(next).toEqual({ query: 'q', account: 'home', resume: expect.any(String) });
    expect((await long.call('library_call', { ...next }, { principal })).isError).toBeUndefined();
    const other = await long.call('library_call', { ...next, account: 'work' }, { principal });
    expect([other.isError, textOf(other)]).toEqual([true, expect.stringContaining('belongs to another call')]);
  });

  it('satisfies its output schema and is complete in its parts, whatever it contains', {
    timeout: 60_000,
  }, async () => {
    let answer: unknown = {};
    const fixture = await serve(() => answer);
    const accepts = createValidators()(OUTPUT);
    const drawn = fc.array(schemaArbitrary(OUTPUT as never), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(drawn, fc.integer({ min: 0, max: 60 }), async (values, count) => {
        answer = { ...(values[0] as object), page: undefined, more: values, data: records(count) };
        const results = await readAll(fixture);
        for (const result of results) {
          expect(result.isError ?? false).toBe(false);
          expect(bytesOf(result)).toBeLessThanOrEqual(LIMIT_BYTES);
          expect(accepts.problems(result.structuredContent)).toEqual([]);
        }
        const shown = results.flatMap(({ structuredContent }) => (structuredContent?.data ?? []) as { id: number }[]);
        expect(shown.map(({ id }) => id)).toEqual(records(count).map(({ id }) => id));
      }),
      { numRuns: numRuns(60) },
    );
  });

  it('of text is cut at the end of a line, and continues there', async () => {
    const text = 'some words in one line é\n'.repeat(400);
    const fixture = await serve(() => text, { outputSchema: { type: 'object' } });
    const results = await readAll(fixture);
    expect(results.map(({ content }) => content[0]?.text).join('')).toBe(text);
    for (const result of results) expect(bytesOf(result)).toBeLessThanOrEqual(LIMIT_BYTES);
    expect(String(results[0]?.content[0]?.text).endsWith('\n')).toBe(true);
  });

  it('says that the rest is unavailable where the tool has no resume argument', async () => {
    const fixture = await serve(() => ({ data: records(200), next: null }), { own: [] });
    const result = await fixture.call('library_call');
    expect(result.isError).toBeUndefined();
    expect(nextOf(result)).toBeNull();
    expect(textOf(result)).toContain('The tool cannot continue from here. Call again with narrower');
  });

  it('of a tool that writes never asks for another call', async () => {
    const annotations = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true };
    const fixture = await serve(() => ({ data: records(200), next: null }), { own: [], annotations });
    const text = textOf(await fixture.call('library_call'));
    expect(text).toContain('The call itself took effect: do not repeat it');
    expect(text).not.toContain('Call again');
  });

  it('has the limit that the connection code sets', async () => {
    const fixture = await serve(() => ({ data: records(200), next: null }));
    const permission = { ...FULL_PERMISSION, resultTokens: 2000 };
    const result = await fixture.call('library_call', {}, { principal: { permission } });
    expect(bytesOf(result)).toBeGreaterThan(LIMIT_BYTES);
    expect(bytesOf(result)).toBeLessThanOrEqual(5000);
  });

  it('is an error only where nothing useful fits', async () => {
    const fixture = await serve(() => ({ ['k'.repeat(5000)]: 1 }), { outputSchema: { type: 'object' } });
    expect(errorOf(await fixture.call('library_call')).code).toBe('result_too_large');
  });
});

describe('a handle', () => {
  const ANSWER = { data: records(200), next: null };
  let time = 1_000_000;
  const begin = async (options: { answer?: () => unknown } = {}) => {
    const fixture = await serve(options.answer ?? (() => ANSWER), {}, { changes: { now: () => time } });
    const first = await fixture.call('library_call', { query: 'q' });
    return { fixture, next: nextOf(first) as Record<string, unknown> };
  };

  it.each([
    ['another grant', {}, { principal: { grantId: 'grant-2' } }],
    ['another token', {}, { principal: { tokenId: 'token-2' } }],
    ['another limit', {}, { principal: { permission: { ...FULL_PERMISSION, resultTokens: 5000 } } }],
    ['other arguments', { query: 'other' }, {}],
    ['other fields', { fields: ['data.id'] }, {}],
    ['no one', { resume: 'v1.k1.forged' }, {}],
  ] as const)('of %s is rejected before anything is sent', async (_, changes, options) => {
    const { fixture, next } = await begin();
    const result = await fixture.call('library_call', { ...next, ...changes }, options as CallOptions);
    expect(errorOf(result)).toMatchObject({ code: 'invalid_arguments' });
    expect(fixture.requests).toHaveLength(1);
  });

  it('is valid for ten minutes', async () => {
    const { fixture, next } = await begin();
    time += 599_000;
    expect((await fixture.call('library_call', next)).isError).toBeUndefined();
    time += 2000;
    expect(errorOf(await fixture.call('library_call', next)).message).toContain('older than ten minutes');
  });

  it('is checked against the current permissions', async () => {
    const { fixture, next } = await begin();
    const permission = { ...FULL_PERMISSION, without: ['library_call'] };
    expect(errorOf(await fixture.call('library_call', next, { principal: { permission } })).code).toBe('not_allowed');
  });

  it('is compact', async () => {
    const { next } = await begin();
    expect(String(next.resume).length).toBeLessThan(200);
  });

  it('reports when the answer has changed, and continues or starts again', async () => {
    let answer: unknown = ANSWER;
    const { fixture, next } = await begin({ answer: () => answer });
    answer = { data: records(201), next: null };
    expect(textOf(await fixture.call('library_call', next))).toContain(
      'has changed since the previous part: this part begins',
    );
    answer = { data: records(2), next: null };
    const again = await fixture.call('library_call', next);
    expect(textOf(again)).toContain('shown from its beginning again');
    expect(again.structuredContent?.data).toEqual(records(2));
  });

  it('cannot change a pinned argument', async () => {
    const { fixture, next } = await begin();
    const permission = { ...FULL_PERMISSION, pins: { library: { query: 'pinned' } } };
    const result = await fixture.call('library_call', next, { principal: { permission } });
    expect(errorOf(result).code).toBe('not_allowed');
  });
});

describe('a page over the limit', () => {
  const paged = (url: URL) => {
    const from = Number(url.searchParams.get('cursor') ?? 0);
    const size = Number(url.searchParams.get('limit') ?? 100);
    const data = records(Math.min(size, 150 - from), from);
    return { data, next: from + size < 150 ? String(from + size) : null };
  };

  it('is requested again with as many records as fit, and none is lost or repeated', async () => {
    const fixture = await serve(paged, { page: PAGE });
    const results = await readAll(fixture, { query: 'q' });
    expect(textOf(results[0] as CompleteToolResult)).toMatch(/Shown: \d+ of the 100 items of this page/);
    expect(results.flatMap(({ structuredContent }) => structuredContent?.data ?? [])).toEqual(records(150));
    expect(fixture.requests.length).toBe(results.length + 1);
    expect(nextOf(results[0] as CompleteToolResult)).toMatchObject({ query: 'q', limit: expect.any(Number) });
  });

  it('continues inside a record that alone is too large', async () => {
    const huge = { id: 1, name: 'huge', tags: records(100) };
    const fixture = await serve(() => ({ data: [huge, record(2)], next: null }), { page: PAGE });
    const results = await readAll(fixture);
    const tags = results.flatMap(({ structuredContent }) =>
      ((structuredContent?.data ?? []) as { tags: unknown[] }[]).flatMap((one) => one.tags ?? []),
    );
    expect(tags).toEqual([...huge.tags, 'a', 'b']);
  });

  it('is cut where its size is pinned', async () => {
    const fixture = await serve(paged, { page: PAGE });
    const permission = { ...FULL_PERMISSION, pins: { library: { limit: 100 } } };
    const result = await fixture.call('library_call', {}, { principal: { permission } });
    expect(fixture.requests).toHaveLength(1);
    expect(nextOf(result)).toHaveProperty('resume');
  });
});

describe('maxItems', () => {
  const small = (id: number) => ({ id });
  const paged = (url: URL) => {
    const from = Number(url.searchParams.get('cursor') ?? 0);
    const size = Number(url.searchParams.get('limit') ?? 10);
    const data = Array.from({ length: Math.min(size, 10, 45 - from) }, (_, index) => small(from + index));
    return { data, next: from + data.length < 45 ? String(from + data.length) : null };
  };
  const idsOf = ({ structuredContent }: CompleteToolResult) =>
    ((structuredContent?.data ?? []) as { id: number }[]).map(({ id }) => id);

  it('collects as many records as requested, in one call with one call record', async () => {
    const fixture = await serve(paged, { page: PAGE });
    const result = await fixture.call('library_call', { maxItems: 25, query: 'q' });
    expect(idsOf(result)).toEqual(Array.from({ length: 25 }, (_, id) => id));
    expect(fixture.requests.map(({ search }) => search)).toEqual([
      '?query=q&limit=25',
      '?query=q&limit=15&cursor=10',
      '?query=q&limit=5&cursor=20',
    ]);
    expect(fixture.records).toHaveLength(1);
    expect(nextOf(result)).toEqual({ maxItems: 25, query: 'q', cursor: '25' });
    expect(textOf(result)).toContain('Gathered 25 items from 3 pages.');
  });

  it('stops at the end of the list', async () => {
    const fixture = await serve(paged, { page: PAGE });
    const result = await fixture.call('library_call', { maxItems: 500 });
    expect(idsOf(result)).toHaveLength(45);
    expect(nextOf(result)).toBeNull();
  });

  it('stops where the answer is full, with the arguments for the rest', async () => {
    const long = (url: URL) => {
      const { data, next } = paged(url);
      return { data: data.map(({ id }) => record(id)), next };
    };
    const fixture = await serve(long, { page: PAGE });
    const results = await readAll(fixture, { maxItems: 45 });
    expect(results.length).toBeGreaterThan(1);
    expect(results.flatMap(idsOf)).toEqual(Array.from({ length: 45 }, (_, id) => id));
    for (const result of results) expect(bytesOf(result)).toBeLessThanOrEqual(LIMIT_BYTES);
  });

  describe.each([
    ['with a page size', PAGE],
    ['without one', { ...PAGE, size: undefined }],
  ] as const)('of a list %s', (title, page) => {
    it.each([1, 1.05, 1.3])('fetches no page for nothing when later records have %s times the size', async (growth) => {
      let [served, asked] = [0, 0];
      const growing = (url: URL) => {
        const from = Number(url.searchParams.get('cursor') ?? 0);
        const count = Math.min(Number(url.searchParams.get('limit') ?? 100), 100, 400 - from);
        const length = Math.round(from === 0 ? 218 : 218 * growth);
        [served, asked] = [served + count, asked + 1];
        return {
          data: Array.from({ length: count }, (_, id) => ({ id: from + id, name: 'x'.repeat(length) })),
          next: from + count < 400 ? String(from + count) : null,
        };
      };
      const { limit, ...unsized } = INPUT.properties;
      const inputSchema = title === 'without one' ? { ...INPUT, properties: unsized } : INPUT;
      const tool = { page, inputSchema, own: ['maxItems'] as const } as Parameters<typeof serve>[1];
      const fixture = await serve(growing, tool, { changes: { resultTokens: 20_000 } });
      const result = await fixture.call('library_call', { maxItems: 250 });
      expect(bytesOf(result)).toBeLessThanOrEqual(55_000);
      const said = JSON.parse(String(result.content[0]?.text));
      const shown = said.data.length;
      if (growth < 1.1) expect(served).toBe(shown);
      if (title === 'with a page size') expect(shown).toBeGreaterThan(140);
      expect(asked).toBeLessThanOrEqual(4);
      expect(said.page.nextArguments).toEqual({ maxItems: 250, cursor: String(shown) });
    });
  });

  it('keeps what it has when a page fails, and reports why', async () => {
    let calls = 0;
    const failing = (url: URL) => {
      calls += 1;
      return calls > 2 ? [429, { message: 'slow down' }] : paged(url);
    };
    const fixture = await serve(failing, { page: PAGE });
    const result = await fixture.call('library_call', { maxItems: 40 });
    expect(idsOf(result)).toHaveLength(20);
    expect(textOf(result)).toMatch(/20 items from 2 pages, and stopped because the next page failed: rate_limited/);
    expect(nextOf(result)).toMatchObject({ cursor: '20', maxItems: 40 });
  });

  it('stops when the time of a call is up', async () => {
    let time = 0;
    const slow = (url: URL) => {
      time += 1200;
      return paged(url);
    };
    const fixture = await serve(slow, { page: PAGE }, { changes: { now: () => time } });
    const result = await fixture.call('library_call', { maxItems: 40 });
    expect(textOf(result)).toContain('stopped at the time limit of a call');
    expect(idsOf(result).length).toBeLessThan(40);
  });
});

describe('fields', () => {
  const ANSWER = { data: [{ id: 1, name: 'a', tags: { x: 1 } }, { id: 2 }], next: 'n', total: 5 };

  it('keeps the members that it names, and the continuation of the list', async () => {
    const fixture = await serve(() => ANSWER, { page: PAGE });
    const result = await fixture.call('library_call', { fields: ['data.name', 'data.tags.x'] });
    expect(result.structuredContent).toEqual({
      data: [{ name: 'a', tags: { x: 1 } }, {}],
      next: 'n',
      page: { nextArguments: { fields: ['data.name', 'data.tags.x'], cursor: 'n' } },
    });
    expect(fixture.requests[0]?.search).toBe('');
  });

  it('is rejected with the nearest name before anything is sent', async () => {
    const fixture = await serve(() => ANSWER);
    const error = errorOf(await fixture.call('library_call', { fields: ['data.names'] }));
    expect(error.code).toBe('invalid_arguments');
    expect(error.message).toContain('"data" has no member "names". Did you mean "data.name"?');
    expect(fixture.requests).toEqual([]);
  });
});
