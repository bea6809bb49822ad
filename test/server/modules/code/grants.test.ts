import { expect, test, vi } from 'vitest';
import { createSealedCache } from '../../../../server/base/sealed-cache.ts';
import { setWritingStopped } from '../../../../server/base/store/repositories/switches.ts';
import { keyBytes } from '../../../support/keys.ts';
import { someOf } from '../../../support/some-of.ts';
import { createPrincipal } from '../../call/tools/support.ts';
import { describeUserPage, type UserPageUnderTest } from '../me/support.ts';
import { codeOf, handleOf, KEEP, PROGRAM_SETTINGS, permission, resultOf, stepsOf, textsOf } from './in-gateway.ts';

vi.setConfig({ testTimeout: 60_000 });

/** Works for nearly two seconds between its calls. */
const SLOWLY = `for (let i = 0; i < 190; i += 1) { await library.find(); for (const at = Date.now(); Date.now() - at < 10; ); }
return "all"`;

async function decideAll(given: UserPageUnderTest, decision: 'approve' | 'deny'): Promise<number> {
  const { body } = await given.api('GET', '../approvals');
  for (const { id, digest } of body.approvals) {
    const { status } = await given.api('POST', `../approvals/${id}/decision`, { decision, digest });
    expect(status).toBe(200);
  }
  return body.approvals.length;
}

