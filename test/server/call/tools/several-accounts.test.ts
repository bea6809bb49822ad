import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FULL_PERMISSION } from '../../../../server/base/principal/permission.ts';
import { namesOfAccounts, type Principal, selectPinned } from '../../../../server/base/principal/principal.ts';
import type { FoundConnection } from '../../../../server/base/store/token-lookup.ts';
import { createCatalogue } from '../../../../server/call/tools/catalogue/catalogue.ts';
import type { ToolList } from '../../../../server/call/tools/provider.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { startHost } from '../../call/upstream/support.ts';
import { createContext, createFixture, createPrincipal, errorOf, type Fixture, textOf } from './support.ts';

const PATTERN = { type: 'string', pattern: '^[a-z]+$', description: 'A "word" \\ with $& and more.' };
const TOOLS = [
  fakeTool({ name: 'library_list', input: { properties: { word: PATTERN } } }),
  fakeTool({
    name: 'library_move',
    method: 'POST',
    input: { properties: { account: { type: 'string' } }, required: ['account'] },
  }),
  fakeTool({ name: 'library_add', method: 'POST' }),
];
const CONNECTORS = [
  fakeConnector({ tools: TOOLS }),
  fakeConnector({ name: 'shelf', title: 'Shelf', tools: [fakeTool({ name: 'shelf_list' })] }),
];

const account = (id: string, name?: string): FoundConnection => ({
  ...{ id, status: 'active', sealedCredential: `sealed for ${id}`, updatedAt: 7 },
  ...(name === undefined ? {} : { name }),
});
const WORK = account('c1', 'Work');
const HOME = account('c2', 'home');

/** A user with these accounts of `library`, as the endpoint sees it. */
function userWith(accounts: readonly FoundConnection[], changes: Partial<Principal> = {}): Partial<Principal> {
  const [first, ...others] = accounts;
  const all = new Map([
    ...(first === undefined ? [] : [['library', others.length === 0 ? first : { ...first, others }] as const]),
    ['shelf', account('s')] as const,
  ]);
  const connections = selectPinned(all, changes.permission?.accounts ?? {});
  const names = namesOfAccounts(connections);
  return { connections, services: [...connections.keys()], accounts: names, ...changes };
}

const pinnedTo = (id: string) => ({ permission: { ...FULL_PERMISSION, accounts: { library: id } } });

