import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openTables } from '../../../packages/portal/store/open.ts';
import { People } from '../../../packages/portal/store/people.ts';
import { PORTAL_TABLES, type PortalDatabase } from '../../../packages/portal/store/tables.ts';
import { createValueSealer } from '../../../server/base/credentials/sealed-value.ts';
import { keyBytes } from '../../support/keys.ts';
import { DATABASES } from '../../support/migrated-database.ts';

const ADA = { userId: 'ada', subject: 'ada', name: 'Ada', groups: [], refreshToken: null };

async function openPeople(): Promise<People> {
  const folder = await mkdtemp(join(DATABASES, 'portal-'));
  const store = await openTables<PortalDatabase>({
    url: `sqlite:${join(folder, 'portal.sqlite')}`,
    setting: 'PORTAL_DATABASE_URL',
    set: PORTAL_TABLES,
    onError: () => {},
  });
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  return new People(store.db, createValueSealer({ keys: [{ id: 'k1', key: keyBytes(1) }], purpose: 'test' }));
}

const signIn = (people: People, token: string) =>
  people.signIn(ADA, { token, providerSession: null, now: 0, expiresAt: 100_000, nextCheckAt: 1000 });

test('a check that lost its hold to a sign-in ends no session, and the person is checked again at once', async () => {
  const people = await openPeople();
  await signIn(people, 'first');
  const [held] = await people.takeDue(10, 2000);
  await signIn(people, 'second');
  await people.endSessionsOf(held!);
  expect(await people.findBySession('second', 2000)).toMatchObject({ userId: 'ada' });
  expect(await people.change(held!, { goneAt: 2000, nextCheckAt: 900_000 })).toBe(false);
  await people.release(held!, 500);
  expect(await people.takeDue(10, 500)).toMatchObject([{ userId: 'ada', goneAt: null }]);
});

test('a check that kept its hold ends the sessions, and the next one comes at its time', async () => {
  const people = await openPeople();
  await signIn(people, 'first');
  const [held] = await people.takeDue(10, 2000);
  expect(await people.takeDue(10, 2000)).toEqual([]);
  await people.endSessionsOf(held!);
  expect(await people.findBySession('first', 2000)).toBeUndefined();
  expect(await people.change(held!, { nextCheckAt: 9000 })).toBe(true);
  await people.release(held!, 2000);
  expect([await people.takeDue(10, 8999), (await people.takeDue(10, 9000)).length]).toEqual([[], 1]);
});
