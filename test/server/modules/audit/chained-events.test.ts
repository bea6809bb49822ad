import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Kysely, sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { purge } from '../../../../server/base/store/purge.ts';
import { signChainedEvents } from '../../../../server/modules/audit/chained-events.ts';
import { loadAuditKeys } from '../../../../server/modules/audit/keys.ts';
import { keyBytes } from '../../../support/keys.ts';
import { RETENTION } from '../../../support/listening.ts';
import { describeStore } from '../../base/store/dialects.ts';
import { recordEvents, signAs, verify } from './support.ts';

type Row = Readonly<Record<string, string | number | null>>;

const DAY_MS = 24 * 3_600_000;

/** The first of two keys signed what the second one had signed before. */
const KEYS = [
  { id: 'k2', key: keyBytes(2) },
  { id: 'k1', key: keyBytes(1) },
];

/**
 * Reads the rows that the last version with chains wrote: two hosts, two keys, a removed user, and a beginning that retention removed.
 */
async function readEarlierRows(): Promise<{ events: Row[]; chains: Row[]; keys: Row[] }> {
  return JSON.parse(await readFile(path.join(import.meta.dirname, 'chained-events.json'), 'utf8'));
}

describeStore('events that an earlier version signed in chains', (given) => {
  beforeEach(async () => {
    const { events, chains, keys } = await readEarlierRows();
    const db = given.store.db as unknown as Kysely<Record<string, Row>>;
    await db.insertInto('audit_keys').values(keys).execute();
    await db.insertInto('audit_chains').values(chains).execute();
    await db.insertInto('audit_events').values(events).execute();
  });

  const sign = async () => signChainedEvents(given.store.db, (await loadAuditKeys(given.store.db, KEYS)).keys);

  test('are all there after the upgrade, and get a MAC of their own', async () => {
    expect(await verify(given.store, KEYS)).toEqual({ verified: 5, problems: [] });
    const { events } = await readEarlierRows();
    const rows = await given.store.db.selectFrom('audit_events').selectAll().orderBy('id').execute();
    expect(rows).toEqual(events.map((event) => ({ ...event, mac: expect.stringMatching(/^k2\.[\w-]{43}$/) })));
    expect(await sign()).toBe(0);
  });

  test('are signed once, also by two gateways at a time', async () => {
    expect((await Promise.all([sign(), sign()])).some((count) => count > 0)).toBe(true);
    expect(await verify(given.store, KEYS)).toEqual({ verified: 5, problems: [] });
  });

  test('verify with the new key alone, and beside new events', async () => {
    await signAs(given.store, [KEYS[0]!]);
    await recordEvents(given.store, 2, 400 * DAY_MS);
    expect(await verify(given.store, [KEYS[0]!])).toEqual({ verified: 7, problems: [] });
  });

  test.each([
    ['one was changed', sql`update audit_events set grant_id = 'grant-9' where chain_seq = 4`, ['grant_revoked']],
    [
      'one was moved to another place',
      sql`update audit_events set chain_seq = 9 where chain_seq = 6`,
      ['consent_denied'],
    ],
    [
      'a signature was changed',
      sql`update audit_events set chain_mac = 'k1.AAAA' where chain_seq = 3`,
      ['consent_given', 'grant_revoked'],
    ],
    ['one was removed', sql`delete from audit_events where chain_seq = 4`, ['user_removed']],
    ['a chain was removed', sql`delete from audit_chains where number = 2`, ['tokens_issued']],
  ])('get no MAC where %s before the upgrade', async (_, statement, types) => {
    await statement.execute(given.store.db);
    const found = types.map((type) => expect.stringMatching(`^event \\S+ \\(${type}, .* was changed, or no gateway`));
    expect((await verify(given.store, KEYS)).problems).toEqual(found);
    expect((await verify(given.store, KEYS)).problems).toEqual(found);
  });

  test('can be removed after the upgrade, and the others still verify', async () => {
    await sign();
    await sql`delete from audit_events where chain_seq = 4`.execute(given.store.db);
    expect(await verify(given.store, KEYS)).toEqual({ verified: 4, problems: [] });
    await purge(given.store, RETENTION, { now: 765 * DAY_MS + 4 });
    expect(await verify(given.store, KEYS)).toEqual({ verified: 1, problems: [] });
  });
});
