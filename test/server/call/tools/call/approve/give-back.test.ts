import { expect, test } from 'vitest';
import { createCredentialVault } from '../../../../../../server/base/credentials/index.ts';
import { saveConnection } from '../../../../../../server/base/credentials/save-connection.ts';
import { revokeAccess } from '../../../../../../server/identity/grants/allowed/revoke.ts';
import { closeAfterEach } from '../../../../../support/close-after-each.ts';
import { keyBytes } from '../../../../../support/keys.ts';
import { describeStore } from '../../../../base/store/dialects.ts';
import { type ApprovalsUnderTest, CUT_OFF, startApprovals } from './support.ts';

describeStore('the approval of a call that was never sent', (given) => {
  const open = closeAfterEach<ApprovalsUnderTest>();
  async function approved(): Promise<ApprovalsUnderTest> {
    const calls = await startApprovals(given.store);
    open.push(calls);
    expect(await calls.outcome()).toBe('awaiting_approval');
    await calls.approveAll();
    return calls;
  }
  const fail = (calls: ApprovalsUnderTest) => calls.outcome({ id: '1' }, { node: CUT_OFF });

  test('is given back, and makes one call', async () => {
    const calls = await approved();
    expect([await fail(calls), await fail(calls)]).toEqual(['upstream_unreachable', 'upstream_unreachable']);
    expect(await calls.outcome()).toBe('ok');
    expect(await calls.outcome()).toBe('awaiting_approval');
    expect(calls.writes()).toBe(1);
  });

  test('makes at most one call of many that race, of which some are never sent', async () => {
    const calls = await approved();
    await Promise.all(Array.from({ length: 30 }, (_, index) => calls.outcome({ id: '1' }, { node: index % 3 })));
    expect(calls.writes()).toBeLessThanOrEqual(1);
  });

  test('is not given back for a call that was sent, whatever came of it', async () => {
    const calls = await approved();
    const stop = new AbortController();
    calls.answering = () => stop.abort();
    const { principal, nodes } = calls;
    await nodes[0]!.call('library_burn', { id: '1' }, { principal, signal: stop.signal });
    calls.answering = null;
    expect(calls.writes()).toBe(1);
    expect(await calls.outcome()).toBe('awaiting_approval');
  });

  test.each([
    [
      'its grant was revoked',
      ({ principal, now }: ApprovalsUnderTest) =>
        revokeAccess(given.store.db, { userId: principal.userId }, { by: 'user', now: now() }),
    ],
    [
      'its service was connected again with another credential',
      ({ principal, now }: ApprovalsUnderTest) =>
        given.store.db.transaction().execute((transaction) =>
          saveConnection(transaction, createCredentialVault({ keys: [{ id: 'k', key: keyBytes(1) }] }), {
            userId: principal.userId,
            service: 'library',
            fields: { apiKey: 'another' },
            now: now(),
          }),
        ),
    ],
    [
      'it expired',
      async (calls: ApprovalsUnderTest) => {
        calls.skipMs = 600_000;
      },
    ],
  ])('is not given back if meanwhile %s', async (_, end) => {
    const calls = await approved();
    calls.beforeSending = async () => {
      calls.beforeSending = null;
      await end(calls);
    };
    expect(['upstream_unreachable', 'upstream_timeout']).toContain(await fail(calls));
    const rows = await given.store.db.selectFrom('approvals').select(['status', 'digest']).execute();
    expect(rows).toEqual([{ status: 'spent', digest: null }]);
    expect(await calls.outcome()).toBe('awaiting_approval');
    expect(calls.writes()).toBe(0);
  });

  test('is not given back if the same call was asked for again, which waits for an answer of its own', async () => {
    const calls = await approved();
    calls.beforeSending = async () => {
      calls.beforeSending = null;
      expect(await calls.outcome()).toBe('awaiting_approval');
    };
    expect(await fail(calls)).toBe('upstream_unreachable');
    const [row, ...others] = await calls.waiting();
    expect(others).toEqual([]);
    expect(await calls.decide(row!)).toBe(true);
    expect(await calls.outcome()).toBe('ok');
    expect(calls.writes()).toBe(1);
  });
});
