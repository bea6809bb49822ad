import { describe, expect, test } from 'vitest';
import { emit } from '../../../../server/base/store/events.ts';
import { insertConnectionAttempt } from '../../../../server/base/store/repositories/connection-attempts.ts';
import { insertClient } from '../../../../server/base/store/repositories/oauth-clients.ts';
import { insertGrant } from '../../../../server/base/store/repositories/oauth-grants.ts';
import { insertPartner } from '../../../../server/base/store/repositories/partners.ts';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import { issueAccessToken } from '../../../../server/identity/grants/access-token.ts';
import { someOf } from '../../../support/some-of.ts';
import { connect } from '../../base/store/fixtures.ts';
import { givenDashboard, insertCalls, type Visitor } from './support.ts';

const given = givenDashboard();

/** One more than two pages of 50. */
const ROWS = 101;

interface List {
  readonly path: string;
  readonly label: string;
  /** Default: `ROWS`. */
  readonly rows?: number;
  fill(index: number): Promise<unknown>;
}

const LISTS: Readonly<Record<string, List>> = {
  calls: {
    path: '/admin/calls',
    label: 'Pages',
    fill: (index) => insertCalls(given, [{ requestId: `row-${index}.` }]),
  },
  users: {
    path: '/admin/users?q=row-',
    label: 'Pages',
    fill: (index) =>
      ensureUser(given.store.db, { partnerId: given.partnerId, externalUserId: `row-${index}.`, now: given.now }),
  },
  'waiting flows': {
    path: '/admin/users?q=row-',
    label: 'Pages of waiting',
    fill: (index) =>
      insertConnectionAttempt(given.store.db, {
        ...{ id: `${1000 + index}`, service: 'library', partnerId: given.partnerId, externalUserId: `row-${index}.` },
        ...{ redirectUri: 'r', sessionId: null, sealedCredential: null, codeHash: `${index}` },
        ...{ now: given.now, expiresAt: given.now + 1 },
      }),
  },
  connections: {
    path: '/admin/connections?service=other',
    label: 'Pages',
    async fill(index) {
      const key = { partnerId: given.partnerId, externalUserId: `row-${index}.`, now: given.now };
      const { id } = await ensureUser(given.store.db, key);
      await connect(given.store, { userId: id, service: 'other', now: given.now + index });
    },
  },
  clients: {
    path: '/admin/clients',
    label: 'Pages',
    fill: (index) =>
      insertClient(given.store.db, {
        ...{ clientId: `row-${index}.`, clientName: null, redirectUris: [], applicationType: 'web' },
        ...{ secretHash: null, authenticationMethod: 'none', now: given.now + Math.floor(index / 60) },
      }),
  },
  grants: {
    path: '/admin/grants',
    label: 'Pages',
    fill: (index) =>
      insertGrant(given.store.db, {
        ...{ clientId: null, userId: given.userId, scopes: [`row-${index}.`], services: null, resource: 'r' },
        ...{ now: given.now + index, expiresAt: given.now + 60_000 },
      }),
  },
  'minted tokens': {
    path: '/admin/grants',
    label: 'Pages of tokens',
    fill: (index) =>
      issueAccessToken(given.store.db, {
        ...{ userId: given.userId, scopes: ['tools:read'], services: [`row-${index}.`] },
        ...{ resource: 'r', now: given.now + index },
      }),
  },
  partners: {
    path: '/admin/partners',
    label: 'Pages',
    fill: (index) => insertPartner(given.store.db, { clientId: `row-${index}.`, name: 'Row', now: given.now }),
  },
  'the audit trail': {
    path: '/admin/audit?type=tokens_issued',
    label: 'Pages',
    rows: 201,
    fill: (index) => emit(given.store.db, { type: 'tokens_issued', now: given.now, details: { row: `row-${index}.` } }),
  },
};

/** What a page shows, and the targets of its links. */
async function look(operator: Visitor, address: string, label: string) {
  const { text } = await operator.get(address);
  const [nav = ''] = new RegExp(`<nav class="pager" aria-label="${label}">[\\s\\S]*?</nav>`).exec(text) ?? [];
  const link = (relation: string) =>
    new RegExp(`<a href="([^"#]*)[^"]*" rel="${relation}">`).exec(nav)?.[1]?.replaceAll('&amp;', '&');
  return { rows: [...new Set(text.match(/row-\d+\./g))], back: link('prev'), on: link('next') };
}