describe('the list of a user with several accounts of a service', () => {
  const catalogue = createCatalogue(CONNECTORS);
  const listOf = (user: Partial<Principal>, from = catalogue): ToolList => from.list(createPrincipal(user));
  // biome-ignore lint/suspicious/noExplicitAny: what the wire holds is what the tests look at
  const toolsOf = (list: ToolList): any[] => JSON.parse(Buffer.from(list.json).toString());

  test('is the same, byte for byte, with one account, whatever its name', () => {
    const alone = createPrincipal({ services: ['library', 'shelf'] });
    const list = catalogue.list(alone);
    expect(listOf(userWith([account('c1')]))).toBe(list);
    expect(listOf(userWith([WORK]))).toBe(list);
    expect(listOf(userWith([WORK, HOME], pinnedTo('c2'))).json).toEqual(list.json);
    expect(Buffer.from(list.json).toString()).not.toContain('connected account');
  });

  test('has a required argument with their names in the tools of that service, and differs in nothing else', () => {
    const before = toolsOf(listOf(userWith([WORK])));
    const [add, list, move, shelf] = toolsOf(listOf(userWith([WORK, HOME])));
    const description = 'Which connected account of Library to use.';
    const argument = { type: 'string', enum: ['Work', 'home'], description };
    const [addBefore, listBefore, moveBefore, shelfBefore] = before;
    const withArgument = (tool: typeof add, name: string) => ({
      ...tool,
      inputSchema: {
        ...tool.inputSchema,
        properties: { ...tool.inputSchema.properties, [name]: argument },
        required: [...tool.inputSchema.required, name],
      },
    });
    expect(add).toEqual(withArgument(addBefore, 'account'));
    expect(list).toEqual(withArgument(listBefore, 'account'));
    expect(move).toEqual(withArgument(moveBefore, 'connectedAccount'));
    expect(shelf).toEqual(shelfBefore);
  });

  test('is kept for the same names, and made again for others', () => {
    const list = listOf(userWith([WORK, HOME]));
    expect(listOf(userWith([account('c8', 'Work'), account('c9', 'home')]))).toBe(list);
    expect(
      toolsOf(listOf(userWith([WORK, account('c2', 'new "name"')])))[0].inputSchema.properties.account.enum,
    ).toEqual(['Work', 'new "name"']);
  });

  test('has the argument in a compact list, in a narrowed one, and where writing needs the user', () => {
    const compact = toolsOf(listOf(userWith([WORK, HOME]), createCatalogue(CONNECTORS, { mode: 'compact' })));
    expect(compact.find(({ name }) => name === 'library_add').inputSchema.properties.account.enum).toHaveLength(2);
    const pins = { ...FULL_PERMISSION, pins: { library: { word: 'x' } } };
    const [pinned] = toolsOf(listOf(userWith([WORK, HOME], { permission: pins })));
    expect(Object.keys(pinned.inputSchema.properties)).toEqual(['account']);
    const reads = { scopes: ['tools:read'], clientId: 'client' } as const;
    const [add] = toolsOf(listOf(userWith([WORK, HOME], reads)));
    expect([add.description, add.inputSchema.required]).toEqual([
      'Needs write access: calling it asks the user. Calls POST /things.',
      ['account'],
    ]);
  });
});

