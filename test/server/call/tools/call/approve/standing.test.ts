import { describe, expect, test } from 'vitest';
import { createCredentialVault } from '../../../../../../server/base/credentials/index.ts';
import { saveConnection } from '../../../../../../server/base/credentials/save-connection.ts';
import { endStanding, listApprovals } from '../../../../../../server/base/store/repositories/calls/approvals.ts';
import { setPartnerSuspended } from '../../../../../../server/base/store/repositories/partners.ts';
import { setWritingStopped } from '../../../../../../server/base/store/repositories/switches.ts';
import { isRememberable } from '../../../../../../server/call/tools/approvals/policy.ts';
import { revokeAccess } from '../../../../../../server/identity/grants/allowed/revoke.ts';
import { removeUserConnection } from '../../../../../../server/identity/partners/remove-connection.ts';
import { closeAfterEach } from '../../../../../support/close-after-each.ts';
import { keyBytes } from '../../../../../support/keys.ts';
import { describeStore } from '../../../../base/store/dialects.ts';
import { connect } from '../../../../base/store/fixtures.ts';
import { ADD, type ApprovalsUnderTest, BURN, CUT_OFF, startApprovals } from './support.ts';

const DAY_MS = 86_400_000;

describeStore('calls of a tool that are approved for a day', (given) => {
  const open = closeAfterEach<ApprovalsUnderTest>();
  async function approved(options: Parameters<typeof startApprovals>[1] = {}): Promise<ApprovalsUnderTest> {
    const calls = await startApprovals(given.store, { rule: ['write'], remember: ['write', 'destroy'], ...options });
    open.push(calls);
    expect(await calls.outcome()).toBe('awaiting_approval');
    await calls.approveForADay();
    expect(await calls.outcome()).toBe('ok');
    return calls;
  }
  const standing = (calls: ApprovalsUnderTest) =>
    listApprovals(given.store.db, { partnerId: calls.partnerId, standingAt: calls.now(), limit: 10 });

  test('are made with whatever arguments, on every node, and recorded as that', async () => {
    const calls = await approved();
    expect(await calls.outcome({ id: '2' })).toBe('ok');
    expect(await calls.outcome({ id: '2' }, { node: 1 })).toBe('ok');
    expect(calls.nodes.flatMap(({ records }) => records.map(({ approvedBy }) => approvedBy))).toEqual([
      null,
      'page',
      'standing',
      'standing',
    ]);
    expect(await calls.waiting()).toEqual([]);
    expect(await standing(calls)).toMatchObject([{ tool: BURN, channel: 'page', sealed: null }]);
  });

  test('are asked for again after 24 hours', async () => {
    const calls = await approved();
    calls.skipMs = DAY_MS - 1000;
    expect(await calls.outcome({ id: '2' })).toBe('ok');
    calls.skipMs = DAY_MS;
    expect(await calls.outcome({ id: '2' })).toBe('awaiting_approval');
  });

  test('do not use up the choice if they are never sent, nor the approval of an exact call', async () => {
    const calls = await approved();
    await calls.outcome({ id: '2' }, { node: CUT_OFF });
    expect(await calls.outcome({ id: '2' })).toBe('ok');
    expect(await standing(calls)).toHaveLength(1);
  });

  test.each([
    ['of another tool', (_: ApprovalsUnderTest) => [{ tool: ADD }]],
    ['of the tool with another definition', (_: ApprovalsUnderTest) => [{ node: 1 }]],
    ['of another grant', async (calls: ApprovalsUnderTest) => [{ principal: { grantId: await calls.grant() } }]],
    ['of a token without a grant', (_: ApprovalsUnderTest) => [{ principal: { grantId: null } }]],
    [
      'of another account',
      async (calls: ApprovalsUnderTest) => {
        const id = await connect(given.store, { userId: calls.principal.userId, service: 'other' });
        const connection = { id, status: 'active', sealedCredential: null, updatedAt: 1 } as const;
        return [{ principal: { connections: new Map([['library', connection]]) } }];
      },
    ],
    [
      'of another user',
      async (calls: ApprovalsUnderTest) => {
        const userId = await calls.user('bob');
        const id = await connect(given.store, { userId, service: 'library' });
        const connection = { id, status: 'active', sealedCredential: null, updatedAt: 1 } as const;
        const grantId = await calls.grant(userId);
        return [{ principal: { userId, grantId, connections: new Map([['library', connection]]) } }];
      },
    ],
  ] as const)('are not %s', async (_, other) => {
    const calls = await approved({ definitions: ['a', 'b'] });
    const [asked] = (await other(calls)) as [Parameters<ApprovalsUnderTest['outcome']>[1]];
    expect(await calls.outcome({ id: '2' }, asked)).toBe('awaiting_approval');
    expect(await calls.outcome({ id: '2' })).toBe('ok');
  });

  test.each([
    [
      'the grant is revoked',
      ({ principal, now }: ApprovalsUnderTest) =>
        revokeAccess(given.store.db, { userId: principal.userId }, { by: 'user', now: now() }),
    ],
    [
      'the partner is suspended',
      (calls: ApprovalsUnderTest) => setPartnerSuspended(given.store.db, calls.partnerId, calls.now()),
    ],
    [
      'the service is connected with another credential',
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
      'the connection needs attention',
      () => given.store.db.updateTable('connections').set({ status: 'attention' }).execute(),
    ],
    [
      'the operator stops everything that writes, also after it goes on',
      ({ now }: ApprovalsUnderTest) =>
        given.store.db.transaction().execute(async (transaction) => {
          await setWritingStopped(transaction, true, { now: now() });
          await setWritingStopped(transaction, false, { now: now() });
        }),
    ],
    [
      'the user ends the choice',
      async (calls: ApprovalsUnderTest) => {
        const [choice] = await standing(calls);
        const { userId } = calls.principal;
        expect(await endStanding(given.store.db, { id: choice!.id, userId: await calls.user('bob') })).toEqual([]);
        expect(await endStanding(given.store.db, { id: choice!.id, userId })).toHaveLength(1);
      },
    ],
  ])('are asked for again once %s', async (_, end) => {
    const calls = await approved();
    await end(calls);
    expect(await standing(calls)).toEqual([]);
    expect(await calls.outcome({ id: '2' })).toBe('awaiting_approval');
    expect(calls.writes()).toBe(1);
  });

  test('are gone with the connection', async () => {
    const { principal, partnerId, now } = await approved();
    const user = { id: principal.userId, partnerId };
    const change = { by: 'user', now: now() } as const;
    await given.store.db
      .transaction()
      .execute((transaction) => removeUserConnection(transaction, user as never, { service: 'library' }, change));
    expect(await given.store.db.selectFrom('approvals').selectAll().where('status', '=', 'standing').execute()).toEqual(
      [],
    );
  });

  test('stay denied where the user denied one of them', async () => {
    const calls = await approved();
    await given.store.db.deleteFrom('approvals').execute();
    await calls.call({ id: '1' });
    await calls.call({ id: '2' });
    const [first] = (await calls.waiting()).filter(({ sealed }) => sealed !== null);
    await calls.decide(first!, { approve: false });
    await calls.approveForADay();
    const outcomes = [await calls.outcome({ id: '1' }), await calls.outcome({ id: '2' })];
    expect(outcomes.toSorted()).toEqual(['denied_by_user', 'ok']);
  });

  test('are asked for again where the partner wants each call approved, or the operator accepts no choice', async () => {
    const calls = await approved({ forgetfulNode: 1 });
    expect(await calls.outcome({ id: '2' }, { principal: { approvals: ['each'] } })).toBe('awaiting_approval');
    expect(await calls.outcome({ id: '2' }, { node: 1 })).toBe('awaiting_approval');
    expect(await calls.outcome({ id: '2' })).toBe('ok');
  });

  test('are made for no row that someone else put into the database', async () => {
    const calls = await approved();
    const { proof } = (await standing(calls))[0]!;
    await given.store.db
      .updateTable('approvals')
      .set({ expires_at: calls.now() + 9 * DAY_MS })
      .execute();
    expect(await calls.outcome({ id: '2' })).toBe('internal_error');
    await given.store.db.updateTable('approvals').set({ proof: 'forged' }).execute();
    expect(await calls.outcome({ id: '2' })).toBe('internal_error');
    expect(proof).not.toBe('forged');
    expect(calls.writes()).toBe(1);
  });

  test('cannot be had by making a decision about one call into one about all, in the database', async () => {
    const calls = await startApprovals(given.store, { rule: ['write'], remember: ['write', 'destroy'] });
    open.push(calls);
    await calls.call();
    await calls.approveAll();
    await given.store.db.updateTable('approvals').set({ status: 'standing' }).execute();
    expect(await calls.outcome()).toBe('awaiting_approval');
    expect(await calls.outcome({ id: '2' })).toBe('awaiting_approval');
    expect(calls.writes()).toBe(0);
  });
});

describe('a choice that holds for a day', () => {
  test.each([
    ['a writing tool', ['write'], ['write'], null, true],
    ['a writing tool where only sending is named', ['write'], ['send'], null, false],
    ['a tool that destroys where only writing is named', ['destroy', 'write'], ['write', 'send'], null, false],
    ['a tool that destroys', ['destroy', 'write'], ['destroy'], null, true],
    [
      'a tool that sends and pays where only sending is named',
      ['send', 'pay', 'write'],
      ['send', 'write'],
      null,
      false,
    ],
    ['a tool whose connector requires approval', ['write', 'required'], ['write'], null, false],
    ['a writing tool of a partner that wants each call approved', ['write'], ['write'], ['each'], false],
    ['a writing tool where the operator names nothing', ['write'], [], null, false],
  ] as const)('is offered for %s or not', (_, traits, remember, rules, is) => {
    expect(isRememberable(traits, remember, rules)).toBe(is);
  });
});
