import { describe, expect, test } from 'vitest';
import { type RunPermit, RunQueue } from '../../../../server/base/limits/run-queue.ts';

const never = new AbortController().signal;

describe('turns to run programs', () => {
  test('are taken at once while there are some, then in the order in which users asked', async () => {
    const queue = new RunQueue(1);
    const first = await queue.take('a', never);
    const order: string[] = [];
    const take = async (user: string): Promise<void> => {
      const turn = await queue.take(user, never);
      order.push(user);
      turn?.end();
    };
    const all = ['a', 'a', 'a', 'a', 'b', 'c', 'b'].map(take);
    expect([queue.running, queue.waiting]).toEqual([1, 7]);
    first?.end();
    await Promise.all(all);
    expect(order.join('')).toBe('abcabaa');
    expect([queue.running, queue.waiting]).toEqual([0, 0]);
  });

  test('are refused to a user with five that wait, and to all once fifty wait', async () => {
    const queue = new RunQueue(1);
    await queue.take('a', never);
    for (let count = 0; count < 5; count += 1) void queue.take('a', never);
    expect(await queue.take('a', never)).toBeNull();
    for (let user = 0; user < 45; user += 1) void queue.take(`user ${user}`, never);
    expect([await queue.take('z', never), queue.waiting]).toEqual([null, 50]);
  });

  test('of a thousand runs of one user leave the turn of another user one run away', async () => {
    const queue = new RunQueue(1);
    const running = await queue.take('greedy', never);
    const greedy = Array.from({ length: 1000 }, () => queue.take('greedy', never));
    let isQuiet = false;
    const quiet = queue.take('quiet', never).then((turn) => {
      isQuiet = true;
      return turn;
    });
    running?.end();
    const next = (await greedy[0]) as RunPermit;
    expect(isQuiet).toBe(false);
    next.end();
    expect(await quiet).not.toBeNull();
    expect((await Promise.all(greedy.slice(5))).filter((turn) => turn !== null)).toEqual([]);
  });

  test('are given up by a signal, and then cost nobody a place', async () => {
    const queue = new RunQueue(1);
    const running = await queue.take('a', never);
    const stop = new AbortController();
    const given = queue.take('b', stop.signal);
    const kept = queue.take('c', never);
    stop.abort();
    expect([await given, queue.waiting, await queue.take('d', stop.signal)]).toEqual([null, 1, null]);
    running?.end();
    expect(await kept).not.toBeNull();
    stop.abort();
    expect(queue.running).toBe(1);
  });
});
