import { describe, expect, test } from 'vitest';
import { createSessionVisitor, mintSession } from './session-steps.ts';
import { describeConnect, locationOf, REDIRECT_URI, requestOf } from './support.ts';

const EXTRA = { decision: 'connect', kind: '1', 'credential-0': 'admin-key-1' };

describeConnect('what few tools need in addition', (given) => {
  const connections = () => given.store.db.selectFrom('connections').selectAll().execute();
  const redeem = (code: string, user = 'alice') =>
    given.token({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, user_id: user });
  const addExtra = async (user = 'alice') => {
    const visitor = given.visitor();
    const page = await visitor.open('vault', requestOf({ user_id: user }));
    return { page, answer: await visitor.submit('vault', EXTRA) };
  };
  const connected = () => given.connected('vault', 'alice', { 'credential-0': 'good-key-1' });

  test('is not asked for when the service is connected, and named with its page when a tool needs it', async () => {
    const { body } = await connected();
    expect((await given.call(body.access_token, 'vault_list')).body.result.isError ?? false).toBe(false);
    given.asked.length = 0;
    const { result } = (await given.call(body.access_token, 'vault_log')).body;
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result)).toContain('vault_log needs Admin key of The vault');
    expect(JSON.stringify(result)).toContain(
      'at https://acme.example/connections?from=gateway&service=vault&extra=Admin+key',
    );
    expect(given.asked).toEqual([]);
  });

  test('is added to the connection, which keeps the rest; each tool is sent with its own', async () => {
    const { body } = await connected();
    const [before] = await connections();
    given.accepted.add('admin-key-1');
    const { page, answer } = await addExtra();
    expect(page.text).toContain('<summary>Already connected? Add: Admin key</summary>');
    expect(page.text).toContain('One tool needs it, all others work without.');
    expect((await redeem(locationOf(answer).parameters.code ?? '')).status).toBe(200);
    expect((await connections()).map(({ id }) => id)).toEqual([before?.id]);
    given.asked.length = 0;
    for (const tool of ['vault_list', 'vault_log', 'vault_list']) {
      expect((await given.call(body.access_token, tool)).body.result.isError ?? false).toBe(false);
    }
    expect(given.asked).toEqual(['/things good-key-1', '/log admin-key-1', '/things good-key-1']);
  });

  test('stays when it is refused: the connection needs no attention', async () => {
    const { body } = await connected();
    await redeem(locationOf((await addExtra()).answer).parameters.code ?? '');
    const codes: string[] = [];
    let text = '';
    for (let count = 0; count < 4; count += 1) {
      const { content, isError } = (await given.call(body.access_token, 'vault_log')).body.result;
      expect(isError).toBe(true);
      text = JSON.stringify(content);
      codes.push(JSON.parse(content[1].text).code);
    }
    expect(codes).toEqual(['refused_once', ...Array(3).fill('scope_not_granted')]);
    expect(text).toContain('The vault refused the Admin key that the user has added to the connection.');
    expect(text).toContain('service=vault&extra=Admin+key');
    expect((await connections()).map(({ status }) => status)).toEqual(['active']);
    expect((await given.call(body.access_token, 'vault_list')).body.result.isError ?? false).toBe(false);
  });

  test('is added to nothing: who has not connected the service is told to do so', async () => {
    const { answer } = await addExtra('bob');
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('The vault has to be connected first');
    expect(await given.store.db.selectFrom('connection_attempts').selectAll().execute()).toEqual([]);
  });

  test('of one user is not added to the connection of another, and not to one that is gone', async () => {
    await connected();
    const { answer } = await addExtra();
    const code = locationOf(answer).parameters.code ?? '';
    expect((await redeem(code, 'eve')).body.error).toBe('invalid_grant');
    await given.store.db.deleteFrom('connections').execute();
    expect((await redeem(code)).body.error).toBe('invalid_grant');
    expect(await connections()).toEqual([]);
  });

  test('is the form that is open where the link names it, and no other', async () => {
    const open = '<details open><summary>Already connected? Add: Admin key';
    const named = await given.visitor().open('vault', requestOf({ extra: 'Admin key' }));
    expect(named.text).toContain(open);
    expect(named.text.match(/id="[^"]*"[^>]* autofocus/g)).toEqual([expect.stringContaining('kind-1-credential-0')]);
    for (const extra of ['', 'API key', '"><script>', 'constructor']) {
      const { text } = await given.visitor().open('vault', requestOf({ extra }));
      expect(text).not.toContain('<details open');
      expect(text).not.toContain('"><script>');
    }
    await connected();
    const minted = await mintSession(given, { services: ['vault'], extra: 'Admin key' });
    const { text } = await createSessionVisitor(given).open(minted.body.connect_url);
    expect(text).toContain(open);
    expect(text).not.toContain('A new key for the same account');
  });

  test('is added to the account that the session names, and the tool of another account still names its own link', async () => {
    const { body } = await connected();
    given.accepted.add('good-key-2').add('admin-key-1');
    const session = async (wanted: object, fields: Record<string, string>) => {
      const visitor = createSessionVisitor(given);
      await visitor.open((await mintSession(given, { services: ['vault'], ...wanted })).body.connect_url);
      return redeem(locationOf(await visitor.submit(fields)).parameters.code ?? '');
    };
    await session({ account: 'add', account_name: 'Work' }, { 'credential-0': 'good-key-2' });
    const more = { account: 'replace', account_name: 'Work', extra: 'Admin key' };
    expect((await session(more, { kind: '1', 'credential-0': 'admin-key-1' })).status).toBe(200);
    const log = async (account: string) =>
      JSON.stringify((await given.call(body.access_token, 'vault_log', { account })).body.result);
    given.asked.length = 0;
    expect(await log('account-1')).toContain('&service=vault&account=account-1&extra=Admin+key');
    expect(await log('Work')).not.toContain('isError');
    expect(given.asked).toEqual(['/log admin-key-1']);
  });

  test.each([
    ['no extra of the service', { services: ['vault'], extra: 'API key' }],
    ['an extra of one service of several', { services: ['vault', 'library'], extra: 'Admin key' }],
    ['an extra of another service', { services: ['library'], extra: 'Admin key' }],
  ])('cannot be asked for in a session with %s', async (_, wanted) => {
    const { status, body } = await mintSession(given, wanted);
    expect([status, body.error_description]).toEqual([400, expect.stringContaining('extra names "')]);
  });

  test('can be added in the session of the partner', async () => {
    const { body } = await connected();
    const visitor = createSessionVisitor(given);
    await visitor.open((await mintSession(given, { services: ['vault'] })).body.connect_url);
    const back = await visitor.submit({ kind: '1', 'credential-0': 'admin-key-1' });
    given.accepted.add('admin-key-1');
    expect((await redeem(locationOf(back).parameters.code ?? '')).status).toBe(200);
    expect((await given.call(body.access_token, 'vault_log')).body.result.isError ?? false).toBe(false);
    expect(given.lines.join('\n')).not.toContain('admin-key-1');
  });

  describe('that names a call which verifies it', () => {
    const setUp = async () => {
      const { body } = await given.connected('safe', 'alice', { 'credential-0': 'acme', 'credential-1': 'good-key-1' });
      // The account of a new connection is stored after the answer.
      await expect.poll(async () => (await connections()).map(({ account }) => account)).toEqual(['acme']);
      given.asked.length = 0;
      return body.access_token as string;
    };
    const openSession = async () => {
      const visitor = createSessionVisitor(given);
      await visitor.open((await mintSession(given, { services: ['safe'], extra: 'Admin key' })).body.connect_url);
      return visitor;
    };
    const attempts = () =>
      given.store.db.selectFrom('connection_attempts').select('id').where('redeemed_at', 'is', null).execute();

    test('is asked of the service at the tenant of the connection, and kept when it is accepted', async () => {
      const token = await setUp();
      given.accepted.add('admin-key-1');
      const back = await (await openSession()).submit({ kind: '1', 'credential-0': 'admin-key-1' });
      expect(given.asked).toEqual(['/acme/log admin-key-1']);
      await redeem(locationOf(back).parameters.code ?? '');
      expect((await given.call(token, 'safe_log')).body.result.isError ?? false).toBe(false);
    });

    test('is refused in the words of the page, and nothing of it is kept', async () => {
      const token = await setUp();
      const before = await connections();
      const visitor = await openSession();
      const answer = await visitor.submit({ kind: '1', 'credential-0': 'admin-key-9' });
      expect(answer.status).toBe(400);
      expect(answer.text).toContain('The safe rejected this key');
      expect(answer.text).toContain('Nothing was saved.');
      expect(answer.text).not.toContain('admin-key-9');
      expect(answer.text).toContain('<details open><summary>Already connected? Add: Admin key');
      expect(await attempts()).toEqual([]);
      expect(await connections()).toEqual(before);
      expect((await given.call(token, 'safe_list')).body.result.isError ?? false).toBe(false);
      expect(given.lines.join('\n')).not.toContain('admin-key-9');
    });

    test('of a plain link, which anyone can write, is not sent with what the user has stored', async () => {
      await setUp();
      const visitor = given.visitor();
      await visitor.open('safe', requestOf());
      const answer = await visitor.submit('safe', { ...EXTRA, 'credential-0': 'admin-key-9' });
      expect(given.asked).toEqual([]);
      expect(locationOf(answer).parameters.code).toBeDefined();
    });

    test('counts as a guess when it is refused', async () => {
      await setUp();
      const visitor = await openSession();
      const answers = [];
      for (let count = 0; count < 11; count += 1) {
        answers.push((await visitor.submit({ kind: '1', 'credential-0': `admin-key-${count}` })).status);
      }
      expect(answers).toEqual([...Array(10).fill(400), 429]);
      expect(given.asked).toHaveLength(10);
    });
  });
});
