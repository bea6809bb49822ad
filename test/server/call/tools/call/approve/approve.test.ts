import { expect, test } from 'vitest';
import { createCredentialVault } from '../../../../../../server/base/credentials/index.ts';
import { saveConnection } from '../../../../../../server/base/credentials/save-connection.ts';
import { purge } from '../../../../../../server/base/store/purge.ts';
import { setPartnerSuspended } from '../../../../../../server/base/store/repositories/partners.ts';
import { retentionRules } from '../../../../../../server/base/store/retention.ts';
import { openDescription } from '../../../../../../server/call/tools/approvals/call-description.ts';
import { revokeAccess } from '../../../../../../server/identity/grants/allowed/revoke.ts';
import { toRawNumber } from '../../../../../../shared/exact-json.ts';
import { closeAfterEach } from '../../../../../support/close-after-each.ts';
import { keyBytes } from '../../../../../support/keys.ts';
import { describeStore } from '../../../../base/store/dialects.ts';
import { connect } from '../../../../base/store/fixtures.ts';
import { errorOf, textOf } from '../../support.ts';
import { ADD, type ApprovalsUnderTest, BURN, FIND, IMPORT, sealer, startApprovals } from './support.ts';

const MINUTE_MS = 60_000;

describeStore('a call that its user must approve', (given) => {
  const open = closeAfterEach<ApprovalsUnderTest>();
  async function start(options?: Parameters<typeof startApprovals>[1]): Promise<ApprovalsUnderTest> {
    const started = await startApprovals(given.store, options);
    open.push(started);
    return started;
  }
  async function approved(options?: Parameters<typeof startApprovals>[1]): Promise<ApprovalsUnderTest> {
    const calls = await start(options);
    expect(await calls.outcome()).toBe('awaiting_approval');
    await calls.approveAll();
    return calls;
  }
  const rows = () => given.store.db.selectFrom('approvals').selectAll().execute();

  test('is not sent, and says what would happen, until when it waits and how it is decided', async () => {
    const calls = await start();
    const result = await calls.call({ id: '1', note: 'x' });
    const { code, details, retryable } = errorOf(result);
    const [row] = await calls.waiting();
    expect({ code, retryable, details }).toEqual({
      code: 'awaiting_approval',
      retryable: false,
      details: { approval: row?.id, expiresAt: new Date(row?.expiresAt ?? 0).toISOString(), by: ['page', 'partner'] },
    });
    expect(textOf(result)).toContain('Burn a book: id "1", note "x".');
    expect(textOf(result)).toContain('call again with exactly the same arguments');
    expect(calls.writes()).toBe(0);
  });

  test('asks once for the same call, whatever the order of its arguments and the node', async () => {
    const calls = await start();
    await calls.call({ id: '1', note: 'x' });
    const again = await calls.call({ note: 'x', id: '1' }, { node: 1 });
    const [row, ...others] = await calls.waiting();
    expect(others).toEqual([]);
    expect(errorOf(again).details).toMatchObject({ approval: row?.id });
  });

  test('is of exactly its digits: the next number waits on its own, and the page shows all digits', async () => {
    const calls = await start({ rule: ['write'] });
    const add = (pages: unknown) => calls.outcome({ title: 'A', pages }, { tool: IMPORT });
    expect(await add('725653563933458433')).toBe('awaiting_approval');
    const [row] = await calls.waiting();
    expect(JSON.stringify(row && openDescription(sealer, row, calls.now()))).toContain('725653563933458433');
    await calls.approveAll();
    expect(await add('725653563933458434')).toBe('awaiting_approval');
    expect(calls.writes()).toBe(0);
    expect(await add(toRawNumber('725653563933458433'))).toBe('ok');
  });

  test('asked 20 times at once waits once', async () => {
    const calls = await start();
    await Promise.all(Array.from({ length: 20 }, (_, index) => calls.outcome({ id: '1' }, { node: index % 2 })));
    expect(await calls.waiting()).toHaveLength(1);
  });

  test('is made once after the approval, on whichever node, and then asks again', async () => {
    const calls = await approved();
    expect(await calls.outcome({ id: '1' }, { node: 1 })).toBe('ok');
    expect(await calls.outcome({ id: '1' }, { node: 1 })).toBe('awaiting_approval');
    expect(await calls.outcome()).toBe('awaiting_approval');
    expect(calls.writes()).toBe(1);
  });

  test('is made once of 20 that race for its approval on two nodes', async () => {
    const calls = await approved();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) => calls.outcome({ id: '1' }, { node: index % 2 })),
    );
    expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(1);
    expect(new Set(outcomes)).toEqual(new Set(['ok', 'awaiting_approval']));
    expect(calls.writes()).toBe(1);
  });

  test.each([
    ['another argument', (_: ApprovalsUnderTest) => [{ id: '2' }, {}]],
    ['one more argument', (_: ApprovalsUnderTest) => [{ id: '1', note: '' }, {}]],
    ['another grant', async (calls: ApprovalsUnderTest) => [{ id: '1' }, { grantId: await calls.grant() }]],
    ['a token without a grant', (_: ApprovalsUnderTest) => [{ id: '1' }, { grantId: null }]],
    [
      'another account',
      async (calls: ApprovalsUnderTest) => {
        const id = await connect(given.store, { userId: calls.principal.userId, service: 'other' });
        const connection = { id, status: 'active', sealedCredential: null, updatedAt: 1 } as const;
        return [{ id: '1' }, { connections: new Map([['library', connection]]) }];
      },
    ],
    [
      'another user',
      async (calls: ApprovalsUnderTest) => {
        const userId = await calls.user('bob');
        const id = await connect(given.store, { userId, service: 'library' });
        const connection = { id, status: 'active', sealedCredential: null, updatedAt: 1 } as const;
        return [
          { id: '1' },
          { userId, grantId: await calls.grant(userId), connections: new Map([['library', connection]]) },
        ];
      },
    ],
  ] as const)('does not use the approval of a call with %s', async (_, other) => {
    const calls = await approved();
    const [args, principal] = (await other(calls)) as [Record<string, unknown>, object];
    expect(await calls.outcome(args, { principal })).toBe('awaiting_approval');
    expect(calls.writes()).toBe(0);
    expect(await calls.outcome()).toBe('ok');
  });

  test('of another tool that is approved with the same arguments needs its own approval', async () => {
    const calls = await approved({ rule: ['write'] });
    expect(await calls.outcome({ id: '1' }, { tool: ADD })).toBe('awaiting_approval');
    expect(calls.writes()).toBe(0);
  });

  test('is refused with an approval that was given ten minutes before, or asked for before that', async () => {
    const calls = await approved();
    calls.skipMs = 10 * MINUTE_MS;
    expect(await calls.outcome()).toBe('awaiting_approval');
    const [row] = await calls.waiting();
    calls.skipMs += 10 * MINUTE_MS;
    expect(await calls.decide(row!)).toBe(false);
    expect(await calls.outcome()).toBe('awaiting_approval');
    expect(calls.writes()).toBe(0);
  });

  test.each([
    [
      'its grant is revoked',
      (calls: ApprovalsUnderTest) =>
        revokeAccess(given.store.db, { userId: calls.principal.userId }, { by: 'user', now: calls.now() }),
    ],
    [
      'its partner is suspended',
      (calls: ApprovalsUnderTest) => setPartnerSuspended(given.store.db, calls.partnerId, calls.now()),
    ],
    [
      'its service is connected again with another credential',
      (calls: ApprovalsUnderTest) =>
        given.store.db.transaction().execute((transaction) =>
          saveConnection(transaction, createCredentialVault({ keys: [{ id: 'k', key: keyBytes(1) }] }), {
            userId: calls.principal.userId,
            service: 'library',
            fields: { apiKey: 'another' },
            now: calls.now(),
          }),
        ),
    ],
    [
      'its connection needs attention',
      () => given.store.db.updateTable('connections').set({ status: 'attention' }).execute(),
    ],
  ])('is not made after %s, and cannot be approved then', async (_, end) => {
    const calls = await approved();
    await calls.call({ id: '2' });
    const [waiting] = await calls.waiting();
    await end(calls);
    expect(await calls.outcome()).toBe('awaiting_approval');
    expect(await calls.decide(waiting!)).toBe(false);
    expect(calls.writes()).toBe(0);
  });

  test('is decided once: of an approval and a denial at the same time, one wins', async () => {
    const calls = await start();
    await calls.call();
    const [row] = await calls.waiting();
    const decided = await Promise.all(
      Array.from({ length: 10 }, (_, index) => calls.decide(row!, { approve: index % 2 === 0 })),
    );
    expect(decided.filter((isDone) => isDone)).toHaveLength(1);
    expect(await calls.decide(row!)).toBe(false);
    const outcome = await calls.outcome();
    expect(outcome).toBe(decided.indexOf(true) % 2 === 0 ? 'ok' : 'denied_by_user');
  });

  test('cannot be decided by another user, or with the digest of another call', async () => {
    const calls = await start();
    await calls.call();
    await calls.call({ id: '2' });
    const [first, second] = await calls.waiting();
    expect(await calls.decide(first!, { userId: await calls.user('bob') })).toBe(false);
    expect(await calls.decide({ id: first!.id, digest: second!.digest })).toBe(false);
    expect(await calls.waiting()).toHaveLength(2);
  });

  test('is stopped by a denial for ten minutes, and only that call', async () => {
    const calls = await start();
    await calls.call();
    const [row] = await calls.waiting();
    await calls.decide(row!, { approve: false });
    const result = await calls.call();
    expect(errorOf(result).code).toBe('denied_by_user');
    expect(textOf(result)).toContain('Stop: do not try it again');
    expect(await calls.outcome({ id: '2' })).toBe('awaiting_approval');
    calls.skipMs = 10 * MINUTE_MS;
    expect(await calls.outcome()).toBe('awaiting_approval');
  });

  test('is not made for a row that somebody else changed in the database', async () => {
    const calls = await start();
    await calls.call();
    await given.store.db
      .updateTable('approvals')
      .set({ status: 'approved', proof: 'forged', channel: 'page' })
      .execute();
    expect(await calls.outcome()).toBe('internal_error');
    await given.store.db.updateTable('approvals').set({ proof: null }).execute();
    expect(await calls.outcome()).toBe('internal_error');
    expect(calls.writes()).toBe(0);
  });

  test('is not made for the approval of another call whose row is moved to it', async () => {
    const calls = await approved();
    await calls.call({ id: '2' });
    const [other] = await calls.waiting();
    await given.store.db.deleteFrom('approvals').where('id', '=', other!.id).execute();
    await given.store.db.updateTable('approvals').set({ digest: other!.digest }).execute();
    expect(await calls.outcome({ id: '2' })).toBe('internal_error');
    expect(calls.writes()).toBe(0);
  });

  test('waits with 20 others of its client at most', async () => {
    const calls = await start();
    for (let id = 0; id < 20; id += 1) await calls.call({ id: `${id}` });
    const result = await calls.call({ id: 'one more' });
    expect(errorOf(result)).toMatchObject({ code: 'awaiting_approval', details: null });
    expect(await calls.waiting()).toHaveLength(20);
    expect(await calls.outcome({ id: '1' }, { principal: { grantId: await calls.grant() } })).toBe('awaiting_approval');
    expect(await calls.waiting()).toHaveLength(21);
  });

  test('waits with 20 others at most, however many are asked for at once on several nodes', async () => {
    const calls = await start();
    await Promise.all(Array.from({ length: 60 }, (_, id) => calls.call({ id: `${id}` }, { node: id % 2 })));
    expect(await calls.waiting()).toHaveLength(20);
  });

  test('shows its arguments and what a reading tool says, sealed for its row and only while it waits', async () => {
    const calls = await start();
    await calls.call({ id: '1', note: 'a\u202eb' });
    const [row] = await calls.waiting();
    expect(row?.sealed).not.toContain('note');
    expect(openDescription(sealer, row!, calls.now())).toEqual({
      standing: null,
      title: 'Burn a book',
      sentence: 'Burn a book: id "1", note "a\\u202eb"',
      isWhole: true,
      lookedUpAt: expect.any(Number),
      names: [],
      arguments: [
        { name: 'id', value: '"1"', origin: 'client' },
        { name: 'note', value: '"a\\u202eb"', origin: 'client' },
      ],
      preview: [
        { name: 'title', value: '"Ada\\u202e"' },
        { name: 'pages', value: '300' },
        { name: 'readers', value: '3 entries' },
      ],
    });
    expect(openDescription(sealer, { ...row!, id: 'another' }, calls.now())).toBeNull();
    await calls.decide(row!);
    expect((await rows()).map(({ sealed }) => sealed)).toEqual([null]);
  });

  test('keeps no arguments after it expired, and no row a day later', async () => {
    const calls = await start();
    await calls.call();
    const rules = retentionRules({ callRecordDays: 1 });
    await purge(given.store, rules, { now: calls.now() + 11 * MINUTE_MS });
    expect((await rows()).map(({ sealed }) => sealed)).toEqual([null]);
    await purge(given.store, rules, { now: calls.now() + 25 * 60 * MINUTE_MS });
    expect(await rows()).toEqual([]);
  });

  test('is forgotten with its user', async () => {
    const calls = await start();
    await calls.call();
    const user = await given.store.db.selectFrom('users').select('id').executeTakeFirstOrThrow();
    expect(user.id).toBe(calls.principal.userId);
    await given.store.db.deleteFrom('users').where('id', '=', user.id).execute();
    expect(await rows()).toEqual([]);
  });

  test('with an idempotency key is made once, and gives its answer again without another approval', async () => {
    const calls = await start();
    expect(await calls.outcome({ id: '1' }, { key: 'k' })).toBe('awaiting_approval');
    await calls.approveAll();
    expect(await calls.outcome({ id: '1' }, { key: 'k' })).toBe('ok');
    expect(calls.writes()).toBe(1);
  });

  test('is one that a rule names: of the operator, the partner or the connector', async () => {
    const calls = await start();
    expect(await calls.outcome({ id: '1' }, { tool: FIND })).toBe('ok');
    expect(await calls.outcome({ id: '1' }, { tool: ADD })).toBe('ok');
    expect(await calls.outcome({ id: '1' }, { tool: ADD, principal: { approvals: ['write'] } })).toBe(
      'awaiting_approval',
    );
    expect(await calls.outcome({ id: '1' }, { tool: BURN, principal: { approvals: ['send'] } })).toBe(
      'awaiting_approval',
    );
  });

  test('is said in an event that names the tool and no argument', async () => {
    const calls = await start();
    await calls.call({ id: 'secret-argument' });
    await calls.approveAll();
    const events = await given.store.db.selectFrom('audit_events').selectAll().execute();
    const partner = await given.store.db
      .selectFrom('partner_events')
      .selectAll()
      .where('type', 'like', 'approval.%')
      .orderBy('seq')
      .execute();
    const [row] = await rows();
    expect(events.map(({ type, details }) => [type, JSON.parse(details)])).toEqual([
      ['approval_requested', { approval: row?.id, service: 'library', tool: BURN }],
      ['approval_decided', { approval: row?.id, service: 'library', tool: BURN, decision: 'approved', by: 'page' }],
    ]);
    expect(partner.map(({ type, data }) => [type, JSON.parse(data)])).toEqual([
      [
        'approval.requested',
        { approval_id: row?.id, tool: BURN, page_url: `https://gateway.example/me/approvals/${row?.id}` },
      ],
      ['approval.decided', { approval_id: row?.id, tool: BURN, decision: 'approved', channel: 'page' }],
    ]);
    expect(JSON.stringify([events, partner])).not.toContain('secret-argument');
  });
});
