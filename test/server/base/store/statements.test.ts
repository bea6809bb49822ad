import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { StatementFacts } from '../../../../server/base/store/statements.ts';
import { openListeningStore } from '../../../support/listening.ts';
import { describeStore } from './dialects.ts';

describeStore('observed statements', (given) => {
  test('are reported with their operation and failure, in transactions too', async () => {
    const heard: StatementFacts[] = [];
    const store = await openListeningStore({ url: given.url, onStatement: (statement) => heard.push(statement) });
    try {
      heard.length = 0;
      await store.db.selectFrom('users').selectAll().execute();
      await store.db.deleteFrom('users').where('id', '=', 'nobody').execute();
      await store.db
        .transaction()
        .execute((transaction) =>
          transaction.updateTable('users').set({ partner_id: 'x' }).where('id', '=', 'nobody').execute(),
        );
      await expect(sql`select nothing from nowhere`.execute(store.db)).rejects.toThrow();
      await store.findAccessToken('none');
      await store.insertCallRecords([]);
      await store.ping();
      expect(heard.map(({ operation, failed }) => [operation, failed])).toEqual([
        ['SELECT', false],
        ['DELETE', false],
        ['OTHER', false],
        ['UPDATE', false],
        ['OTHER', false],
        ['OTHER', true],
        ['SELECT', false],
        ['INSERT', false],
        ['SELECT', false],
      ]);
      for (const { milliseconds } of heard) expect(milliseconds).toBeGreaterThan(0);
    } finally {
      await store.close();
    }
  });

  test('have their wait for a connection measured, if there is a server', async () => {
    if (given.dialect === 'sqlite') {
      expect(given.store.connections).toBeUndefined();
      return;
    }
    const open = Promise.withResolvers<void>();
    const held = given.store.db.connection().execute(() => open.promise);
    await expect.poll(() => given.store.connections?.()).toMatchObject({ max: 10, used: 1, waiting: 0 });
    open.resolve();
    await held;
    expect(given.store.connections?.()).toMatchObject({ used: 0, idle: 1 });
  });
});
