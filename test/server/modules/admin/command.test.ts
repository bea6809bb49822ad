import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hashSecret } from '../../../../server/base/principal/secrets.ts';
import type { Store } from '../../../../server/base/store/index.ts';
import { createOperatorCommand } from '../../../../server/modules/admin/command.ts';
import { addOperator } from '../../../../server/modules/admin/operators.ts';
import {
  findOperator,
  findOperatorBySecret,
  insertOperatorSession,
} from '../../../../server/modules/admin/stored-operators.ts';
import { searchAuditEvents } from '../../../../server/modules/audit/search.ts';
import { loadModules } from '../../../../server/modules/index.ts';
import type { Output } from '../../../../shared/cli/output.ts';
import { openListeningStore } from '../../../support/listening.ts';
import { runWithSettings } from '../../../support/run-command.ts';
import { createSqliteDatabase } from '../../base/store/sqlite-database.ts';

let database: Awaited<ReturnType<typeof createSqliteDatabase>>;
let store: Store;
beforeEach(async () => {
  database = await createSqliteDatabase();
  store = await openListeningStore({ url: database.url });
});
afterEach(async () => {
  await store.close();
  await database.remove();
});

function run(...args: string[]) {
  const create = (output: Output) => createOperatorCommand(loadModules(), output);
  return runWithSettings({ DATABASE_URL: database.url }, create, args);
}

async function givenOperator(name: string): Promise<void> {
  const { db } = store;
  await db.transaction().execute((transaction) => addOperator(transaction, { name, role: 'look' }, { now: 1 }));
  const operator = (await findOperator(db, name))!;
  const now = Date.now();
  const session = { tokenHash: name, operatorId: operator.id, name, role: 'look', address: '203.0.113.7' } as const;
  await insertOperatorSession(db, { ...session, now, expiresAt: now + 600_000 });
}

const eventTypes = async () => (await searchAuditEvents(store.db, {}, 50)).map(({ type }) => type);

describe('npm run utg -- operator', () => {
  test('adds an operator, whose secret it prints once', async () => {
    const { code, output } = await run('add', '--name', 'ada', '--role', 'act');
    expect(code).toBe(0);
    const [secret = ''] = /utg_op_[A-Za-z0-9_-]{43}/.exec(output)!;
    expect(await findOperatorBySecret(store.db, hashSecret(store.db, secret))).toMatchObject({
      name: 'ada',
      role: 'act',
    });
    expect((await run('list')).output).toMatch(/^ada {2}act {2}added \d{4}-\d\d-\d\dT[\d:.]+Z$/m);
    expect(await eventTypes()).toEqual(['operator_added']);
  });

  test('replaces a secret, and ends its sessions', async () => {
    await givenOperator('ada');
    const { output } = await run('rotate-secret', '--name', 'ada');
    const [secret = ''] = /utg_op_[A-Za-z0-9_-]{43}/.exec(output)!;
    expect(await findOperatorBySecret(store.db, hashSecret(store.db, secret))).toMatchObject({
      name: 'ada',
      role: 'look',
    });
    expect((await run('sessions')).output).toContain('No one is signed in.');
  });

  test('changes a role and removes an operator', async () => {
    await givenOperator('ada');
    await run('set', '--name', 'ada', '--role', 'act');
    expect((await run('sessions')).output).toMatch(/^ada {2}act {2}since .* from 203\.0\.113\.7$/m);
    await run('revoke', '--name', 'ada');
    expect((await run('sessions')).output).toContain('No one is signed in.');
    expect((await eventTypes()).toSorted()).toEqual([
      'operator_added',
      'operator_changed',
      'operator_removed',
      'operator_session_ended',
    ]);
  });

  test('ends the sessions of one operator, or of all', async () => {
    for (const name of ['ada', 'grace', 'joan']) await givenOperator(name);
    expect((await run('end-sessions', '--name', 'ada')).output).toContain('Sessions that ended: 1');
    expect((await run('end-sessions')).output).toContain('Sessions that ended: 2');
  });

  test.each([
    [['add', '--name', 'Ada', '--role', 'act'], '--name must have'],
    [['add', '--name', 'ada@example.com', '--role', 'act'], '--name must have'],
    [['add', '--name', 'admin', '--role', 'act'], '--name is reserved for the operator who has ADMIN_SECRET'],
    [['add', '--name', 'ada', '--role', 'root'], '--role must be look or act'],
    [['revoke', '--name', 'ada'], 'There is no operator "ada"'],
  ])('%j is refused with the fix', async (args, problem) => {
    const { code, output } = await run(...args);
    expect([code, output]).toEqual([2, expect.stringContaining(problem)]);
  });

  test('does not add a name twice', async () => {
    await givenOperator('ada');
    expect(await run('add', '--name', 'ada', '--role', 'act')).toMatchObject({
      code: 2,
      output: expect.stringContaining('There is already an operator "ada".'),
    });
  });
});