describeUserPage(
  'programs of a client',
  (given) => {
    const { allow, run, select } = stepsOf(given);

    test('are for clients whose list has the mode code; others know of no such tool', async () => {
      const token = await allow();
      expect(await given.tools(token)).toEqual(['describe_tools', 'read_kept', 'run_code', 'search_tools']);
      const other = (await given.allow('Claude')).token;
      expect(await given.tools(other)).not.toContain('run_code');
      expect((await run(other, 'return 1')).body.error).toMatchObject({
        code: -32602,
        message: /^Unknown tool: run_code/,
      });
    });

    test('call the tools of the grant, and record each call under the id of the request', async () => {
      const token = await allow();
      const answer = await run(token, 'return [await library.find(), await library.lend()]');
      expect(resultOf(answer)).toMatchObject([{ done: true }, { done: true }]);
      const id = answer.headers.get('x-request-id');
      const recorded = () =>
        given.store.db.selectFrom('call_records').select(['tool', 'outcome', 'request_id']).orderBy('tool').execute();
      await expect
        .poll(recorded, { timeout: 5_000 })
        .toEqual(['library_find', 'library_lend'].map((tool) => ({ tool, outcome: 'ok', request_id: id })));
    });

    test.each<[string, object, object, string, string]>([
      ['a service that was left out', { without: ['library/*'] }, {}, 'library.find()', 'ReferenceError'],
      ['a tool that was left out', { without: ['library_find'] }, {}, 'library.find()', 'is no tool'],
      ['a tool outside of a frozen grant', { only: ['library_lend'] }, {}, 'library.find()', 'is no tool'],
      ['a tool that destroys', { destructive: false }, {}, 'library.burn({ id: "1" })', 'is no tool'],
      ['another service', {}, { services: ['archive'] }, 'library.find()', 'ReferenceError'],
    ])('have nothing of %s', async (_title, changes, grant, code, words) => {
      const answer = await run(await allow(changes, grant), `await ${code}`);
      expect(answer.body.result.isError).toBe(true);
      expect(textsOf(answer)[0]).toContain(words);
      expect(given.writes).toBe(0);
    });

    test('cannot write with a token that only reads', async () => {
      const token = await allow({}, { scopes: ['tools:read'] });
      expect(codeOf(await run(token, 'return await library.lend()'))).toBe('insufficient_scope');
      expect([given.writes, resultOf(await run(token, 'return await library.find()'))]).toMatchObject([
        0,
        { done: true },
      ]);
    });

    test('cannot change a pinned argument, nor see that it is there', async () => {
      const token = await allow({ pins: { library: { id: 'mine' } } });
      const described = await given.call(token, 'describe_tools', { names: ['library_burn'] });
      expect(textsOf(described)[0]).not.toMatch(/\bid\b/);
      await run(token, 'await library.burn({ id: "other" })');
      await run(token, 'await library.burn()');
      const { body } = await given.api('GET', '../approvals');
      expect(body.approvals).toMatchObject([{ arguments: [{ name: 'id', value: '"mine"' }] }]);
      expect(JSON.stringify(body)).not.toContain('other');
    });

    test('end with the access of their client, in the middle', async () => {
      const { token, grantId } = await given.allow('Cursor', { permission: permission({}) });
      const running = run(token, SLOWLY);
      await new Promise((resolve) => setTimeout(resolve, 150));
      expect((await given.api('DELETE', `alice/grants/${grantId}`)).status).toBeLessThan(300);
      expect(codeOf(await running)).toBe('access_ended');
    });

    test('end where the service is disconnected in the middle, with the words of the tool', async () => {
      const running = run(await allow(), SLOWLY);
      await new Promise((resolve) => setTimeout(resolve, 150));
      await given.store.db.deleteFrom('connections').where('service', '=', 'library').execute();
      const answer = await running;
      expect([codeOf(answer), textsOf(answer)[0]]).toEqual([
        'not_connected',
        expect.stringMatching(/^Line 1: Library is not connected for this user\./),
      ]);
    });

    test('write nothing while the operator has stopped that', async () => {
      const token = await allow();
      await given.store.db.transaction().execute((tx) => setWritingStopped(tx, true, { now: given.now }));
      const code =
        'const book = await library.find();\ntry { await library.lend() } catch (e) { return [book.done, e.code] }';
      expect([resultOf(await run(token, code)), given.writes]).toEqual([[true, 'writing_stopped'], 0]);
    });

    test('have a limit of their own, and not that of calls from outside', async () => {
      const token = await allow();
      const code = 'let n = 0; try { for (;;) { await library.find(); n += 1 } } catch (e) { return [n, e.code] }';
      expect(resultOf(await run(token, code))).toEqual([200, 'too_many_calls']);
      expect((await given.call(token, 'search_tools', {})).body.result.isError).toBeUndefined();
    });

    test('ask for approvals together, and make exactly those calls once they are given', async () => {
      const token = await allow();
      const code = 'for (const id of ["1", "2", "3"]) await library.burn({ id });\nreturn "asked"';
      const answer = await run(token, code);
      expect([resultOf(answer), given.writes]).toEqual(['asked', 0]);
      expect(textsOf(answer)[1]).toMatch(
        /^3 calls wait for the approval of the user, and nothing of that was sent: library_burn\. Tell the user, who decides at http\S+\/me\/approvals\. Then call run_code with/,
      );
      const resume = handleOf(answer);
      const early = await given.call(token, 'run_code', { resume });
      expect([resultOf(early), given.writes]).toEqual([[], 0]);
      const later = handleOf(early);
      expect(await decideAll(given, 'approve')).toBe(3);
      for (const handle of [resume, 'kept_AAAAAAAAAAAAAAAAAAAAAA', 'x']) {
        expect(codeOf(await given.call(token, 'run_code', { resume: handle }))).toBe('not_found');
      }
      const other = await allow();
      expect(codeOf(await given.call(other, 'run_code', { resume: later }))).toBe('not_found');
      const [first, second] = await Promise.all(
        [later, later].map((handle) => given.call(token, 'run_code', { resume: handle })),
      );
      expect([first!, second!].filter(({ body }) => body.result.isError !== true)).toHaveLength(1);
      expect(given.writes).toBe(3);
    });

    test('say what was denied', async () => {
      const token = await allow();
      const resume = handleOf(await run(token, 'await library.burn({ id: "1" })'));
      await decideAll(given, 'deny');
      const [result] = resultOf(await given.call(token, 'run_code', { resume })) as { error: { code: string } }[];
      expect([result?.error.code, given.writes]).toEqual(['denied_by_user', 0]);
    });

    test('stop where they need the answer of a call that waits, and keep the call', async () => {
      const token = await allow();
      const answer = await run(
        token,
        'await library.find();\nconst burnt = await library.burn({ id: "1" });\nreturn burnt.done',
      );
      expect([codeOf(answer), textsOf(answer)[0]]).toEqual([
        'awaiting_approval',
        'Line 3: library_burn in line 2 waits for the approval of the user, and the program needs its answer.',
      ]);
      await decideAll(given, 'approve');
      expect(resultOf(await given.call(token, 'run_code', { resume: handleOf(answer) }))).toMatchObject([
        { tool: 'library_burn', answer: { done: true } },
      ]);
      expect(given.writes).toBe(1);
    });

    test('say what took effect before they failed', async () => {
      const answer = await run(await allow(), 'await library.lend();\nnull.x');
      expect(textsOf(answer)[0]).toMatch(/^Line 2: TypeError: .* One call that writes took effect before that/);
    });

    test('keep a result that is too large for ten minutes, for the same grant alone', async () => {
      const token = await allow();
      const answer = await run(token, 'return Array.from({ length: 8000 }, (_, id) => ({ id }))');
      expect(textsOf(answer)[0]).toMatch(/^The result has 9\d{4} bytes, and 55000 fit\./);
      const handle = handleOf(answer);
      const read = `const all = await kept(${JSON.stringify(handle)}); return [all.length, all.at(-1)]`;
      expect(resultOf(await run(token, read))).toEqual([8_000, { id: 7_999 }]);
      expect(codeOf(await run(await allow(), read))).toBe('not_found');
      const uri = `kept://results/${handle}`;
      const asResource = async (by: string) => (await given.ask(by, 'resources/read', { uri })).body;
      const [content] = (await asResource(token)).result.contents;
      expect(content).toMatchObject({ uri, mimeType: 'application/json' });
      expect(JSON.parse(content.text)).toHaveLength(8_000);
      expect((await asResource(await allow())).error).toMatchObject({ code: -32_602 });
      const rows = await given.store.db.selectFrom('kept_by_code').selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain(handle);
      given.now += 600_001;
      expect(codeOf(await run(token, read))).toBe('not_found');
      expect((await asResource(token)).error).toMatchObject({ code: -32_602 });
    });

    test.each<[string, object, unknown, string?]>(
      someOf<[string, object, unknown, string?]>([
        [
          'where',
          { where: { name: { contains: 'k 123' }, price: { less: 900 } }, fields: ['id'] },
          [123, 1_230, 1_231, 1_232, 1_233, 1_234].map((id) => ({ id })),
          'Looked at 2000 items: 6 match.',
        ],
        [
          'sort, fields and maxItems',
          { sort: '-price', fields: ['price', 'shelf.row'], maxItems: 2 },
          [
            { price: 1_999, shelf: { row: 0 } },
            { price: 1_998, shelf: { row: 0 } },
          ],
          'Looked at 2000 items: 2000 match, and these are the first 2.',
        ],
        [
          'aggregate',
          { where: { id: { less: 6 } }, aggregate: { sum: 'id', by: 'shelf.row' } },
          expect.objectContaining({ count: 6, sum: 15 }),
        ],
      ]),
    )('keep a result from which read_kept selects by %s', async (_title, args, want, note) => {
      const token = await allow();
      const answer = await select(token, { handle: handleOf(await run(token, KEEP)), ...args });
      expect(resultOf(answer)).toEqual(want);
      if (note !== undefined) expect(textsOf(answer)[1]).toBe(note);
    });

    test.each<[string, string, object, string]>(
      someOf<[string, string, object, string]>(
        [
          [
            'an unknown operator',
            'return [{ id: 1 }, "x".repeat(60000)]',
            { where: { id: { regex: 'x' } } },
            '"where"',
          ],
          ['a result without a list', 'return { text: "x".repeat(60000) }', { where: { id: 1 } }, 'has no list'],
          [
            'a result with two lists',
            'return { a: [1], b: ["x".repeat(60000)] }',
            { maxItems: 1 },
            'has several lists',
          ],
          [
            'a result of a great depth',
            'let deep = []; for (let i = 0; i < 1000; i += 1) deep = [deep]; return [deep, "x".repeat(60000)]',
            { where: { id: 1 } },
            'nested too deeply',
          ],
        ],
        1,
      ),
    )('are told what cannot be selected: %s', async (_title, code, args, words) => {
      const token = await allow();
      const answer = await select(token, { handle: handleOf(await run(token, code)), ...args });
      expect([codeOf(answer), textsOf(answer)[0]]).toEqual(['invalid_arguments', expect.stringContaining(words)]);
    });

    test('keep nothing for a token that is not of a grant with the mode code', async () => {
      const token = await allow();
      const handle = handleOf(await run(token, KEEP));
      const { body } = await select((await given.allow('Claude')).token, { handle });
      expect(body.error.message).toMatch(/^Unknown tool: read_kept/);
    });

    test('keep a result until the operator withholds more', async () => {
      await allow();
      const { id: userId } = await given.store.db.selectFrom('users').select('id').limit(1).executeTakeFirstOrThrow();
      const owner = createPrincipal({ userId });
      const keptUnder = (rules: readonly object[]) =>
        createSealedCache({
          ...{ db: given.store.db, keys: [{ id: 'k', key: keyBytes(3) }], now: () => given.now, rules },
          table: 'kept_by_code',
          prefix: 'kept_',
          maxPerUser: 10,
          threads: { run: () => Promise.reject(new Error('it is not long')) },
          budget: { waitSeconds: () => undefined },
        });
      const handle = await keptUnder([]).store(owner, { result: '[{"iban":"DE"}]' });
      expect(await keptUnder([]).read(owner, handle)).toEqual({ result: '[{"iban":"DE"}]' });
      const rule = { service: 'library', members: { iban: 'drop' } };
      expect(await keptUnder([rule]).read(owner, handle)).toBeUndefined();
    });

    test('have their waiting calls read by no one', async () => {
      const token = await allow();
      const resume = handleOf(await run(token, 'await library.burn({ id: "1" })'));
      expect(codeOf(await select(token, { handle: resume }))).toBe('not_found');
      expect(codeOf(await run(token, `return await kept("${resume}")`))).toBe('not_found');
    });
  },
  PROGRAM_SETTINGS,
);
