import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { purgeOnce } from '../../server/base/store/purge.ts';
import { describeConnect } from '../server/connect/support.ts';

const NAME = 'ada-lovelace-1815';

describeConnect('an attacker with the database files', (given) => {
  async function filesHold(texts: readonly string[]): Promise<string[]> {
    const path = given.databaseUrl.replace(/^sqlite:/, '');
    const files = await Promise.all(['', '-wal', '.calls', '.calls-wal'].map((suffix) => readFile(path + suffix)));
    return texts.filter((text) => files.some((file) => file.includes(text)));
  }

  async function connectUser(): Promise<string[]> {
    await given.connected('library', NAME, { 'credential-0': 'good-key-1' });
    const row = await given.store.db
      .selectFrom('connections')
      .select(['sealed_credential', 'user_id'])
      .executeTakeFirstOrThrow();
    const traces = [NAME, row.user_id, row.sealed_credential ?? ''];
    expect(await filesHold(traces)).toEqual(traces);
    return traces;
  }

  async function removeUser(): Promise<void> {
    const authorization = `Basic ${Buffer.from(`acme:${given.secret}`).toString('base64')}`;
    const { status } = await given.send(`/api/partner/users/${NAME}`, { method: 'DELETE', headers: { authorization } });
    expect(status).toBe(204);
  }

  test('finds no row of a user that the partner removed', async () => {
    await given.connected('library', NAME, { 'credential-0': 'good-key-1' });
    await removeUser();
    for (const table of ['users', 'connections', 'connection_attempts', 'oauth_grants'] as const) {
      expect(await given.store.db.selectFrom(table).selectAll().execute()).toEqual([]);
    }
  });

  if (given.dialect === 'postgres') return;

  test('finds neither the id nor the credential of that user in the database files', async () => {
    const traces = await connectUser();
    await removeUser();
    expect(await filesHold(traces)).toEqual([]);
  });

  test('finds no credential of a removed connection after the next purge', async () => {
    const [, , sealed = ''] = await connectUser();
    await sql`delete from connections`.execute(given.store.db);
    const failures: unknown[] = [];
    const onError = (error: unknown) => failures.push(error);
    const purging = { store: given.store, rules: [], now: () => given.now, onPurged: () => {}, onError };
    await purgeOnce(purging, new AbortController().signal);
    expect([failures, await filesHold([sealed])]).toEqual([[], []]);
  });
});
