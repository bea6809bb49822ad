import { expect, test } from 'vitest';
import { listPartnerSecrets } from '../../../../server/base/store/repositories/partner-secrets.ts';
import { findPartner } from '../../../../server/base/store/repositories/partners.ts';
import { endPartnerSecret, resumePartner, suspendPartner } from '../../../../server/identity/partners/lifecycle.ts';
import { addPartner, rotatePartnerSecret } from '../../../../server/identity/partners/manage.ts';
import { describeStore } from '../../base/store/dialects.ts';

const AT_ONCE_MS = 200;
const event = { now: 1 };

describeStore('two operators who change a partner at once', (given) => {
  async function add(secrets: number): Promise<string> {
    return given.store.db.transaction().execute(async (transaction) => {
      const { partner } = await addPartner(transaction, { clientId: 'acme', name: 'Acme' }, event);
      for (let more = 1; more < secrets; more += 1) {
        await rotatePartnerSecret(transaction, { partnerId: partner.id, endOthers: false }, event);
      }
      return partner.id;
    });
  }

  /** Runs the second while the transaction of the first is open, which ends when the second has or waits for it. */
  async function atOnce(
    first: (transaction: typeof given.store.db) => Promise<unknown>,
    second: (transaction: typeof given.store.db) => Promise<unknown>,
  ): Promise<void> {
    const begun = Promise.withResolvers<void>();
    const one = given.store.db.transaction().execute(async (transaction) => {
      await first(transaction);
      begun.resolve();
      await new Promise((resolve) => setTimeout(resolve, AT_ONCE_MS));
    });
    await begun.promise;
    const other = given.store.db.transaction().execute((transaction) => second(transaction));
    await Promise.all([one, other]);
  }

  async function isSafe(partnerId: string): Promise<boolean> {
    const { length } = await listPartnerSecrets(given.store.db, partnerId);
    return length > 0 || (await findPartner(given.store.db, partnerId))?.suspendedAt !== null;
  }

  test('leave it suspended without a valid secret: one revokes the last, the other resumes it', async () => {
    const partnerId = await add(1);
    await given.store.db.transaction().execute((transaction) => suspendPartner(transaction, partnerId, event));
    const [secret] = await listPartnerSecrets(given.store.db, partnerId);
    await atOnce(
      (transaction) => endPartnerSecret(transaction, { id: secret!.id, partnerId }, event),
      (transaction) => resumePartner(transaction, partnerId, event),
    );
    expect(await isSafe(partnerId)).toBe(true);
  });

  test('leave it suspended without a valid secret: each revokes one of the last two', async () => {
    const partnerId = await add(2);
    const [one, two] = await listPartnerSecrets(given.store.db, partnerId);
    await atOnce(
      (transaction) => endPartnerSecret(transaction, { id: one!.id, partnerId }, event),
      (transaction) => endPartnerSecret(transaction, { id: two!.id, partnerId }, event),
    );
    expect(await listPartnerSecrets(given.store.db, partnerId)).toEqual([]);
    expect(await isSafe(partnerId)).toBe(true);
  });
});
