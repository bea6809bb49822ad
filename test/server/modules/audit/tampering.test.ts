import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { emit } from '../../../../server/base/store/events.ts';
import { purge } from '../../../../server/base/store/purge.ts';
import { goneReference } from '../../../../server/base/store/repositories/users.ts';
import { forgetUser } from '../../../../server/identity/partners/forget-user.ts';
import { RETENTION } from '../../../support/listening.ts';
import { someOf } from '../../../support/some-of.ts';
import { describeStore } from '../../base/store/dialects.ts';
import { insertPartnerAndUser } from '../../base/store/fixtures.ts';
import { recordEvents, signAs, verify } from './support.ts';

const EVENTS = 5;
/** The event of the middle. */
const ONE = sql`created_at = 1002`;
const CHANGED = /^event \S+ \(consent_given, 1970-01-01T00:00:01\.002Z\) was changed, or no gateway recorded it$/;
const FORGED = /^event forged \(consent_given, 1970-01-01T00:00:0\d\.\d{3}Z\) was changed, or no gateway recorded it$/;

const TAMPERING: readonly [title: string, statement: ReturnType<typeof sql>, found: RegExp][] = [
  ['changing its details', sql`update audit_events set details = '{"a":1}' where ${ONE}`, CHANGED],
  [
    'changing its type',
    sql`update audit_events set type = 'consent_denied' where ${ONE}`,
    /^event \S+ \(consent_denied/,
  ],
  ['moving it to another time', sql`update audit_events set created_at = 1500 where ${ONE}`, /:01\.500Z\) was changed/],
  [
    'moving it to a number that is no time',
    sql`update audit_events set created_at = 9007199254740991 where ${ONE}`,
    /, 9007199254740991\) was changed/,
  ],
  ['moving it to another partner', sql`update audit_events set partner_id = 'partner-2' where ${ONE}`, CHANGED],
  ['moving it to another user', sql`update audit_events set user_id = 'eve' where ${ONE}`, CHANGED],
  ['naming a removed user', sql`update audit_events set user_id = 'gone-x' where ${ONE}`, CHANGED],
  ['removing its client', sql`update audit_events set client_id = null where ${ONE}`, CHANGED],
  ['changing its id', sql`update audit_events set id = 'forged' where ${ONE}`, FORGED],
  ['changing its MAC', sql`update audit_events set mac = 'k1.AAAA' where ${ONE}`, CHANGED],
  ['removing its MAC', sql`update audit_events set mac = null where ${ONE}`, CHANGED],
  [
    'exchanging its MAC for that of another event',
    sql`update audit_events set mac = (select mac from audit_events where created_at = 1003) where ${ONE}`,
    CHANGED,
  ],
  [
    'naming a key that does not exist',
    sql`update audit_events set mac = 'k9.AAAA' where ${ONE}`,
    /^event \S+ \(consent_given, .*\) has a MAC of the key "k9", which is not here$/,
  ],
  [
    'copying it under another id',
    sql`insert into audit_events (id, created_at, type, partner_id, user_id, client_id, details, mac)
        select 'forged', created_at, type, partner_id, user_id, client_id, details, mac from audit_events where ${ONE}`,
    FORGED,
  ],
  [
    'inventing one without a MAC',
    sql`insert into audit_events (id, created_at, type, details) values ('forged', 2000, 'consent_given', '{}')`,
    FORGED,
  ],
  [
    'inventing one of an earlier version',
    sql`insert into audit_events (id, created_at, type, details, chain, chain_seq, chain_mac)
        values ('forged', 2000, 'consent_given', '{}', 1, 1, 'k1.AAAA')`,
    FORGED,
  ],
];

describeStore('verifying the audit trail', (given) => {
  test.each(someOf(TAMPERING, 4))('finds tampering with an event by %s', async (_, statement, found) => {
    await signAs(given.store);
    await recordEvents(given.store, EVENTS);
    expect(await verify(given.store)).toEqual({ verified: EVENTS, problems: [] });
    await statement.execute(given.store.db);
    const { problems } = await verify(given.store);
    expect(problems).toEqual([expect.stringMatching(found)]);
    await recordEvents(given.store, 2, 3_000);
    await purge(given.store, RETENTION, { now: 5_000 });
    expect((await verify(given.store)).problems).toEqual(problems);
  });

  test('finds each of several changed events, on all pages', async () => {
    await signAs(given.store);
    await recordEvents(given.store, 1_003);
    await sql`update audit_events set type = 'consent_denied' where created_at in (1000, 1499, 1500, 2002)`.execute(
      given.store.db,
    );
    const { verified, problems } = await verify(given.store);
    expect([verified, problems.length]).toEqual([999, 4]);
  });

  test('does not find that an event was removed', async () => {
    await signAs(given.store);
    await recordEvents(given.store, EVENTS);
    await sql`delete from audit_events where ${ONE}`.execute(given.store.db);
    expect(await verify(given.store)).toEqual({ verified: EVENTS - 1, problems: [] });
  });

  test('finds a user whose pseudonym is in its events, though it was not removed', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    await signAs(given.store);
    for (const now of [1, 2]) await emit(given.store.db, { type: 'consent_given', now, userId: user.id });
    expect((await verify(given.store)).problems).toEqual([]);
    await sql`update audit_events set user_id = ${goneReference(user.id)}`.execute(given.store.db);
    const found = `events name user ${user.id} as a removed one, though it was not removed`;
    expect((await verify(given.store)).problems).toEqual([found]);
    await given.store.db.transaction().execute((transaction) => forgetUser(transaction, user, { now: 3 }));
    expect((await verify(given.store)).problems).toEqual([]);
  });
});