describe.each(someOf(Object.entries(LISTS), 2))('the list of %s', (name, { path, label, rows: count = ROWS, fill }) => {
  test('is paged to its end and back, and shows each row once', async () => {
    for (let index = 0; index < count; index += 1) await fill(index);
    const operator = await given.operator();
    const shownBy = async (address: string) => {
      const page = await look(operator, address, label);
      // Calls show their request on their own pages, so their links distinguish their times.
      return name === 'calls' ? { ...page, rows: await callsOn(operator, address) } : page;
    };
    const pages = [await shownBy(path)];
    expect(pages[0]?.back).toBeUndefined();
    for (let next = pages[0]?.on; next !== undefined; next = pages.at(-1)?.on) pages.push(await shownBy(next));
    const rows = pages.flatMap((page) => page.rows);
    expect([new Set(rows).size, rows.length]).toEqual([count, count]);
    expect(pages.length).toBeGreaterThan(2);
    let [back] = pages.slice(-1).map((page) => page.back);
    for (const page of pages.slice(0, -1).toReversed()) {
      const again = await shownBy(back ?? '');
      expect(again.rows).toEqual(page.rows);
      back = again.back;
    }
    expect(back).toBeUndefined();
  });
});

async function callsOn(operator: Visitor, address: string): Promise<string[]> {
  const { text } = await operator.get(address);
  return [...text.matchAll(/href="(\/admin\/calls\/[^"]+)"/g)].map(([, link = '']) => link);
}

describe("a user's timeline", () => {
  const path = () => `/admin/users/${given.userId}`;
  const entriesOf = (text: string) =>
    [...text.matchAll(/<li>(?:<a[^>]*>)?<time datetime="([^"]*)"/g)].map(([, at]) => at);

  test('is paged to its beginning and back, and shows each entry once', async () => {
    const { store, now, userId } = given;
    for (let index = 0; index < 80; index += 1) {
      await emit(store.db, { type: 'consent_given', now: now - index * 3000, userId });
    }
    await insertCalls(
      given,
      Array.from({ length: 150 }, (_, index) => ({ createdAt: now - 1 - index * 2000, outcome: 'gone' })),
    );
    const operator = await given.operator();
    const pages: (string | undefined)[][] = [];
    const backs: (string | undefined)[] = [];
    for (let next: string | undefined = path(); next !== undefined; ) {
      const { back, on } = await look(operator, next, 'Pages');
      pages.push(entriesOf((await operator.get(next)).text));
      backs.push(back);
      next = on;
    }
    expect([pages.flat().length, new Set(pages.flat()).size, backs[0]]).toEqual([230, 230, undefined]);
    expect(pages.flat()).toEqual(pages.flat().toSorted().toReversed());
    let back = backs.at(-1);
    for (const page of pages.slice(0, -1).toReversed()) {
      expect(entriesOf((await operator.get(back ?? '')).text)).toEqual(page);
      back = (await look(operator, back ?? '', 'Pages')).back;
    }
    expect(back).toBeUndefined();
  });

  test('continues if more happened than one page reads', async () => {
    await insertCalls(
      given,
      Array.from({ length: 1200 }, (_, index) => ({ createdAt: given.now - index * 1000 })),
    );
    await emit(given.store.db, { type: 'consent_given', now: given.now - 2_000_000, userId: given.userId });
    const operator = await given.operator();
    const counts: number[] = [];
    let events = 0;
    for (let next: string | undefined = path(); next !== undefined; ) {
      const { text } = await operator.get(next);
      counts.push(...[...text.matchAll(/<bdi>([\d,]+) successful calls/g)].map(([, count = '']) => Number(count)));
      counts.push(...[...text.matchAll(/<bdi>Called library_find</g)].map(() => 1));
      events += text.match(/Consent given/g)?.length ?? 0;
      next = (await look(operator, next, 'Pages')).on;
    }
    expect([counts.reduce((sum, count) => sum + count, 0), events]).toEqual([1200, 1]);
  });

  test('keeps entries of one millisecond on one page', async () => {
    const at = given.now - 5000;
    await insertCalls(
      given,
      Array.from({ length: 45 }, (_, index) => ({ createdAt: given.now - index, outcome: 'gone' })),
    );
    await insertCalls(
      given,
      Array.from({ length: 20 }, () => ({ createdAt: at, outcome: 'gone' })),
    );
    const operator = await given.operator();
    const { on } = await look(operator, path(), 'Pages');
    const [first, second] = [await operator.get(path()), await operator.get(on ?? '')];
    expect([entriesOf(first.text).length, entriesOf(second.text).length]).toEqual([45, 20]);
  });
});
