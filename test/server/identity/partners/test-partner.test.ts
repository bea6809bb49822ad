import { expect, test } from 'vitest';
import { listPartnerSecrets } from '../../../../server/base/store/repositories/partner-secrets.ts';
import {
  findPartner,
  findTestPartner,
  insertTestPartner,
  listPartners,
  setPartnerLogo,
} from '../../../../server/base/store/repositories/partners.ts';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import {
  endPartnerSecret,
  removePartner,
  resumePartner,
  suspendPartner,
} from '../../../../server/identity/partners/lifecycle.ts';
import { addPartner, changePartner } from '../../../../server/identity/partners/manage.ts';
import { authenticatePartner } from '../../../../server/identity/partners/secrets.ts';
import { issueTestSecret, testSecretProblem } from '../../../../server/identity/partners/test-partner.ts';
import { describeStore } from '../../base/store/dialects.ts';

const SETTINGS = { redirectUris: ['https://acme.example/back'], accentColor: '#0a66c2', services: ['crm'] };
const event = { now: 5 };

describeStore('a test partner', (given) => {
  const within = <T>(work: (transaction: typeof given.store.db) => Promise<T>) =>
    given.store.db.transaction().execute((transaction) => work(transaction));

  async function add() {
    const { partner, secret } = await within((transaction) =>
      addPartner(transaction, { clientId: 'acme', name: 'Acme', ...SETTINGS }, event),
    );
    const testSecret = await within((transaction) => issueTestSecret(transaction, partner, false, event));
    const test = await findTestPartner(given.store.db, partner.id);
    if (testSecret === null || test === undefined) throw new Error('there is no test partner');
    return { partner, secret, test, testSecret };
  }
  const authenticate = (clientId: string, clientSecret: string) =>
    authenticatePartner(given.store.db, { clientId, clientSecret });
  const isSuspended = async (id: string) => (await findPartner(given.store.db, id))?.suspendedAt !== null;

  test('is added with its first secret, with the settings and look of the live one', async () => {
    const { partner, test, testSecret } = await add();
    expect(testSecret).toMatch(/^utg_test_[\w-]{43}$/);
    expect(test).toEqual({
      ...partner,
      ...{ id: test.id, clientId: 'acme~test', testOf: partner.id, realm: 'test', createdAt: 5 },
    });
    await within((transaction) => issueTestSecret(transaction, partner, false, event));
    expect(await listPartners(given.store.db, 10)).toHaveLength(2);
    expect(await listPartnerSecrets(given.store.db, test.id)).toHaveLength(2);
    await within((transaction) => issueTestSecret(transaction, test, true, event));
    expect(await listPartnerSecrets(given.store.db, test.id)).toHaveLength(1);
    await expect(insertTestPartner(given.store.db, partner.id, 5)).rejects.toThrow(/unique/i);
  });

  test('is whom a test secret speaks for, and a live secret never does', async () => {
    const { partner, secret, test, testSecret } = await add();
    expect((await authenticate('acme', testSecret))?.id).toBe(test.id);
    expect((await authenticate('acme~test', testSecret))?.id).toBe(test.id);
    expect((await authenticate('acme', secret))?.id).toBe(partner.id);
    expect(await authenticate('acme~test', secret)).toBeUndefined();
    expect(await authenticate('acme~test~test', testSecret)).toBeUndefined();
    expect(await authenticate('other', testSecret)).toBeUndefined();
    expect(await authenticate('acme', testSecret.replace('utg_test_', 'utg_ps_'))).toBeUndefined();
  });

  test('changes with the live one, and never by itself', async () => {
    const { partner, test } = await add();
    const { db } = given.store;
    const logo = { hash: 'h', type: 'image/png', bytes: Buffer.from('png') } as const;
    await within((transaction) => changePartner(transaction, partner.id, { name: 'New', services: null }, event));
    await setPartnerLogo(db, partner.id, logo);
    expect(await findPartner(db, test.id)).toMatchObject({ name: 'New', services: null, logoHash: 'h' });
    expect(await within((transaction) => changePartner(transaction, test.id, { name: 'X' }, event))).toBe(false);
    expect(await setPartnerLogo(db, test.id, null)).toBe(false);
    expect(await findPartner(db, partner.id)).toMatchObject({ name: 'New', logoHash: 'h' });
    expect(await findPartner(db, test.id)).toMatchObject({ name: 'New', logoHash: 'h' });
  });

  test('is suspended and resumed with the live one, and alone with its last secret', async () => {
    const { partner, secret, test, testSecret } = await add();
    await within((transaction) => suspendPartner(transaction, partner.id, event));
    await expect(authenticate('acme', testSecret)).rejects.toMatchObject({ code: 'partner_suspended' });
    expect(await within((transaction) => resumePartner(transaction, test.id, event))).toBe(false);
    expect(await within((transaction) => issueTestSecret(transaction, partner, false, event))).toBeNull();
    await within((transaction) => resumePartner(transaction, partner.id, event));
    expect((await authenticate('acme', testSecret))?.id).toBe(test.id);
    const [only] = await listPartnerSecrets(given.store.db, test.id);
    const ended = { id: only?.id ?? '', partnerId: test.id };
    await within((transaction) => endPartnerSecret(transaction, ended, event));
    expect([await isSuspended(test.id), await isSuspended(partner.id)]).toEqual([true, false]);
    await within((transaction) => suspendPartner(transaction, partner.id, event));
    await within((transaction) => resumePartner(transaction, partner.id, event));
    expect([await isSuspended(test.id), await isSuspended(partner.id)]).toEqual([true, false]);
    const again = await within((transaction) => issueTestSecret(transaction, partner, false, event));
    expect((await authenticate('acme', again ?? ''))?.id).toBe(test.id);
    expect((await authenticate('acme', secret))?.id).toBe(partner.id);
  });

  test('is removed with the live one, with its users', async () => {
    const { partner, test } = await add();
    const { db } = given.store;
    for (const partnerId of [test.id, test.id, partner.id])
      await ensureUser(db, { partnerId, externalUserId: `user-${partnerId}`, now: 1 });
    await ensureUser(db, { partnerId: test.id, externalUserId: 'second', now: 1 });
    expect(await removePartner(db, partner.id, event, { maxUsers: 1 })).toEqual({ removed: 1, left: 1 });
    expect(await findPartner(db, partner.id)).toBeDefined();
    expect(await removePartner(db, partner.id, event)).toEqual({ removed: 1, left: 0 });
    expect(await listPartners(db, 10)).toEqual([]);
    expect(await db.selectFrom('users').selectAll().execute()).toEqual([]);
  });

  test('can be removed alone', async () => {
    const { partner, test } = await add();
    expect(await removePartner(given.store.db, test.id, event)).toEqual({ removed: 0, left: 0 });
    expect(await findPartner(given.store.db, partner.id)).toEqual(partner);
  });

  test('is not there without a sandbox, and the reason says what to set', async () => {
    const { partner } = await add();
    expect(testSecretProblem(partner, { testSandboxUrl: null })).toContain('set TEST_SANDBOX_URL');
    const sandbox = { testSandboxUrl: 'http://127.0.0.1:3001' };
    expect(testSecretProblem(partner, sandbox)).toBeNull();
    expect(testSecretProblem({ ...partner, suspendedAt: 1 }, sandbox)).toBe('Acme is suspended. Resume it first.');
  });
});
