import { expect, test } from 'vitest';
import { describeStore } from '../server/base/store/dialects.ts';
import { startOnce } from '../server/call/tools/call/once/support.ts';
import { errorOf, textOf } from '../server/call/tools/support.ts';

const BATCH = 1_000;
const MAX_KEYS = 20_000;
const MAX_ANSWER_BYTES = 262_144;
const MAX_KEPT_BYTES = 16_777_216;

describeStore('a client that uses one idempotency key after another', (given) => {
  const kept = async () => {
    const rows = await given.store.db.selectFrom('calls_made_once').select(['answer_bytes', 'status']).execute();
    return { rows: rows.length, bytes: rows.reduce((sum, row) => sum + row.answer_bytes, 0) };
  };

  async function insertKeys(count: number, like: { answer_bytes: number; sealed_answer: string | null }) {
    const { db } = given.store;
    const row = await db.selectFrom('calls_made_once').selectAll().executeTakeFirstOrThrow();
    for (let from = 0; from < count; from += BATCH) {
      const length = Math.min(BATCH, count - from);
      const rows = Array.from({ length }, (_, index) => ({ ...row, ...like, key_hash: `key-${from + index}` }));
      await db.insertInto('calls_made_once').values(rows).execute();
    }
  }

  test('keeps a bounded number of keys, and still makes calls without a key', { timeout: 60_000 }, async () => {
    const once = await startOnce(given.store, (_, response) => response.end('{}'));
    await once.add('first');
    await insertKeys(MAX_KEYS - 1, { answer_bytes: 0, sealed_answer: null });
    expect(errorOf(await once.add('one more')).code).toBe('too_many_idempotency_keys');
    expect((await kept()).rows).toBe(MAX_KEYS);
    expect(textOf(await once.add('first'))).toBe('{}');
    expect((await once.add(null)).isError ?? false).toBe(false);
    const principal = { grantId: await once.grant() };
    expect((await once.add('one more', {}, { principal })).isError ?? false).toBe(false);
    expect(once.hits()).toBe(3);
    await once.close();
  });

  test('keeps no large answer, and none beyond the limit of a grant', async () => {
    let size = MAX_ANSWER_BYTES;
    const once = await startOnce(given.store, (_, response) => response.end(JSON.stringify({ a: 'x'.repeat(size) })), {
      resultTokens: 1_000_000,
    });
    expect((await once.add('large')).isError ?? false).toBe(false);
    expect(await kept()).toEqual({ rows: 1, bytes: 0 });
    expect(textOf(await once.add('large'))).toContain('took effect. Its answer was not kept.');
    await insertKeys(1, { answer_bytes: MAX_KEPT_BYTES, sealed_answer: null });
    size = 10;
    await once.add('small');
    expect(await kept()).toEqual({ rows: 3, bytes: MAX_KEPT_BYTES });
    expect(textOf(await once.add('small'))).toContain('took effect. Its answer was not kept.');
    expect(once.hits()).toBe(2);
    await once.close();
  });
});
