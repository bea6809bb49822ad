import { expect, test } from 'vitest';
import { createUpstreamClientCommand } from '../../../scripts/upstream-client/command.ts';
import { addPartner } from '../../../server/identity/partners/manage.ts';
import { ringText } from '../../support/keys.ts';
import { runWithSettings } from '../../support/run-command.ts';
import { describeLease } from '../call/upstream/lease/support.ts';

const PATH = '/api/partner/upstream-clients';

describeLease('clients at upstreams in the partner API', (given) => {
  test('are registered, shown without their secret, replaced and removed', async () => {
    await given.start();
    expect((await given.send('GET', `${PATH}/library`)).status).toBe(404);
    const put = await given.send('PUT', `${PATH}/library`, { client_id: 'own', client_secret: 'secret-1' });
    const at = new Date(given.now).toISOString();
    const view = { service: 'library', client_id: 'own', has_secret: true, created_at: at, updated_at: at };
    expect([put.status, put.body]).toEqual([200, view]);
    expect((await given.send('GET', `${PATH}/library`)).body).toEqual(view);
    const open = await given.send('PUT', `${PATH}/library`, { client_id: 'own' });
    expect(open.body).toMatchObject({ client_id: 'own', has_secret: false });
    expect((await given.send('DELETE', `${PATH}/library`)).status).toBe(204);
    expect((await given.send('DELETE', `${PATH}/library`)).status).toBe(404);
    expect(given.lines.join()).not.toContain('secret-1');
  });

  test('belong to one partner', async () => {
    await given.start();
    const { db } = given.store;
    const other = { clientId: 'other', name: 'Other' };
    await db.transaction().execute((transaction) => addPartner(transaction, other, { now: 1 }));
    await given.send('PUT', `${PATH}/library`, { client_id: 'own', client_secret: 'secret-1' });
    const rows = await db.selectFrom('upstream_clients').select('partner_id').orderBy('owner').execute();
    expect(rows).toEqual([{ partner_id: null }, { partner_id: given.partnerId }]);
  });

  test('require a service with OAuth, and values that can be sent', async () => {
    await given.start();
    const put = async (service: string, body: unknown) => {
      const answer = await given.send('PUT', `${PATH}/${service}`, body);
      return [answer.status, answer.body.error];
    };
    expect(await put('nothing', { client_id: 'own' })).toEqual([404, 'not_found']);
    expect(await put('shelf', { client_id: 'own' })).toEqual([400, 'invalid_request']);
    for (const body of [
      null,
      {},
      { client_id: '' },
      { client_id: 'a\u0000' },
      { client_id: 'a', client_secret: 'é' },
    ]) {
      expect(await put('library', body)).toEqual([400, 'invalid_request']);
    }
  });
});

describeLease('the upstream-client command', (given) => {
  test('stores clients only for services with OAuth, lists and removes them', async () => {
    const run = (...args: string[]) => {
      const env = { DATABASE_URL: given.databaseUrl, ENCRYPTION_KEYS: ringText('k1', 1) };
      return runWithSettings(env, createUpstreamClientCommand, args);
    };
    const listed = await run('list');
    expect(listed.output).toMatch(
      /^library {2}operator {2}gateway {2}secret: yes {2}set \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\n$/,
    );
    const crm = await run('set', '--service', 'crm', '--client-id', 'x', '--public');
    expect([crm.code, crm.output]).toEqual([2, expect.stringContaining('must be one that uses OAuth')]);
    expect((await run('remove', '--service', 'library')).code).toBe(0);
    expect((await run('remove', '--service', 'library')).code).toBe(2);
    expect((await run('list')).output).toBe('There is no upstream client yet.\n');
  });
});
