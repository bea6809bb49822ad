import { expect, test } from 'vitest';
import { createCredentialVault } from '../../../../server/base/credentials/index.ts';
import { countByKey, findLostKey, rotateKeys } from '../../../../server/base/credentials/rotate-keys.ts';
import { createUpstreamClients } from '../../../../server/base/credentials/upstream-clients.ts';
import { deletePartner, insertPartner } from '../../../../server/base/store/repositories/partners.ts';
import { SEALED_BY_CORE } from '../../../../server/base/store/repositories/sealed-credentials.ts';
import { keyBytes } from '../../../support/keys.ts';
import { describeStore } from '../store/dialects.ts';
import { insertPartnerAndUser } from '../store/fixtures.ts';

const OLD = { id: 'k1', key: keyBytes(1) };
const NEW = { id: 'k2', key: keyBytes(2) };
const event = { now: 5 };

describeStore('clients at upstreams', (given) => {
  const clientsWith = (...keys: (typeof OLD)[]) =>
    createUpstreamClients({ db: given.store.db, vault: createCredentialVault({ keys }) });
  const operators = { partnerId: null, service: 'crm', clientId: 'ours', clientSecret: 'secret-1' };

  test("of the partner take precedence over the operator's", async () => {
    const { partner } = await insertPartnerAndUser(given.store);
    const clients = clientsWith(OLD);
    expect(await clients.find(partner.id, 'crm')).toBeNull();
    const { id } = await clients.put(operators, event);
    expect(await clients.find(partner.id, 'crm')).toEqual({
      id,
      service: 'crm',
      clientId: 'ours',
      clientSecret: 'secret-1',
    });
    const own = await clients.put({ ...operators, partnerId: partner.id, clientId: 'own', clientSecret: null }, event);
    expect(await clients.find(partner.id, 'crm')).toEqual({
      id: own.id,
      service: 'crm',
      clientId: 'own',
      clientSecret: null,
    });
    expect(await clients.find('another', 'crm')).toMatchObject({ clientId: 'ours' });
    expect((await clients.list()).map(({ clientId, hasSecret }) => [clientId, hasSecret])).toEqual([
      ['ours', true],
      ['own', false],
    ]);
    expect(await clients.remove({ partnerId: partner.id, service: 'crm' }, event)).toBe(true);
    expect(await clients.remove({ partnerId: partner.id, service: 'crm' }, event)).toBe(false);
    expect(await clients.find(partner.id, 'crm')).toMatchObject({ clientId: 'ours' });
    const events = await given.store.db.selectFrom('audit_events').select(['type', 'details']).execute();
    expect(events.map(({ type }) => type).sort()).toEqual([
      'upstream_client_removed',
      'upstream_client_set',
      'upstream_client_set',
    ]);
    expect(JSON.stringify(events)).not.toContain('secret-1');
  });

  test('keep their row id with another secret, and get another with another client id', async () => {
    const clients = clientsWith(OLD);
    const { id } = await clients.put(operators, event);
    expect((await clients.put({ ...operators, clientSecret: 'secret-2' }, event)).id).toBe(id);
    expect(await clients.findById(id)).toMatchObject({ clientSecret: 'secret-2' });
    const other = await clients.put({ ...operators, clientId: 'other' }, event);
    expect(other.id).not.toBe(id);
    expect(await clients.findById(id)).toBeNull();
  });

  test('have secrets that open only in their own row', async () => {
    const clients = clientsWith(OLD);
    await clients.put(operators, event);
    const { id } = await clients.put({ ...operators, service: 'mailer', clientSecret: 'secret-2' }, event);
    const table = () => given.store.db.selectFrom('upstream_clients').selectAll().orderBy('service');
    const [crm] = await table().execute();
    await given.store.db
      .updateTable('upstream_clients')
      .set({ sealed_secret: crm!.sealed_secret })
      .where('service', '=', 'mailer')
      .execute();
    await expect(clients.findById(id)).rejects.toThrow('damaged');
    expect(JSON.stringify(await table().execute())).not.toContain('secret-');
  });

  test('are sealed again with a new key, and report a lost one', async () => {
    const { id } = await clientsWith(OLD).put(operators, event);
    const both = createCredentialVault({ keys: [NEW, OLD] });
    expect(await findLostKey(given.store.db, createCredentialVault({ keys: [NEW] }), ['k2'])).toBe('k1');
    expect(await rotateKeys(given.store.db, both, SEALED_BY_CORE)).toEqual({
      resealed: 1,
      current: 0,
      unreadable: new Map(),
    });
    expect(await countByKey(given.store.db, both, SEALED_BY_CORE)).toEqual(new Map([['k2', 1]]));
    expect(await findLostKey(given.store.db, both, ['k2'])).toBeNull();
    expect(await clientsWith(NEW).findById(id)).toMatchObject({ clientSecret: 'secret-1' });
  });

  test('are removed with their partner', async () => {
    const partner = await insertPartner(given.store.db, { clientId: 'other', name: 'Other', now: 1 });
    const clients = clientsWith(OLD);
    const { id } = await clients.put({ ...operators, partnerId: partner.id }, event);
    await deletePartner(given.store.db, partner.id);
    expect(await clients.findById(id)).toBeNull();
  });
});
