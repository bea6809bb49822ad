import { expect, test } from 'vitest';
import { createCredentialVault } from '../../../../server/base/credentials/index.ts';
import { saveConnection } from '../../../../server/base/credentials/save-connection.ts';
import { describeStore } from '../store/dialects.ts';
import { findConnection, insertPartnerAndUser } from '../store/fixtures.ts';

describeStore('saving a connection', (given) => {
  const vault = createCredentialVault({ keys: [{ id: 'k1', key: Buffer.alloc(32, 1) }] });

  test('seals the credential for the row that holds it', async () => {
    const { partner, user } = await insertPartnerAndUser(given.store);
    const id = await saveConnection(given.store.db, vault, {
      userId: user.id,
      service: 'retrieval',
      fields: { auth: 'planted-secret' },
      now: 5,
    });
    const connection = await findConnection(given.store.db, user.id, 'retrieval');
    expect(connection).toMatchObject({ id, status: 'active', updatedAt: 5 });
    expect(connection?.sealedCredential).not.toContain('planted-secret');
    const binding = {
      connectionId: id,
      partnerId: partner.id,
      userId: user.id,
      externalUserId: user.externalUserId,
      service: 'retrieval',
    };
    expect(vault.open(connection!.sealedCredential!, binding)).toEqual({ auth: 'planted-secret' });
  });

  test('replaces the credential and keeps the row', async () => {
    const { partner, user } = await insertPartnerAndUser(given.store);
    const save = (secret: string, now: number) =>
      saveConnection(given.store.db, vault, {
        userId: user.id,
        service: 'retrieval',
        fields: { auth: secret },
        now,
      });
    const first = await save('old', 5);
    const second = await save('new', 6);
    const connection = await findConnection(given.store.db, user.id, 'retrieval');
    expect(second).toBe(first);
    const binding = {
      connectionId: first,
      partnerId: partner.id,
      userId: user.id,
      externalUserId: user.externalUserId,
      service: 'retrieval',
    };
    expect(vault.open(connection!.sealedCredential!, binding)).toEqual({ auth: 'new' });
  });

  test('an open service has no credential', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    await saveConnection(given.store.db, vault, {
      userId: user.id,
      service: 'open',
      fields: null,
      now: 5,
    });
    expect(await findConnection(given.store.db, user.id, 'open')).toMatchObject({ sealedCredential: null });
  });
});
