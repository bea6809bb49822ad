import { describe, expect, test } from 'vitest';
import type { CompleteToolResult } from '../../../../../server/call/tools/provider.ts';
import type { UserToolsDependencies } from '../../../../../server/call/tools/user-tools.ts';
import type { Connector, CredentialPart, Tool } from '../../../../../server/contract/index.ts';
import { closeAfterEach } from '../../../../support/close-after-each.ts';
import { fakeConnector, fakeTool } from '../../../../support/fake-connector.ts';
import { startHost } from '../../upstream/support.ts';
import { createFixture, errorOf, type Fixture, textOf } from '../support.ts';

const open = closeAfterEach();

const LIST: Tool = fakeTool({
  name: 'library_list',
  input: { properties: { cursor: { type: 'string' }, maxItems: { type: 'integer' } } },
  more: {
    request: { query: { cursor: 'cursor' } },
    gatewayArguments: ['maxItems'],
    page: { argument: 'cursor', next: '/next', queryParameter: null, more: null, items: '/data' },
  },
});
const BEARER: CredentialPart = { id: 'key', type: 'bearer', label: 'Key' };

interface Asked {
  readonly token: string;
  readonly page: number;
}

type Answer = readonly [status: number, body: unknown];

const page = (number: number): Answer => [200, { data: [{ id: number }], next: number < 3 ? `${number + 1}` : null }];

async function serve(
  answer: (asked: Asked) => Answer,
  changes: Partial<UserToolsDependencies> = {},
  connector: Partial<Connector> = {},
): Promise<Fixture & { readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  const host = await startHost((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://host');
    const one = { token: request.headers.authorization ?? '', page: Number(searchParams.get('cursor') ?? 1) };
    asked.push(one);
    const [status, body] = answer(one);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const credential = { parts: [BEARER], help: '', url: null };
  const connectors = [{ ...fakeConnector({ tools: [LIST] }), credential, ...connector }];
  const fixture = createFixture({ connectors, origin: host.origin, changes: { leases: leases(false), ...changes } });
  open.push(host, fixture);
  return { ...fixture, asked };
}

const old = { key: 'old-token' };
const fresh = { key: 'new-token' };
const leases = (renew: boolean): UserToolsDependencies['leases'] => ({
  open: () => ({
    fields: old,
    token: {
      scopes: null,
      renewIfExpired: () => null,
      renewAfterRefusal: renew ? async () => ({ kind: 'renewed', fields: fresh, updatedAt: 8 }) : null,
    },
  }),
});
const idsOf = ({ structuredContent }: CompleteToolResult) => structuredContent?.data;
const refused: Answer = [401, { message: 'token expired' }];

describe('a token that the upstream refuses from the second page on', () => {
  test('is renewed, and the list is complete', async () => {
    const answer = ({ token, page: number }: Asked) =>
      token === 'Bearer old-token' && number > 1 ? refused : page(number);
    const fixture = await serve(answer, { leases: leases(true) });
    const result = await fixture.call('library_list', { maxItems: 10 });
    expect(idsOf(result)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
    expect(result.isError).toBeUndefined();
    expect(textOf(result)).toContain('Gathered 3 items from 3 pages.');
    expect(fixture.asked.map(({ token, page: number }) => `${token} ${number}`)).toEqual([
      'Bearer old-token 1',
      'Bearer old-token 2',
      'Bearer new-token 2',
      'Bearer new-token 3',
    ]);
  });

  test('and cannot be renewed is reported, after a second refusal in a row, with the items of the pages before', async () => {
    const fixture = await serve(({ page: number }) => (number > 1 ? refused : page(number)), { leases: leases(false) });
    const once = await fixture.call('library_list', { maxItems: 10 });
    expect(errorOf(once)).toMatchObject({ code: 'refused_once', status: 401 });
    expect(fixture.refusals).toEqual([]);
    const twice = await fixture.call('library_list', { maxItems: 10 });
    expect(errorOf(twice)).toMatchObject({ code: 'credential_refused', status: 401 });
    expect(fixture.refusals).toMatchObject([{ connectionId: 'user-1/library', updatedAt: 7 }]);
    expect(fixture.records.map(({ outcome }) => outcome)).toEqual(['refused_once', 'credential_refused']);
    for (const result of [once, twice]) {
      expect(textOf(result)).toContain('{"data":[{"id":1}]');
      expect(textOf(result)).toContain('This is a part of the list.');
    }
  });
});

test('a page that fails leaves the items of the pages before, and the answer says that it is a part', async () => {
  const fixture = await serve(({ page: number }) => (number > 2 ? [429, { message: 'slow' }] : page(number)));
  const result = await fixture.call('library_list', { maxItems: 10 });
  expect(idsOf(result)).toEqual([{ id: 1 }, { id: 2 }]);
  expect(result.isError).toBeUndefined();
  expect(textOf(result)).toMatch(
    /2 items from 2 pages, and stopped because the next page failed: rate_limited.*This is a part of the list\./,
  );
});

test('every page takes a slot of the upstream', async () => {
  let taken = 0;
  const upstreamSlots: UserToolsDependencies['upstreamSlots'] = {
    async take() {
      taken += 1;
      return taken > 2 ? { kind: 'none', cap: 'rate', retryAfterSeconds: 9 } : { kind: 'taken', end: () => {} };
    },
    settle: async () => {},
  };
  const fixture = await serve(({ page: number }) => page(number), { upstreamSlots }, { caps: { concurrency: 1 } });
  const result = await fixture.call('library_list', { maxItems: 10 });
  expect(idsOf(result)).toEqual([{ id: 1 }, { id: 2 }]);
  expect(textOf(result)).toContain('no_free_turn (wait 9 seconds)');
  expect(fixture.asked).toHaveLength(2);
});

test('a call that is cancelled on a later page ends as cancelled', async () => {
  const cancelled = new AbortController();
  const fixture = await serve(({ page: number }) => {
    if (number === 2) cancelled.abort();
    return page(number);
  });
  const result = await fixture.call('library_list', { maxItems: 10 }, { signal: cancelled.signal });
  expect(errorOf(result).code).toBe('cancelled');
  expect(fixture.records.map(({ outcome }) => outcome)).toEqual(['cancelled']);
});
