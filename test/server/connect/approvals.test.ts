import { expect, test } from 'vitest';
import { type ConnectUnderTest, describeConnect, requestOf } from './support.ts';

const GOOD = { 'credential-0': 'good-key-1' };
const NOW = 'reads library.example';

async function forgetWhatWasSeen(given: ConnectUnderTest): Promise<void> {
  const facts = { hash: 'old', facts: '{"library_list":"reads old.example"}', created_at: 1 };
  await given.store.db.insertInto('tool_facts').values(facts).execute();
  await given.store.db.updateTable('oauth_grants').set({ permission: '{"seen":"old"}' }).execute();
}

describeConnect('a tool whose risk increased, for a token of the partner', (given) => {
  const approve = (body: object, { user = 'alice', secret = given.secret } = {}) =>
    given.send(`/api/partner/users/${user}/approvals`, {
      method: 'POST',
      headers: {
        Authorization: `Basic ${Buffer.from(`acme:${secret}`).toString('base64')}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify(body),
    });

  test('works until its risk changes, and again after the partner allows it', async () => {
    const { access_token: token } = (await given.connected('library', 'alice', GOOD)).body;
    expect((await given.call(token, 'library_list')).body.result.isError).not.toBe(true);
    await forgetWhatWasSeen(given);
    const stopped = (await given.call(token, 'library_list')).body.result;
    const { code, details } = JSON.parse(stopped.content[1].text);
    expect([code, details]).toEqual([
      'needs_approval',
      { tool: 'library_list', allowed: 'reads old.example', now: NOW },
    ]);
    expect((await approve({ tool: details.tool, facts: details.now })).status).toBe(204);
    expect((await given.call(token, 'library_list')).body.result.isError).not.toBe(true);
    const events = await given.store.db
      .selectFrom('audit_events')
      .select(['partner_id', 'details'])
      .where('type', '=', 'tool_allowed')
      .execute();
    expect(events).toEqual([
      { partner_id: given.partnerId, details: JSON.stringify({ tool: 'library_list', facts: NOW, by: 'partner' }) },
    ]);
  });

  test('is not allowed for an unknown user, with other credentials, or with another risk', async () => {
    await given.connected('library', 'alice', GOOD);
    const right = { tool: 'library_list', facts: NOW };
    expect((await approve(right, { user: 'nobody' })).status).toBe(404);
    expect((await approve(right, { secret: 'wrong' })).status).toBe(401);
    expect((await approve({ tool: 'library_list' })).status).toBe(400);
    expect((await approve({ ...right, tool: 'library_none' })).status).toBe(400);
    const changed = await approve({ ...right, facts: 'reads old.example' });
    expect([changed.status, changed.body.error]).toEqual([409, 'facts_changed']);
  });

  test('leaves the grants of clients unchanged', async () => {
    await given.connected('library', 'alice', GOOD);
    await forgetWhatWasSeen(given);
    const { client_id } = (
      await given.send('/api/mcp/oauth/register', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ redirect_uris: ['http://127.0.0.1/cb'], token_endpoint_auth_method: 'none' }),
      })
    ).body;
    await given.store.db.updateTable('oauth_grants').set({ client_id }).execute();
    expect((await approve({ tool: 'library_list', facts: NOW })).status).toBe(204);
    const grants = await given.store.db.selectFrom('oauth_grants').select('permission').execute();
    expect(grants).toEqual([{ permission: '{"seen":"old"}' }]);
  });
});

describeConnect('the connect page', (given) => {
  test('says what a key replaces, but not whether there is one', async () => {
    await given.connected('library', 'alice', GOOD);
    const shown = async (user_id: string) => {
      const { status, text } = await given.visitor().open('library', requestOf({ user_id }));
      return [status, text.replaceAll(/value="v1[^"]*"/g, '').replaceAll(user_id, 'somebody')];
    };
    const [status, page] = await shown('alice');
    expect(status).toBe(200);
    expect(page).toContain(
      'If connected already</dt><dd>A new key for the same account replaces the old one. For another account, you are asked first.',
    );
    expect(await shown('nobody')).toEqual([status, page]);
  });
});
