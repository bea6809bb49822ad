import { expect, test } from 'vitest';
import { FULL_PERMISSION, writePermission } from '../../../../server/base/principal/permission.ts';
import { emit } from '../../../../server/base/store/events.ts';
import { purge } from '../../../../server/base/store/purge.ts';
import { insertAccessToken } from '../../../../server/base/store/repositories/access-tokens.ts';
import { takeKey } from '../../../../server/base/store/repositories/calls/calls-made-once.ts';
import { redeemConnectionAttempt } from '../../../../server/base/store/repositories/connection-attempts.ts';
import { insertGrant } from '../../../../server/base/store/repositories/oauth-grants.ts';
import { insertSingleUseCode, takeOnce } from '../../../../server/base/store/repositories/single-use-codes.ts';
import { insertToolFacts } from '../../../../server/base/store/repositories/tool-facts.ts';
import { newId } from '../../../../server/base/store/rows.ts';
import { RETENTION } from '../../../support/listening.ts';
import { describeStore } from './dialects.ts';
import { connect, insertAttempt, insertPartnerAndUser, tokenFor } from './fixtures.ts';

const DAY_MS = 86_400_000;
const RULES = RETENTION;

describeStore('retention', (given) => {
  async function insertRecords(times: readonly number[]): Promise<void> {
    const rows = times.map((created_at) => ({
      id: newId(created_at),
      created_at,
      partner_id: 'p',
      user_id: 'u',
      token_id: 't',
      service: 's',
      tool: 't',
      outcome: 'ok',
      upstream_status: null,
      duration_ms: 1,
      request_bytes: 1,
      response_bytes: 1,
      request_id: 'r',
    }));
    await given.store.db.insertInto('call_records').values(rows).execute();
  }

  test('removes old rows from every growing table, and keeps the rest', async () => {
    const { user, partner } = await insertPartnerAndUser(given.store);
    const now = 100 * DAY_MS;
    await insertAttempt(given.store, { id: 'lapsed', partnerId: partner.id, expiresAt: now - 1 });
    await insertAttempt(given.store, { id: 'open', partnerId: partner.id, expiresAt: now });
    await insertAttempt(given.store, { id: 'redeemed', partnerId: partner.id, expiresAt: now - DAY_MS });
    await insertAttempt(given.store, { id: 'long redeemed', partnerId: partner.id, expiresAt: now - DAY_MS - 1 });
    for (const id of ['redeemed', 'long redeemed']) {
      expect(await redeemConnectionAttempt(given.store.db, id, 0)).toBe(true);
    }
    await insertAccessToken(given.store.db, tokenFor(user.id, { tokenHash: 'old', expiresAt: now - DAY_MS - 1 }));
    await insertAccessToken(given.store.db, tokenFor(user.id, { tokenHash: 'new', expiresAt: now - DAY_MS }));
    const code = { purpose: 'test', userId: user.id, payload: null, now: 0 };
    await insertSingleUseCode(given.store.db, { ...code, codeHash: 'old', expiresAt: now - DAY_MS - 1 });
    await insertSingleUseCode(given.store.db, { ...code, codeHash: 'new', expiresAt: now - DAY_MS });
    const taken = { purpose: 'test', now: 0 };
    await takeOnce(given.store.db, { ...taken, hash: 'spent', expiresAt: now - 1 });
    await takeOnce(given.store.db, { ...taken, hash: 'valid', expiresAt: now });
    await given.store.db
      .insertInto('upstream_slots')
      .values([now - 1, now].map((expires_at) => ({ key: `c/${expires_at}`, holder: 'h', expires_at })))
      .execute();
    await given.store.db
      .insertInto('upstream_rates')
      .values([now - 1, now].map((expire) => ({ key: `c/${expire}`, points: 1, expire })))
      .execute();
    await given.store.db
      .insertInto('rate_limits')
      .values([now - 1, now].map((expires_at) => ({ key: `calls:${expires_at}`, uses: 1, expires_at })))
      .execute();
    for (const at of [now - 30 * DAY_MS - 1, now - 30 * DAY_MS]) {
      await emit(given.store.db, { type: 'grant_given', userId: user.id, grantId: 'g', clientId: null, now: at });
    }
    await connect(given.store, { userId: user.id, service: 'used', now: 0 });
    const connectionId = await connect(given.store, { userId: user.id, service: 'written', now: 0 });
    const keyed = { callHash: 'c', userId: user.id, grantId: null, connectionId, holder: 'h', heldUntil: 0, now: 0 };
    const token = given.store.db.selectFrom('access_tokens').select('id').where('token_hash', '=', 'new');
    const { id: tokenId } = await token.executeTakeFirstOrThrow();
    for (const [keyHash, expiresAt] of Object.entries({ old: now - 1, new: now })) {
      await takeKey(given.store.db, { ...keyed, tokenId, keyHash, expiresAt, repeatable: false });
    }
    await insertRecords([now - 90 * DAY_MS - 1, now - 90 * DAY_MS]);
    const tally = { partner_id: 'p', service: 's', tool: 't', outcome: 'ok', band: 0, calls: 1 };
    for (const [key, created_at] of Object.entries({ old: now - 400 * DAY_MS - 1, kept: now - 400 * DAY_MS })) {
      await given.store.db
        .insertInto('call_tallies')
        .values({ ...tally, key, created_at })
        .execute();
    }

    expect(await purge(given.store, RULES, { now })).toEqual({
      access_tokens: 1,
      single_use_codes: 2,
      oauth_clients: 0,
      oauth_codes: 0,
      refresh_tokens: 0,
      oauth_grants: 0,
      tool_facts: 0,
      connection_attempts: 2,
      connect_sessions: 0,
      calls_made_once: 1,
      approvals: 0,
      attempt_counters: 0,
      rate_limits: 1,
      rule_counts: 0,
      upstream_slots: 1,
      upstream_rates: 1,
      audit_events: 0,
      anonymous_events: 0,
      webhook_deliveries: 0,
      partner_events: 1,
      call_tallies: 1,
      call_records: 1,
    });

    const left = await Promise.all([
      given.store.db.selectFrom('access_tokens').select('token_hash as key').execute(),
      given.store.db.selectFrom('single_use_codes').select('code_hash as key').orderBy('code_hash').execute(),
      given.store.db.selectFrom('connections').select('service as key').execute(),
      given.store.db.selectFrom('call_records').select('created_at as key').execute(),
      given.store.db.selectFrom('connection_attempts').select('id as key').orderBy('id').execute(),
    ]);
    expect(left.map((rows) => rows.map((row) => row.key))).toEqual([
      ['new'],
      ['new', 'valid'],
      ['used', 'written'],
      [now - 90 * DAY_MS],
      ['open', 'redeemed'],
    ]);
  });

  test('keeps a set of tool facts while a grant refers to it, and for a day after such a grant was created', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    const { db } = given.store;
    const now = 100 * DAY_MS;
    const pins = { library: { seen: 'pinned' } };
    for (const [seen, at] of [
      ['named', 0],
      ['pinned', 0],
      ['of a grant that ended', 0],
      ['recent', now - DAY_MS],
      ['named again', 0],
      ['named again', now - DAY_MS],
    ] as const) {
      await insertToolFacts(db, { hash: seen, text: '{}', now: at });
    }
    const grant = { clientId: null, userId: user.id, scopes: ['tools:read'], services: null, resource: 'r' } as const;
    for (const [seen, expiresAt] of [
      ['named', now],
      ['of a grant that ended', 1],
    ] as const) {
      const permission = writePermission({ ...FULL_PERMISSION, pins, seen });
      await insertGrant(db, { ...grant, now: 0, expiresAt, permission });
    }
    await insertGrant(db, { ...grant, now: 0, expiresAt: now });
    expect(await purge(given.store, RULES, { now, batchRows: 1 })).toMatchObject({ oauth_grants: 1, tool_facts: 2 });
    const left = await db.selectFrom('tool_facts').select('hash').orderBy('hash').execute();
    expect(left.map(({ hash }) => hash)).toEqual(['named', 'named again', 'recent']);
  });

  test('works in batches, oldest first, until nothing is left', async () => {
    await insertRecords(Array.from({ length: 25 }, (_, index) => index));
    const removed = await purge(given.store, RULES, { now: 100 * DAY_MS, batchRows: 10 });
    expect(removed.call_records).toBe(25);
  });

  test('stops between batches when aborted', async () => {
    await insertRecords(Array.from({ length: 25 }, (_, index) => index));
    const stop = new AbortController();
    const purging = purge(
      given.store,
      RULES.filter(({ table }) => table === 'call_records'),
      {
        now: 100 * DAY_MS,
        batchRows: 10,
        signal: stop.signal,
      },
    );
    stop.abort();
    expect(await purging).toEqual({ call_records: 10 });
    const left = await given.store.db.selectFrom('call_records').select('created_at').orderBy('created_at').execute();
    expect(left.map((row) => row.created_at)).toEqual(Array.from({ length: 15 }, (_, index) => index + 10));
  });

  test('two concurrent purges remove every row once', async () => {
    await insertRecords(Array.from({ length: 200 }, (_, index) => index));
    const [first, second] = await Promise.all([
      purge(given.store, RULES, { now: 100 * DAY_MS, batchRows: 7 }),
      purge(given.store, RULES, { now: 100 * DAY_MS, batchRows: 7 }),
    ]);
    expect(Number(first.call_records) + Number(second.call_records)).toBe(200);
  });
});
