import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { tell } from '../../../../server/base/store/events.ts';
import type { Store } from '../../../../server/base/store/index.ts';
import { purge } from '../../../../server/base/store/purge.ts';
import { goneReference } from '../../../../server/base/store/repositories/user-references.ts';
import { forgetUser } from '../../../../server/identity/partners/forget-user.ts';
import { RETENTION } from '../../../support/listening.ts';
import { describeStore } from '../../base/store/dialects.ts';
import { insertPartnerAndUser } from '../../base/store/fixtures.ts';
import { recordEvents, signAs, verify } from './support.ts';

const EVENTS = 5;
const MIDDLE = sql`chain = 1 and chain_seq = 3`;
const NEWEST = sql`chain = 1 and chain_seq = ${EVENTS}`;
const FORGED = sql`insert into audit_events (id, created_at, type, details, chain, chain_seq, chain_mac)`;

const TAMPERING: readonly [title: string, statements: readonly ReturnType<typeof sql>[], found: RegExp][] = [
  [
    'changing the details of an event',
    [sql`update audit_events set details = '{"a":1}' where ${MIDDLE}`],
    /^chain 1: event \S+ \(consent_given.*was changed/,
  ],
  [
    'changing the time of an event',
    [sql`update audit_events set created_at = 5 where ${MIDDLE}`],
    /^chain 1: event .* was changed/,
  ],
  [
    'changing the user of an event',
    [sql`update audit_events set user_id = 'eve' where ${MIDDLE}`],
    /^chain 1: event .* was changed/,
  ],
  [
    'changing the user of an event to a removed one',
    [sql`update audit_events set user_id = 'gone-x' where ${MIDDLE}`],
    /^chain 1: event .* was changed/,
  ],
  [
    'changing the client of an event',
    [sql`update audit_events set client_id = null where ${MIDDLE}`],
    /^chain 1: event .* was changed/,
  ],
  [
    'changing the signature of an event',
    [sql`update audit_events set chain_mac = 'k1.AAAA' where ${MIDDLE}`],
    /^chain 1: event .* was changed/,
  ],
  [
    'changing the key of a signature',
    [sql`update audit_events set chain_mac = 'k9.AAAA' where ${MIDDLE}`],
    /^chain 1: event .* key that is lost/,
  ],
  [
    'removing an event',
    [sql`delete from audit_events where ${MIDDLE}`],
    /^chain 1: events are missing or too many before event/,
  ],
  [
    'removing an event and closing the gap',
    [
      sql`delete from audit_events where ${MIDDLE}`,
      sql`update audit_events set chain_seq = 3 where chain = 1 and chain_seq = 4`,
      sql`update audit_events set chain_seq = 4 where ${NEWEST}`,
    ],
    /^chain 1: event .* was changed/,
  ],
  [
    'moving an event out of its chain',
    [sql`update audit_events set chain = null where ${MIDDLE}`],
    /^chain 1: events are missing/,
  ],
  [
    'moving an event into another chain',
    [sql`update audit_events set chain = 2, chain_seq = 6 where ${NEWEST}`],
    /^chain 1: its newest events are missing: 5 to 5/,
  ],
  [
    'removing the oldest event',
    [sql`delete from audit_events where chain = 1 and chain_seq = 1`],
    /^chain 1: events are missing/,
  ],
  [
    'removing the oldest event, with a checkpoint',
    [
      sql`delete from audit_events where chain = 1 and chain_seq = 1`,
      sql`update audit_chains set base_seq = 1 where number = 1`,
    ],
    /^chain 1: its beginning or end was changed/,
  ],
  [
    'removing the newest event',
    [sql`delete from audit_events where ${NEWEST}`],
    /^chain 1: its newest events are missing: 5 to 5/,
  ],
  [
    "removing the newest event and its chain's end",
    [
      sql`delete from audit_events where ${NEWEST}`,
      sql`update audit_chains set head_seq = 4, head_mac = (select chain_mac from audit_events where chain = 1 and chain_seq = 4) where number = 1`,
    ],
    /^chain 1: its beginning or end was changed/,
  ],
  [
    'removing a whole chain',
    [sql`delete from audit_events where chain = 1`, sql`delete from audit_chains where number = 1`],
    /^chain 1: it is missing with all of its events/,
  ],
  [
    'removing the newest chain',
    [sql`delete from audit_events where chain = 2`, sql`delete from audit_chains where number = 2`],
    /^chain 2: it is missing/,
  ],
  [
    "removing the newest chain and the register's count",
    [
      sql`delete from audit_events where chain = 2`,
      sql`delete from audit_chains where number = 2`,
      sql`update audit_chains set head_seq = 1 where number = 0`,
    ],
    /^the register of chains was changed/,
  ],
  [
    'removing the newest chain and the register',
    [sql`delete from audit_events where chain = 2`, sql`delete from audit_chains where number in (0, 2)`],
    /^there is no register/,
  ],
  [
    'adding an event in no chain',
    [sql`${FORGED} values ('forged', 2000, 'consent_given', '{}', null, null, null)`],
    /^event forged is in no chain/,
  ],
  [
    'adding an event in no chain, from before there were any',
    [sql`${FORGED} values ('forged', 1, 'consent_given', '{}', null, null, null)`],
    /^event forged is in no chain/,
  ],
  [
    'adding an event in no place of a chain',
    [sql`${FORGED} values ('forged', 1, 'consent_given', '{}', 1, null, null)`],
    /^event forged is in no chain/,
  ],
  [
    'adding an event before the beginning of a chain',
    [sql`${FORGED} values ('forged', 1, 'consent_given', '{}', 1, -1, null)`],
    /^event forged is in no chain/,
  ],
  [
    'adding an event to the end of a chain',
    [sql`${FORGED} values ('forged', 2000, 'consent_given', '{}', 1, 6, 'k1.AAAA')`],
    /^chain 1: event forged .* was changed/,
  ],
  [
    'adding an event to a chain that does not exist',
    [sql`${FORGED} values ('forged', 2000, 'consent_given', '{}', 7, 1, 'k1.AAAA')`],
    /^event forged names chain 7/,
  ],
];

describeStore('verifying the audit trail', (given) => {
  async function fill(): Promise<void> {
    for (const node of ['a', 'b']) {
      await signAs(given.store, node);
      await recordEvents(given.store, EVENTS);
    }
  }

  const tamper = async (store: Store, statements: readonly ReturnType<typeof sql>[]) => {
    for (const statement of statements) await statement.execute(store.db);
  };

  test('finds nothing in an untouched one', async () => {
    await fill();
    expect((await verify(given.store)).problems).toEqual([]);
  });

  test('finds an event whose time was changed so that retention removes it', async () => {
    await fill();
    await sql`update audit_events set created_at = 1 where chain = 1`.execute(given.store.db);
    const now = 380 * 24 * 3_600_000;
    await recordEvents(given.store, 1, now);
    await purge(given.store, RETENTION, { now: 366 * 24 * 3_600_000 });
    const { chains, problems } = await verify(given.store);
    expect(chains[0]).toMatchObject({ removed: 0, problem: expect.stringContaining('was changed') });
    expect(problems).toHaveLength(1);
  });

  test('finds that everything was removed, and later only with exported heads', async () => {
    await fill();
    const heads = (await verify(given.store)).chains.map(({ head }) => head);
    for (const table of ['audit_events', 'audit_chains'] as const) await given.store.db.deleteFrom(table).execute();
    expect((await verify(given.store)).problems[0]).toMatch(/^there is no register/);
    await recordEvents(given.store, EVENTS);
    expect((await verify(given.store)).problems).toEqual([]);
    expect((await verify(given.store, { heads })).problems[0]).toMatch(/^chain 1: .* is not the one that was there/);
  });

  test('finds a restored older copy of the database with exported heads', async () => {
    await fill();
    const chains = await given.store.db.selectFrom('audit_chains').selectAll().execute();
    await signAs(given.store, 'b');
    await recordEvents(given.store, 1, 2_000);
    const heads = (await verify(given.store)).chains.map(({ head }) => head);
    await sql`delete from audit_events where created_at = 2000`.execute(given.store.db);
    for (const chain of chains) {
      await given.store.db.updateTable('audit_chains').set(chain).where('number', '=', chain.number).execute();
    }
    expect((await verify(given.store)).problems).toEqual([]);
    expect((await verify(given.store, { heads })).problems).toEqual(['chain 2: it went on to event number 6 earlier']);
    await recordEvents(given.store, 3, 3_000);
    expect((await verify(given.store, { heads })).problems[0]).toMatch(/^chain 2: .* is not the one that was there/);
  });

  test('finds an event in the place of another, also where verifying reads the next rows', async () => {
    await signAs(given.store, 'a');
    await recordEvents(given.store, 501);
    await sql`${FORGED} values ('zzz', 1, 'consent_given', '{}', 1, 500, null)`.execute(given.store.db);
    expect((await verify(given.store)).problems).not.toEqual([]);
  });

  test('finds an end that was set back and continued, with all ends of earlier', async () => {
    await fill();
    const earlier = await given.store.db.selectFrom('audit_chains').selectAll().where('number', '=', 2).execute();
    await signAs(given.store, 'b');
    await recordEvents(given.store, 1, 2_000);
    const heads = (await verify(given.store)).chains.map(({ head }) => head);
    await sql`delete from audit_events where created_at = 2000`.execute(given.store.db);
    await given.store.db.updateTable('audit_chains').set(earlier[0]!).where('number', '=', 2).execute();
    await recordEvents(given.store, 3, 3_000);
    heads.push(...(await verify(given.store)).chains.map(({ head }) => head));
    for (const kept of [heads, heads.toReversed()]) {
      expect((await verify(given.store, { heads: kept })).problems).toEqual([
        expect.stringMatching(/^chain 2: event .* is not the one that was there/),
      ]);
    }
  });

  test('finds a user whose pseudonym is in its events, though it was not removed', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    await signAs(given.store, 'a');
    for (const now of [1, 2]) await tell(given.store.db, { type: 'consent_given', now, userId: user.id });
    expect((await verify(given.store)).problems).toEqual([]);
    await sql`update audit_events set user_id = ${goneReference(user.id)}`.execute(given.store.db);
    const found = `events name user ${user.id} as a removed one, though it was not removed`;
    expect((await verify(given.store)).problems).toEqual([found]);
    await given.store.db.transaction().execute((transaction) => forgetUser(transaction, user, { now: 3 }));
    expect((await verify(given.store)).problems).toEqual([]);
  });

  test.each(TAMPERING)('finds tampering by %s', async (_, statements, found) => {
    await fill();
    await tamper(given.store, statements);
    expect((await verify(given.store)).problems[0]).toMatch(found);
    await signAs(given.store, 'a');
    await recordEvents(given.store, 2, 3_000);
    await signAs(given.store, 'b');
    await recordEvents(given.store, 2, 3_000);
    await purge(given.store, RETENTION, { now: 5_000 });
    expect((await verify(given.store)).problems.length).toBeGreaterThan(0);
  });
});