describe('a call of a user with several accounts of a service', () => {
  let host: Awaited<ReturnType<typeof startHost>>;
  let fixture: Fixture;
  const used: string[] = [];
  const requests: IncomingMessage[] = [];
  beforeEach(async () => {
    used.length = 0;
    requests.length = 0;
    host = await startHost(async (request, response) => {
      requests.push(request);
      response.setHeader('content-type', 'application/json');
      response.end('{}');
    });
    fixture = createFixture({
      origin: host.origin,
      connectors: CONNECTORS,
      changes: {
        leases: {
          open({ connectionId, sealedCredential }) {
            expect(sealedCredential).toBe(`sealed for ${connectionId}`);
            used.push(connectionId);
            return { fields: {}, token: null };
          },
        },
      },
    });
  });
  afterEach(async () => {
    await fixture.close();
    await host.close();
  });
  const call = (args: Record<string, unknown>, user = userWith([WORK, HOME]), tool = 'library_list') =>
    fixture.call(tool, args, { principal: user });

  test.each([
    [{ account: 'Work' }, 'c1'],
    [{ account: 'home' }, 'c2'],
    [{ account: 'HOME' }, 'c2'],
  ])('uses the account that %j names, and sends the name to no one', async (args, id) => {
    expect((await call({ ...args, word: 'a' })).isError).toBeUndefined();
    expect(used).toEqual([id]);
    expect(requests.map(({ url }) => url)).toEqual(['/things?word=a']);
    expect(fixture.records).toMatchObject([{ outcome: 'ok', connectionId: id, service: 'library' }]);
  });

  test('that names none is told which there are, and sends nothing', async () => {
    const result = await call({});
    expect(errorOf(result)).toMatchObject({
      code: 'invalid_arguments',
      message: 'Library is connected with several accounts, and this call does not say which one to use.',
      details: { argument: 'account', accounts: ['Work', 'home'] },
    });
    expect(textOf(result)).toContain('Name one of these in "account": "Work", "home".');
    expect([used, requests]).toEqual([[], []]);
    expect(fixture.records).toMatchObject([{ outcome: 'invalid_arguments', upstreamCode: 'account' }]);
  });

  test.each([['c1'], ['account-1'], [''], [null], [1], [['Work']], [{ toString: 'Work' }], ['Work '], ['__proto__']])(
    'that names %j is refused',
    async (name) => {
      const result = await call({ account: name });
      expect([errorOf(result)?.code, used, requests]).toEqual(['invalid_arguments', [], []]);
    },
  );

  test('names it in another argument where the tool has its own "account"', async () => {
    await call({ account: 'theirs', connectedAccount: 'home' }, undefined, 'library_move');
    expect([used, requests.map(({ url }) => url)]).toEqual([['c2'], ['/things?account=theirs']]);
    const result = await call({ account: 'home' }, undefined, 'library_move');
    expect(errorOf(result)?.details).toMatchObject({ argument: 'connectedAccount' });
  });

  test('of another service names none', async () => {
    expect((await call({}, undefined, 'shelf_list')).isError).toBeUndefined();
    expect(errorOf(await call({ account: 'home' }, undefined, 'shelf_list'))?.code).toBe('invalid_arguments');
    expect(requests).toHaveLength(1);
    expect(fixture.records[0]).not.toHaveProperty('connectionId');
  });

  test('with an old list works with the account that is left, and never instead of the one that is gone', async () => {
    await call({ account: 'home' }, userWith([HOME]));
    await call({}, userWith([HOME]));
    expect(errorOf(await call({ account: 'Work' }, userWith([HOME])))).toMatchObject({
      message: 'The user has no account of Library with the name in "account".',
      details: { accounts: ['home'] },
    });
    expect(used).toEqual(['c2', 'c2']);
  });

  test('of a user who never had a second one is checked as before', async () => {
    const result = await call({ account: 'home' }, userWith([account('c1')]));
    expect(textOf(result)).not.toContain('no account');
    expect([errorOf(result)?.code, requests.length]).toEqual(['invalid_arguments', 0]);
  });

  test('of a grant that pins one uses it, cannot name another, and ends when it is gone', async () => {
    const accounts = [WORK, HOME];
    await call({}, userWith(accounts, pinnedTo('c2')));
    expect(errorOf(await call({ account: 'Work' }, userWith(accounts, pinnedTo('c2'))))?.code).toBe(
      'invalid_arguments',
    );
    const gone = userWith([WORK, account('c3', 'home')], pinnedTo('c2'));
    expect(errorOf(await call({}, gone))).toMatchObject({
      code: 'not_allowed',
      message: 'The account of Library that this client may use is not connected any more.',
    });
    expect(errorOf(await call({ account: 'home' }, gone))?.code).toBe('not_allowed');
    expect(gone.services).toEqual(['shelf']);
    expect(used).toEqual(['c2']);
  });

  test('uses none if two have the same name, which the store never lets happen', async () => {
    expect(errorOf(await call({ account: 'home' }, userWith([HOME, account('c3', 'Home')])))?.code).toBe(
      'invalid_arguments',
    );
    expect(used).toEqual([]);
  });

  test('says which account needs attention, and leaves the others alone', async () => {
    const user = userWith([WORK, { ...HOME, status: 'attention' }]);
    expect(errorOf(await call({ account: 'home' }, user))?.message).toBe(
      'Library (account "home") no longer accepts the credential of this connection.',
    );
    expect((await call({ account: 'Work' }, user)).isError).toBeUndefined();
  });

  test('through the tools that find others shows and takes the argument', async () => {
    const principal = createPrincipal(userWith([WORK, HOME]));
    const find = (name: string, args: Record<string, unknown>) =>
      fixture.provider.call(principal, name, args, createContext());
    const described = JSON.stringify(await find('describe_tools', { names: ['library_list'] }));
    expect(described).toContain('"enum":["Work","home"]');
    const inner = (args: object) => find('call_reading_tool', { name: 'library_list', arguments: args });
    expect(JSON.stringify(await inner({}))).toContain('\\"enum\\":[\\"Work\\",\\"home\\"]');
    await inner({ account: 'home' });
    expect(used).toEqual(['c2']);
  });
});
