import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStore, StoreUnavailableError } from '../../../../server/base/store/index.ts';
import { explainPostgres } from '../../../../server/base/store/unavailable.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'store-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a SQLite store that cannot be opened', () => {
  test('creates no folder for a path that may be mistyped', async () => {
    const path = join(folder, 'dta', 'gateway.sqlite');
    const message = `DATABASE_URL names ${path}, but there is no folder ${join(folder, 'dta')}: create it, or correct the path.`;
    await expect(openStore({ url: `sqlite:${path}` })).rejects.toThrow(new StoreUnavailableError(message));
  });

  test('reports that a file is not a database', async () => {
    const path = join(folder, 'notes.txt');
    await writeFile(path, 'no database, but long enough to be read as the header of one, which it is not');
    await expect(openStore({ url: `sqlite:${path}` })).rejects.toThrow(
      `DATABASE_URL names ${path}, which is not a SQLite database.`,
    );
  });

  test('reports that a path cannot be written', async () => {
    await expect(openStore({ url: `sqlite:${folder}` })).rejects.toThrow(
      `DATABASE_URL names ${folder}, which this account cannot write (SQLITE_CANTOPEN`,
    );
  });
});

describe('a PostgreSQL store that cannot be opened', () => {
  const URL_WITH_PASSWORD = 'postgres://gateway:geheim@127.0.0.1:1/gateway';

  test('is reported with its server, without a password', async () => {
    const error = await openStore({ url: URL_WITH_PASSWORD }).catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect((error as Error).message).toBe(
      'No PostgreSQL server answers at 127.0.0.1:1, which DATABASE_URL names (ECONNREFUSED).',
    );
  });

  test.each([
    ['28P01', 'PostgreSQL at 127.0.0.1:1 does not accept the user or password in DATABASE_URL.'],
    ['3D000', 'PostgreSQL at 127.0.0.1:1 has no database "gateway", which DATABASE_URL names.'],
    ['42501', 'PostgreSQL at 127.0.0.1:1, which DATABASE_URL names, refuses the connection (42501).'],
    ['57P03', 'No PostgreSQL server answers at 127.0.0.1:1, which DATABASE_URL names (57P03).'],
  ])('is explained for SQLSTATE %s', (code, message) => {
    const error = explainPostgres(URL_WITH_PASSWORD, Object.assign(new Error('geheim'), { code }));
    expect(error).toEqual(new StoreUnavailableError(message));
  });

  test('passes on errors that are not about connecting', () => {
    const error = Object.assign(new Error('relation "users" does not exist'), { code: '42P01' });
    expect(explainPostgres(URL_WITH_PASSWORD, error)).toBe(error);
  });
});
