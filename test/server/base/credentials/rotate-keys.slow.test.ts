import { expect, test } from 'vitest';
import { type CredentialVault, createCredentialVault } from '../../../../server/base/credentials/index.ts';
import { countByKey, findLostKey, rotateKeys } from '../../../../server/base/credentials/rotate-keys.ts';
import { saveConnection } from '../../../../server/base/credentials/save-connection.ts';
import { SEALED_BY_CORE } from '../../../../server/base/store/repositories/sealed-credentials.ts';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import { keyBytes } from '../../../support/keys.ts';
import { runScript } from '../../../support/run-script.ts';
import { describeStore } from '../store/dialects.ts';
import { findConnection, insertAttempt, insertPartnerAndUser } from '../store/fixtures.ts';

const OLD = { id: 'k_1', key: keyBytes(1) };
const NEW = { id: 'k-2', key: keyBytes(2) };
const both = createCredentialVault({ keys: [NEW, OLD] });
const old = createCredentialVault({ keys: [OLD] });

const ringOf = (...keys: { id: string; key: Buffer }[]) =>
  keys.map(({ id, key }) => `${id}:${key.toString('base64')}`).join(',');

describeStore('the key ring', (given) => {
  let partnerId: string;

  async function insertConnections(count: number): Promise<string[]> {
    const { partner } = await insertPartnerAndUser(given.store);
    partnerId = partner.id;
    const users: string[] = [];
    for (let n = 0; n < count; n += 1) {
      const user = await ensureUser(given.store.db, { partnerId: partner.id, externalUserId: `user-${n}`, now: n });
      const fields = { key: `secret-${n}` };
      await saveConnection(given.store.db, old, { userId: user.id, service: 'crm', fields, now: n });
      users.push(user.id);
    }
    const pending = {
      connectionId: 'attempt',
      partnerId,
      userId: 'alice',
      externalUserId: 'alice',
      service: 'retrieval',
    };
    const sealedCredential = old.seal({ key: 'pending' }, pending);
    await insertAttempt(given.store, { id: 'attempt', partnerId: partner.id, sealedCredential });
    return users;
  }

  async function opened(vault: CredentialVault, userId: string): Promise<Record<string, string>> {
    const { id: connectionId, sealedCredential } = (await findConnection(given.store.db, userId, 'crm'))!;
    return vault.open(sealedCredential!, { connectionId, partnerId, userId, externalUserId: '', service: 'crm' });
  }

  test('rotates: every credential is sealed again, and opens with only the new key', async () => {
    const users = await insertConnections(405);
    const report = await rotateKeys(given.store.db, both, SEALED_BY_CORE);
    expect(report).toEqual({ resealed: 406, current: 0, unreadable: new Map() });
    expect(await countByKey(given.store.db, both, SEALED_BY_CORE)).toEqual(new Map([['k-2', 406]]));
    const fresh = createCredentialVault({ keys: [NEW] });
    const connection = await findConnection(given.store.db, users[404]!, 'crm');
    expect(await opened(fresh, users[404]!)).toEqual({ key: 'secret-404' });
    expect(connection?.updatedAt).toBe(404);
    expect(await rotateKeys(given.store.db, both, SEALED_BY_CORE)).toEqual({
      resealed: 0,
      current: 406,
      unreadable: new Map(),
    });
  });

  test('keeps a credential that is replaced concurrently', async () => {
    const [user] = await insertConnections(1);
    const replace = (key: string) =>
      saveConnection(given.store.db, both, {
        userId: user!,
        service: 'crm',
        fields: { key },
        now: 9,
      });
    await Promise.all([rotateKeys(given.store.db, both, SEALED_BY_CORE), replace('replaced')]);
    expect(await opened(both, user!)).toEqual({ key: 'replaced' });
  });

  test('that lacks a key says which, and changes nothing', async () => {
    await insertConnections(2);
    const fresh = createCredentialVault({ keys: [NEW] });
    expect(await findLostKey(given.store.db, fresh, ['k-2'])).toBe('k_1');
    expect(await findLostKey(given.store.db, both, ['k-2', 'k_1'])).toBeNull();
    expect(await rotateKeys(given.store.db, fresh, SEALED_BY_CORE)).toEqual({
      resealed: 0,
      current: 0,
      unreadable: new Map([['k_1', 3]]),
    });
    expect((await rotateKeys(given.store.db, both, SEALED_BY_CORE)).resealed).toBe(3);
  });

  test('rotates on the command line, which reports the result and what it cannot read', async () => {
    await insertConnections(2);
    const run = async (ring: string, command: string) => {
      const env = { DATABASE_URL: given.url, ENCRYPTION_KEYS: ring };
      const script = runScript('scripts/utg.ts', ['keys', command], env);
      return { code: await script.ended(), output: script.output() };
    };
    const lost = await run(ringOf(NEW), 'rotate');
    expect(lost.code).toBe(1);
    expect(lost.output).toContain('3 sealed with "k_1", which ENCRYPTION_KEYS does not hold');
    const turned = await run(ringOf(NEW, OLD), 'rotate');
    expect(turned).toEqual({ code: 0, output: 'Sealed with "k-2" now: 3. Before: 0.\n' });
    const listed = await run(ringOf(NEW, OLD), 'list');
    expect(listed.output).toBe('k-2  current  credentials: 3\nk_1  reads only  credentials: 0\n');
  });
});
