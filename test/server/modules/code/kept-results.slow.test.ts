import { expect, test, vi } from 'vitest';
import { describeUserPage } from '../me/support.ts';
import { codeOf, handleOf, KEEP, PROGRAM_SETTINGS, permission, resultOf, stepsOf, textsOf } from './in-gateway.ts';

vi.setConfig({ testTimeout: 60_000 });

describeUserPage(
  'results that programs keep',
  (given) => {
    const { allow, run, select } = stepsOf(given);

    test('of more than 1 MiB are for programs and read_kept, without a link to read it whole', async () => {
      const token = await allow();
      const answer = await run(token, 'return "x".repeat(1_100_000)');
      expect(answer.body.result.content).toHaveLength(1);
      const handle = handleOf(answer);
      const { error } = (await given.ask(token, 'resources/read', { uri: `kept://results/${handle}` })).body;
      expect(error).toMatchObject({ code: -32_602, message: expect.stringContaining('read_kept') });
      expect(resultOf(await run(token, `return (await kept("${handle}")).length`))).toBe(1_100_000);
    });

    test('are kept again where a selection of them is too large', async () => {
      const token = await allow();
      const first = handleOf(await run(token, KEEP));
      const answer = await select(token, { handle: first, where: { id: { less: 1_500 } } });
      expect(textsOf(answer)[0]).toMatch(/^The result has \d+ bytes, and 55000 fit\. .* read_kept selects from it/);
      const second = handleOf(answer);
      expect(second).not.toBe(first);
      expect(resultOf(await select(token, { handle: second, aggregate: { count: true } }))).toMatchObject({
        count: 1_500,
      });
    });

    test('are for the same grant under the same access alone', async () => {
      const { token, grantId } = await given.allow('Cursor', { permission: permission({}) });
      const handle = handleOf(await run(token, KEEP));
      const args = { handle, where: { id: 1 }, fields: ['id'] };
      const flipped = `${handle.slice(0, -2)}${handle.at(-2) === 'A' ? 'B' : 'A'}${handle.at(-1)}`;
      for (const other of [await allow(), (await given.allow('Zed', { permission: permission({}) })).token]) {
        expect(codeOf(await select(other, args))).toBe('not_found');
      }
      expect(codeOf(await select(token, { ...args, handle: flipped }))).toBe('not_found');
      expect(resultOf(await select(token, args))).toEqual([{ id: 1 }]);
      const narrow = (changes: object) =>
        given.store.db
          .updateTable('oauth_grants')
          .set({ permission: permission(changes) as never })
          .where('id', '=', grantId)
          .execute();
      for (const changes of [{ pins: { library: { id: 'mine' } } }, { without: ['library_find'] }]) {
        await narrow(changes);
        expect(codeOf(await select(token, args))).toBe('not_found');
      }
      expect(codeOf(await run(token, `return await kept("${handle}")`))).toBe('not_found');
      await narrow({});
      expect(resultOf(await select(token, args))).toEqual([{ id: 1 }]);
      const [row] = await given.store.db.selectFrom('kept_by_code').selectAll().execute();
      await given.store.db
        .updateTable('kept_by_code')
        .set({ sealed: `${row?.sealed.slice(0, -4)}AAAA` })
        .execute();
      expect(codeOf(await select(token, args))).toBe('not_found');
    });

    test('are at most ten of a user', async () => {
      const token = await allow();
      const keep = async () => {
        given.now += 1;
        return handleOf(await run(token, 'return "x".repeat(60000)'));
      };
      const { db } = given.store;
      const oldest = await keep();
      const row = await db.selectFrom('kept_by_code').selectAll().executeTakeFirstOrThrow();
      given.now += 1;
      const others = Array.from({ length: 8 }, (_, at) => ({ ...row, id: `${row.id}${at}`, created_at: given.now }));
      await db.insertInto('kept_by_code').values(others).execute();
      const second = await keep();
      await keep();
      expect(await db.selectFrom('kept_by_code').select('id').execute()).toHaveLength(10);
      expect(codeOf(await run(token, `return await kept("${oldest}")`))).toBe('not_found');
      expect(resultOf(await run(token, `return (await kept("${second}")).length`))).toBe(60_000);
    });
  },
  PROGRAM_SETTINGS,
);
