import { expect, test } from 'vitest';
import { describeUserPage } from '../modules/me/support.ts';

describeUserPage('the partner API for the allowance of a user', (given) => {
  const put = (body: unknown, user = 'alice') => given.api('PUT', `${user}/allowance`, body);
  const READS = { services: ['library'], effects: ['reads'] };

  test('limits every grant from the next call on, and gives back what it took', async () => {
    const { token } = await given.allow('Claude Code');
    const everything = await given.tools(token);
    expect(everything).toEqual(['archive_read', 'library_burn', 'library_find', 'library_lend']);
    const { status, body } = await put({ allows: [READS] });
    expect([status, body]).toEqual([
      200,
      { allows: [{ ...READS, tools: null, accounts: {} }], approvals: [], catalogue: null, expires_at: null },
    ]);
    expect(await given.tools(token)).toEqual(['library_find']);
    expect(await given.tools((await given.allow('Later')).token)).toEqual(['library_find']);
    await put({ allows: null });
    expect(await given.tools(token)).toEqual(everything);
  });

  test('is the union of its entries, and an empty list allows nothing', async () => {
    const { token } = await given.allow('Claude Code');
    await put({ allows: [READS, { services: ['library'], tools: ['library_burn'] }, { services: ['archive'] }] });
    expect(await given.tools(token)).toEqual(['archive_read', 'library_burn', 'library_find']);
    await put({ allows: [{ services: ['library'], tools: ['library_burn'], effects: ['writes'] }] });
    expect(await given.tools(token)).toEqual([]);
    await put({ allows: [] });
    expect(await given.tools(token)).toEqual([]);
  });

  test('refuses a call with the reason and the way out', async () => {
    const { token } = await given.allow('Claude Code');
    await put({ allows: [READS] });
    const refused = JSON.stringify(await given.call(token, 'library_lend'));
    expect(refused).toContain('does not allow this user to call library_lend');
    expect(refused).toContain('not_allowed');
    expect(JSON.stringify(await given.call(token, 'archive_read'))).toContain('does not allow this user');
  });

  test('reaches the users of its partner alone, and creates those that are new', async () => {
    const { token } = await given.allow('Claude Code');
    const before = await given.tools(token);
    const other = { id: 'other', secret: given.other.secret };
    await given.api('PUT', 'alice/allowance', { allows: [] }, other);
    expect(await given.tools(token)).toEqual(before);
    expect((await put({ allows: [READS] }, 'new-user')).status).toBe(200);
    expect((await given.api('GET', 'new-user/allowance')).body).toMatchObject({ allows: [READS] });
    expect((await given.api('GET', 'nobody/allowance')).body).toMatchObject({
      allows: null,
      approvals: [],
      catalogue: null,
      expires_at: null,
    });
  });

  test('allows only the accounts that it names', async () => {
    const { token } = await given.allow('Claude Code');
    await put({ allows: [{ services: ['library'], accounts: { library: ['Work'] } }] });
    expect(await given.tools(token)).toEqual([]);
    const refused = JSON.stringify(await given.call(token, 'library_find'));
    expect(refused).toContain('allows only these accounts of Library, and none of them is connected: work.');
    expect(refused).toContain('not_allowed');
    await given.store.db.updateTable('connections').set({ account: 'work' }).where('service', '=', 'library').execute();
    expect(await given.tools(token)).toEqual(['library_burn', 'library_find', 'library_lend']);
  });

  test('is required where the partner says so: users without one may use nothing, and everything otherwise', async () => {
    const require = (required: boolean) => given.api('PUT', '../allowances', { required });
    const { token } = await given.allow('Claude Code');
    const everything = await given.tools(token);
    expect((await require(true)).body).toEqual({ required: true });
    for (const user of ['alice', 'unknown'])
      expect((await given.api('GET', `${user}/allowance`)).body).toMatchObject({ allows: [] });
    expect(await given.tools(token)).toEqual([]);
    const refused = JSON.stringify(await given.call(token, 'library_lend'));
    expect(refused).toContain('Acme & Sons does not allow this user to call library_lend.');
    expect(refused).toContain('tell the user to ask Acme & Sons for access.');
    await put({ allows: null });
    expect(await given.tools(token)).toEqual(everything);
    await given.store.db.updateTable('users').set({ allowance: null }).execute();
    expect(await given.tools(token)).toEqual([]);
    await require(false);
    expect(await given.tools(token)).toEqual(everything);
    expect((await given.api('GET', '../allowances')).body).toEqual({ required: false });
    expect((await given.api('PUT', '../allowances', {})).status).toBe(400);
  });

  test('expires unless it is set again, which writes only what lasts much longer', async () => {
    const { token } = await given.allow('Claude Code');
    const expiry = async (expires_in: number) => (await put({ allows: [READS], expires_in })).body.expires_at;
    const first = await expiry(1000);
    given.now += 50_000;
    expect(await expiry(1000)).toBe(first);
    given.now += 100_000;
    expect(await expiry(1000)).not.toBe(first);
    given.now += 999_000;
    expect(await given.tools(token)).toEqual(['library_find']);
    given.now += 2000;
    expect(await given.tools(token)).toEqual([]);
    await put({ allows: null });
    expect(await given.tools(token)).toHaveLength(4);
  });

  test('records a change once, and refuses what it does not know', async () => {
    await put({ allows: [READS], approvals: ['destroy'] });
    await put({ allows: [READS], approvals: ['destroy'] });
    expect(await given.auditOf('user_allowance_set')).toHaveLength(1);
    for (const body of [
      { allow: [] },
      { allows: [{ service: ['library'] }] },
      { allows: [{ effects: ['deletes'] }] },
    ]) {
      expect((await put(body)).status).toBe(400);
    }
  });
});
