import { expect, test } from 'vitest';
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
    expect(JSON.stringify(result)).toContain('https://acme.example/connections?from=gateway&service=vault');
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
    for (let count = 0; count < 3; count += 1) {
      expect((await given.call(body.access_token, 'vault_log')).body.result.isError).toBe(true);
    }
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
});
