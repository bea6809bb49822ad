import { expect, test } from 'vitest';
import { emit } from '../../../../server/base/store/events.ts';
import { purge } from '../../../../server/base/store/purge.ts';
import { forgetUser } from '../../../../server/identity/partners/forget-user.ts';
import { keepAuditKeys, loadAuditKeys } from '../../../../server/modules/audit/keys.ts';
import { readAuditEvents } from '../../../../server/modules/audit/read.ts';
import { signAuditEvents } from '../../../../server/modules/audit/record.ts';
import { keyBytes } from '../../../support/keys.ts';
import { openListeningStore, RETENTION } from '../../../support/listening.ts';
import { describeStore } from '../../base/store/dialects.ts';
import { insertPartnerAndUser } from '../../base/store/fixtures.ts';
import { RING, recordEvents, signAs, verify } from './support.ts';

const DAY_MS = 24 * 3_600_000;

describeStore('the audit trail', (given) => {
  test('holds the events of all gateways, and nothing of a transaction that was rolled back', async () => {
    const other = await openListeningStore({ url: given.url });
    for (const store of [given.store, other]) await signAs(store);
    await Promise.all(
      [given.store, other].flatMap((store) =>
        Array.from({ length: 12 }, (_, n) =>
          store.db
            .transaction()
            .execute(async (transaction) => {
              await emit(transaction, [
                { type: 'tokens_issued', now: 1_000 + n },
                { type: 'consent_given', now: 1_000 + n },
              ]);
              if (n % 4 === 0) throw new Error('stop here');
            })
            .catch(() => {}),
        ),
      ),
    );
    await other.close();
    expect(await verify(given.store)).toEqual({ verified: 2 * 9 * 2, problems: [] });
  });

  test('verifies texts that the database changes', async () => {
    await signAs(given.store);
    await emit(given.store.db, {
      type: 'client_registered',
      now: 7,
      clientId: 'half \ud800 a pair',
      details: { name: 'a\0b \ud800 \u{1f600} " \\', big: 1e21, list: [0.1, null] },
    });
    expect(await verify(given.store)).toEqual({ verified: 1, problems: [] });
  });

  test('verifies after retention removed its oldest events', async () => {
    await signAs(given.store);
    await recordEvents(given.store, 7, DAY_MS);
    await recordEvents(given.store, 3, 400 * DAY_MS);
    const removed = await purge(given.store, RETENTION, { now: 401 * DAY_MS, batchRows: 2 });
    expect(removed).toMatchObject({ audit_events: 7 });
    expect(await verify(given.store)).toEqual({ verified: 3, problems: [] });
    await purge(given.store, RETENTION, { now: 900 * DAY_MS });
    await recordEvents(given.store, 2, 900 * DAY_MS);
    expect(await verify(given.store)).toEqual({ verified: 2, problems: [] });
  });

  test('stays valid when a user is removed, whose events keep one reference', async () => {
    await signAs(given.store);
    const { user } = await insertPartnerAndUser(given.store);
    for (const now of [1, 2]) await emit(given.store.db, { type: 'consent_given', now, userId: user.id });
    await given.store.db.transaction().execute((transaction) => forgetUser(transaction, user, { now: 3 }));
    const references = await given.store.db.selectFrom('audit_events').select('user_id').distinct().execute();
    expect(references).toEqual([{ user_id: expect.stringMatching(/^gone-[\w-]{24}$/) }]);
    expect(await verify(given.store)).toEqual({ verified: 3, problems: [] });
  });

  test('stays verifiable when the key that signed it leaves the ring', async () => {
    const [first, second] = [RING[0]!, { id: 'k2', key: keyBytes(2) }];
    for (const ring of [[first], [first, second], [second, first], [second]]) {
      await keepAuditKeys(given.store.db, ring);
      await signAs(given.store, ring);
      await recordEvents(given.store, 1);
    }
    expect(await verify(given.store, [second])).toEqual({ verified: 4, problems: [] });
    expect(await loadAuditKeys(given.store.db, [{ id: 'k3', key: keyBytes(3) }])).toMatchObject({
      isForeign: true,
      lost: ['k1', 'k2'],
    });
    const { verified, problems } = await verify(given.store, [{ id: 'k1', key: keyBytes(3) }]);
    expect([verified, problems]).toEqual([
      0,
      expect.arrayContaining([expect.stringContaining('was changed'), expect.stringContaining('of the key "k2"')]),
    ]);
  });

  test('is never continued with keys of another gateway', async () => {
    await signAs(given.store);
    await recordEvents(given.store, 1);
    signAuditEvents(given.store.db, new Error('other keys'));
    await expect(recordEvents(given.store, 1)).rejects.toThrow('other keys');
    expect(await verify(given.store)).toEqual({ verified: 1, problems: [] });
  });

  test('is exported in chronological order, between two times', async () => {
    await signAs(given.store);
    await recordEvents(given.store, 3, 2_000);
    await recordEvents(given.store, 600, 1_000);
    const timesOf = async (span: { since?: number; until?: number }) => {
      const times: number[] = [];
      for await (const { created_at } of readAuditEvents(given.store.db, span)) times.push(created_at);
      return times;
    };
    const all = await timesOf({});
    expect([all.length, all]).toEqual([603, all.toSorted((one, other) => one - other)]);
    expect(await timesOf({ since: 1_598, until: 2_001 })).toEqual([1_598, 1_599, 2_000]);
  });

  if (given.dialect === 'sqlite') return;

  test('lets transactions of one gateway record events at the same time', async () => {
    await signAs(given.store);
    await given.store.db.transaction().execute(async (transaction) => {
      await emit(transaction, { type: 'consent_given', now: 2_000 });
      await recordEvents(given.store, 2, 3_000);
    });
    expect(await verify(given.store)).toEqual({ verified: 3, problems: [] });
  });
});
