import { beforeEach, expect, test } from 'vitest';
import { insertPartner } from '../../../../server/base/store/repositories/partners.ts';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import {
  askToStop,
  changeHeldTask,
  changeTask,
  extendHold,
  findTask,
  insertTask,
} from '../../../../server/modules/tasks/rows.ts';
import { describeStore } from '../../base/store/dialects.ts';

const NOW = 1_000_000;

describeStore('the rows of tasks', (given) => {
  let userId: string;
  beforeEach(async () => {
    const { db } = given.store;
    const partner = await insertPartner(db, { clientId: 'acme', name: 'Acme', now: NOW });
    ({ id: userId } = await ensureUser(db, { partnerId: partner.id, externalUserId: 'ada', now: NOW }));
  });
  const insert = (id: string, most = 10) =>
    insertTask(
      given.store.db,
      {
        ...{ id, user_id: userId, status: 'working', state: 'sealed', approval_id: null },
        ...{ holder: 'first', held_until: NOW + 10, created_at: NOW, expires_at: NOW + 100 },
      },
      most,
    );
  const find = (id: string, now = NOW) => findTask(given.store.db, { id, userId, now });
  const take = async (holder: string, now: number, task = find('a', now)) =>
    changeTask(given.store.db, (await task)!, { holder, held_until: now + 10 }, now);

  test('a task is taken only after the time of the run that holds it, by one of those who saw it', async () => {
    await insert('a');
    expect(await take('second', NOW + 9)).toBe(false);
    const seen = Promise.resolve(await find('a', NOW + 10));
    const taken = await Promise.all(['b', 'c', 'd'].map((each) => take(each, NOW + 10, seen)));
    expect(taken.filter(Boolean)).toHaveLength(1);
    const { holder, version } = (await find('a'))!;
    expect([['b', 'c', 'd'].includes(holder!), version]).toEqual([true, 2]);
    expect(await take('late', NOW + 30, seen)).toBe(false);
  });

  test('a run that lost its task changes nothing, and one that has it hears of the cancellation', async () => {
    await insert('a');
    const { db } = given.store;
    expect(await extendHold(db, { id: 'a', holder: 'first' }, NOW + 20)).toBe(false);
    await askToStop(db, 'a');
    expect(await extendHold(db, { id: 'a', holder: 'first' }, NOW + 30)).toBe(true);
    expect(await take('second', NOW + 30)).toBe(true);
    expect(await changeHeldTask(db, { id: 'a', holder: 'first' }, { status: 'completed', result: 'late' })).toBeNull();
    expect(await find('a')).toMatchObject({ holder: 'second', status: 'working', result: null });
  });

  test('what a run stores counts as a change, and holding the task for longer does not', async () => {
    await insert('a');
    const { db } = given.store;
    const read = (await find('a'))!;
    await extendHold(db, { id: 'a', holder: 'first' }, NOW + 20);
    expect((await find('a'))?.version).toBe(read.version);
    await changeHeldTask(db, { id: 'a', holder: 'first' }, { state: 'with its work' });
    expect(await changeTask(db, read, { state: 'of before' }, NOW + 20)).toBe(false);
    expect((await find('a'))?.state).toBe('with its work');
  });

  test('a user has as many as are allowed, and those that expired do not count', async () => {
    expect([await insert('a', 2), await insert('b', 2), await insert('c', 2)]).toEqual([true, true, false]);
    await given.store.db.updateTable('tasks').set({ expires_at: NOW }).where('id', '=', 'a').execute();
    expect(await find('a')).toBeUndefined();
    expect(await insert('c', 2)).toBe(true);
    const added = await Promise.all(Array.from({ length: 12 }, (_, index) => insert(`at once ${index}`, 6)));
    expect(added.filter(Boolean)).toHaveLength(4);
  });
});
