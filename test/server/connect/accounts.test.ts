import { expect, test } from 'vitest';
import { findConnectionCode } from '../../../server/identity/oauth/connection-codes.ts';
import { createSessionVisitor, mintSession } from './session-steps.ts';
import {
  asksForAccount,
  type ConnectUnderTest,
  describeConnect,
  locationOf,
  REDIRECT_URI,
  requestOf,
} from './support.ts';

const INGRID = { email: 'ingrid@fjord.example', team: 'Fjord' };
const HOUR_MS = 3_600_000;

function enter(key: string) {
  return { decision: 'connect', 'credential-0': key };
}

/** Reads what the tests look at, and goes the ways that they share. */
function stepsOf(given: ConnectUnderTest) {
  const redeem = (code: string | undefined, user = 'alice') =>
    given.token({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, user_id: user });
  const codeOf = (answer: Parameters<typeof locationOf>[0]) => locationOf(answer).parameters.code;
  const api = (method: string, path: string, body?: object) =>
    given.send(`/api/partner/users/alice/connections${path}`, {
      method,
      headers: {
        Authorization: `Basic ${Buffer.from(`acme:${given.secret}`).toString('base64')}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const accounts = async () =>
    (await api('GET', '')).body.connections.map(
      ({ service, account_name }: { service: string; account_name?: string }) => [service, account_name],
    );
  const keys = (...list: string[]) => {
    for (const key of list) given.accepted.add(key);
  };
  /** A plain link up to the question. */
  const asked = async (service: string, key: string, user = 'alice') => {
    const visitor = given.visitor();
    await visitor.open(service, requestOf({ user_id: user }));
    const page = await visitor.submit(service, enter(key));
    expect([page.status, asksForAccount(page)]).toEqual([200, true]);
    const choose = (fields: Record<string, string>) => visitor.submit(service, { decision: 'account', ...fields });
    return { visitor, page, choose };
  };
  const add = async (service: string, key: string, name: string) => {
    keys(key);
    const { choose } = await asked(service, key);
    return redeem(codeOf(await choose({ account: 'add', account_name: name })));
  };
  /** A connect session, up to its answer to the credential. */
  const session = async (body: object, key: string) => {
    keys(key);
    const visitor = createSessionVisitor(given);
    await visitor.open((await mintSession(given, { services: ['club'], ...body })).body.connect_url);
    return { visitor, answer: await visitor.submit(enter(key)) };
  };
  const rows = (table: 'connections' | 'connection_attempts') => given.store.db.selectFrom(table).selectAll().execute();
  return { redeem, codeOf, api, accounts, keys, asked, add, session, rows };
}

describeConnect('a service that is connected already', (given) => {
  const { redeem, codeOf, accounts, keys, asked, add, session, rows } = stepsOf(given);

  test('is replaced without a question by the same verified account, by a plain link and in a session', async () => {
    for (const key of ['good-key-1', 'key-2', 'key-3', 'key-4']) given.members.set(key, INGRID);
    keys('key-2', 'key-4');
    await given.connected('club', 'alice', enter('good-key-1'));
    const [before] = await rows('connections');
    await expect.poll(async () => (await rows('connections'))[0]?.account_identity ?? null).not.toBeNull();
    const visitor = given.visitor();
    await visitor.open('club', requestOf());
    expect((await redeem(codeOf(await visitor.submit('club', enter('key-2'))))).status).toBe(200);
    const { answer } = await session({}, 'key-3');
    expect((await redeem(codeOf(answer))).status).toBe(200);
    const connections = await rows('connections');
    expect(connections.map(({ id, account_name }) => [id, account_name])).toEqual([[before?.id, null]]);
    given.members.set('key-4', { ...INGRID, team: 'Another' });
    await asked('club', 'key-4');
  });

  test('asks about another verified account, which can be added under a name; the first still works', async () => {
    given.members.set('good-key-1', INGRID);
    given.members.set('key-2', { email: 'ola@fjord.example' });
    const first = await given.connected('club', 'alice', enter('good-key-1'));
    keys('key-2');
    const { page, choose } = await asked('club', 'key-2');
    expect(page.text).toContain('ola@fjord.example');
    expect(page.text).toMatch(/value="add" checked/);
    const answer = await choose({ account: 'add', account_name: '  Side   project ' });
    expect((await redeem(codeOf(answer))).body.services).toEqual(['club']);
    expect(await accounts()).toEqual([
      ['club', 'account-1'],
      ['club', 'Side project'],
    ]);
    expect((await given.tools(first.body.access_token)).length).toBeGreaterThan(0);
  });

  test('asks where the service does not say whose credential it is, with the replacement chosen first', async () => {
    await given.connected('library', 'alice', enter('good-key-1'));
    keys('key-2');
    const { page, choose } = await asked('library', 'key-2');
    expect(page.text).toMatch(/value="sole" checked/);
    expect((await redeem(codeOf(await choose({ account: 'sole', account_name: 'account-2' })))).status).toBe(200);
    expect(await accounts()).toEqual([['library', undefined]]);
  });

  test.each([
    [{ account: 'replace' }, [['club', undefined]]],
    [
      { account: 'add', account_name: 'Work' },
      [
        ['club', 'account-1'],
        ['club', 'Work'],
      ],
    ],
  ])('follows the session that says %j, without a question', async (body, want) => {
    await given.connected('club', 'alice', enter('good-key-1'));
    const { answer } = await session(body, 'key-2');
    expect((await redeem(codeOf(answer))).status).toBe(200);
    expect(await accounts()).toEqual(want);
  });

  test('of several, the session replaces the account that it names, and asks where it names none or an unknown one', async () => {
    await given.connected('library', 'alice', enter('good-key-1'));
    await add('library', 'key-2', 'Work');
    const before = await rows('connections');
    const { answer } = await session({ services: ['library'], account: 'replace', account_name: 'work' }, 'key-3');
    await redeem(codeOf(answer));
    const changed = (await rows('connections')).filter(
      ({ id, sealed_credential }) => before.find((row) => row.id === id)?.sealed_credential !== sealed_credential,
    );
    expect(changed.map(({ account_name }) => account_name)).toEqual(['Work']);
    for (const body of [{ account: 'replace' }, { account: 'replace', account_name: 'x' }, { account: 'add' }, {}]) {
      const again = await session({ services: ['library'], ...body }, 'key-4');
      expect(asksForAccount(again.answer)).toBe(true);
      expect(again.answer.text).toContain('Replace <bdi>Work</bdi>');
    }
  });

  test.each([
    { account: 'both' },
    { account_name: 'work' },
    { account: 'ask', account_name: 'work' },
    { account: 'add', account_name: 'a<b' },
    { account: 'add', account_name: 'work', services: ['club', 'library'] },
  ])('a session is refused that says %j', async (body) => {
    const { status, body: answer } = await mintSession(given, body);
    expect([status, answer.error]).toEqual([400, 'invalid_request']);
    expect(answer.error_description).toContain('account');
  });

  test('a name is refused that is none or that another account has, and then another one is accepted', async () => {
    await given.connected('library', 'alice', enter('good-key-1'));
    await add('library', 'key-2', 'Work');
    const { visitor } = await session({ services: ['library'] }, 'key-3');
    for (const account_name of ['', '-', 'a/b', 'x'.repeat(31), 'work', 'ACCOUNT-1']) {
      const page = await visitor.submit({ decision: 'account', account: 'add', account_name });
      expect([page.status, asksForAccount(page)]).toEqual([400, true]);
    }
    expect((await visitor.submit({ decision: 'account', account_name: 'Home' })).status).toBe(400);
    await redeem(codeOf(await visitor.submit({ decision: 'account', account: 'add', account_name: 'Home' })));
    expect((await accounts()).map(([, name]: string[]) => name)).toEqual(['account-1', 'Work', 'Home']);
  });

  test('has at most ten accounts, also when the last two are added at once', async () => {
    await given.connected('library', 'alice', enter('good-key-1'));
    for (let number = 2; number <= 9; number += 1) await add('library', `key-${number}`, `Name ${number}`);
    keys('key-10', 'key-11');
    const codes = await Promise.all(
      ['key-10', 'key-11'].map(async (key) =>
        codeOf(await (await asked('library', key)).choose({ account: 'add', account_name: 'Last' })),
      ),
    );
    const answers = await Promise.all(codes.map((code) => redeem(code)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    expect(await accounts()).toHaveLength(10);
    const { answer } = await session({ services: ['library'] }, 'key-12');
    expect(answer.text).toContain('You have 10 accounts');
  });
});

describeConnect('an attacker at the question about accounts', (given) => {
  const { redeem, codeOf, accounts, keys, asked, add, session, rows, api } = stepsOf(given);

  test('learns no name of an account from a plain link, which anyone can write for any user', async () => {
    await given.connected('library', 'alice', enter('good-key-1'));
    await add('library', 'key-2', 'Secret name');
    const [first] = await rows('connections');
    keys('key-3');
    const { page, choose } = await asked('library', 'key-3');
    for (const text of ['Secret', 'account-1', 'sole', String(first?.id)]) expect(page.text).not.toContain(text);
    expect((await choose({ account: String(first?.id) })).status).toBe(400);
    expect((await choose({ account: 'sole' })).status).toBe(400);
    const answer = await choose({ account: 'add', account_name: 'secret NAME' });
    expect(answer.status).toBe(303);
    await redeem(codeOf(answer));
    expect((await accounts()).map(([, name]: string[]) => name)).toEqual(['account-1', 'Secret name', 'secret NAME-2']);
  });

  test('replaces no account of another user or service', async () => {
    await given.connected('library', 'bob', enter('good-key-1'));
    await given.connected('silent', 'alice', enter('good-key-1'));
    const others = await rows('connections');
    await given.connected('library', 'alice', enter('good-key-1'));
    const { visitor } = await session({ services: ['library'] }, 'key-2');
    for (const { id } of others) {
      expect((await visitor.submit({ decision: 'account', account: id })).status).toBe(400);
    }
    expect(others).toHaveLength(2);
  });

  test('chooses once: of simultaneous and later choices one is accepted', async () => {
    await given.connected('library', 'alice', enter('good-key-1'));
    keys('key-2');
    const { choose } = await asked('library', 'key-2');
    const fields = { account: 'add', account_name: 'Work' };
    const answers = await Promise.all([choose(fields), choose(fields), choose({ account: 'sole' })]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 400, 400]);
    expect((await choose(fields)).status).toBe(400);
    expect(await rows('connection_attempts')).toHaveLength(2);
  });

  test('finds no credential in the store, the page or the log while the person decides, and no code for it', async () => {
    await given.connected('library', 'alice', enter('good-key-1'));
    keys('key-to-find');
    const { page } = await asked('library', 'key-to-find');
    const kept = (await rows('connection_attempts')).find(({ redeemed_at }) => redeemed_at === null);
    expect(kept?.sealed_credential).toMatch(/^v3\./);
    for (const text of [JSON.stringify(kept), page.text, given.lines.join('\n')]) {
      expect(text).not.toContain('key-to-find');
    }
    expect((await redeem(kept?.code_hash)).body.error).toBe('invalid_grant');
    expect((await redeem(kept?.id)).body.error).toBe('invalid_grant');
  });

  test('uses no page of another browser, and none after an hour or after Cancel', async () => {
    await given.connected('library', 'alice', enter('good-key-1'));
    keys('key-2');
    const { visitor, choose } = await asked('library', 'key-2');
    const other = given.visitor();
    await other.open('library', requestOf());
    other.pageState = visitor.pageState;
    expect((await other.submit('library', { decision: 'account', account: 'sole' })).status).toBe(400);
    expect(locationOf(await visitor.submit('library', { decision: 'decline' })).parameters.error).toBe('access_denied');
    expect((await rows('connection_attempts')).filter(({ redeemed_at }) => redeemed_at === null)).toEqual([]);
    expect((await choose({ account: 'sole' })).status).toBe(400);
    const late = await asked('library', 'key-2');
    given.now += HOUR_MS;
    expect((await late.choose({ account: 'sole' })).status).toBe(400);
  });

  test('restores nothing that was removed while the person decides, or before the code is redeemed', async () => {
    await given.connected('library', 'alice', enter('good-key-1'));
    keys('key-2');
    const { choose } = await asked('library', 'key-2');
    const code = codeOf(await (await asked('library', 'key-2')).choose({ account: 'sole' }));
    expect((await api('DELETE', '/library')).status).toBe(204);
    expect((await choose({ account: 'add', account_name: 'Work' })).status).toBe(400);
    expect((await redeem(code)).body.error).toBe('invalid_grant');
    expect(await rows('connections')).toEqual([]);
  });
});

describeConnect('several accounts in the partner API', (given) => {
  const { api, accounts, add } = stepsOf(given);

  test('one account has no name, and is renamed by no one', async () => {
    await given.connected('library', 'alice', enter('good-key-1'));
    const { body } = await api('GET', '');
    expect(Object.keys(body.connections[0])).toEqual([
      'id',
      'service',
      'title',
      'status',
      'credential',
      'account',
      'connected_at',
      'updated_at',
    ]);
    const renamed = await api('PATCH', '/library', { account_name: 'Work' });
    expect([renamed.status, renamed.body.error]).toEqual([400, 'invalid_request']);
    expect((await api('DELETE', '/library')).status).toBe(204);
  });

  test('several are named by an error, renamed, and removed one by one, and the others go on working', async () => {
    const { body: tokens } = await given.connected('library', 'alice', enter('good-key-1'));
    await add('library', 'key-2', 'Work');
    for (const answer of [await api('DELETE', '/library'), await api('PATCH', '/library', { account_name: 'x' })]) {
      expect([answer.status, answer.body.error]).toEqual([409, 'account_required']);
      expect(answer.body.error_description).toContain('Accounts: account-1, Work.');
    }
    for (const [account, account_name, status] of [
      ['nobody', 'Home', 404],
      ['Work', 'ACCOUNT-1', 400],
      ['Work', 'a.b', 400],
      ['work', 'Home', 200],
    ] as const) {
      const answer = await api('PATCH', `/library?account=${account}`, { account_name });
      expect([account_name, answer.status]).toEqual([account_name, status]);
    }
    expect((await api('DELETE', '/library?account=Work')).status).toBe(404);
    expect((await api('DELETE', '/library?account=account-1')).status).toBe(204);
    expect(await accounts()).toEqual([['library', 'Home']]);
    expect(await given.tools(tokens.access_token)).toEqual(['library_list']);
    expect((await given.call(tokens.access_token, 'library_list')).body.result.isError ?? false).toBe(false);
  });

  test('webhooks say which account it is, and nothing about names while there is one', async () => {
    await given.connected('library', 'alice', enter('good-key-1'));
    await add('library', 'key-2', 'Work');
    await api('DELETE', '/library?account=account-1');
    const events = await given.store.db
      .selectFrom('partner_events' as never)
      .select(['type', 'data'] as never)
      .orderBy('seq' as never)
      .execute();
    const told = (events as { type: string; data: string }[])
      .filter(({ type }) => type.startsWith('connection.'))
      .map(({ type, data }) => [type, JSON.parse(data).account_name]);
    expect(told).toEqual([
      ['connection.created', undefined],
      ['connection.created', 'Work'],
      ['connection.removed', 'account-1'],
    ]);
  });
});

describeConnect('a connection code that is kept to an account', (given) => {
  const { add, rows } = stepsOf(given);
  const mint = (body: object) =>
    given.send('/api/mcp/oauth/sessions', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ client_id: 'acme', client_secret: given.secret, user_id: 'alice', ...body }),
    });
  const found = async (body: object) =>
    findConnectionCode(given.store.db, (await mint(body)).body.session_token, given.now);

  test('has the row id of the account, and the consent page gets its name; without one, all names', async () => {
    await given.connected('library', 'alice', enter('good-key-1'));
    await add('library', 'key-2', 'Work');
    const work = (await rows('connections')).find(({ account_name }) => account_name === 'Work');
    const pinned = await found({ accounts: { library: 'work' } });
    expect(pinned?.limits.permission.accounts).toEqual({ library: work?.id });
    expect(pinned?.accounts).toEqual(new Map([['library', ['Work']]]));
    const free = await found({});
    expect(free?.services).toEqual(['library']);
    expect(free?.accounts).toEqual(new Map([['library', ['account-1', 'Work']]]));
  });

  test.each([
    [{ accounts: { library: 'Home' } }, 'Accounts: account-1, Work.'],
    [{ accounts: { desk: 'Work' } }, 'It is not connected.'],
    [{ accounts: { library: 'Work' }, services: ['desk'] }, 'which services leaves out'],
    [{ accounts: { library: 7 } }, 'accounts must be an object'],
    [{ accounts: 'Work' }, 'accounts must be an object'],
  ])('is refused for %j', async (body, text) => {
    await given.connected('library', 'alice', enter('good-key-1'));
    await add('library', 'key-2', 'Work');
    const answer = await mint(body);
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
    expect(answer.body.error_description).toContain(text);
  });

  test('is refused for the only account, which needs no name', async () => {
    await given.connected('library', 'alice', enter('good-key-1'));
    expect((await mint({ accounts: { library: 'account-1' } })).body.error_description).toContain('leave it out');
    expect((await found({}))?.accounts).toEqual(new Map());
  });
});
