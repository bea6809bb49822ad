/** Creates databases that exist for one run. */

import { randomBytes } from 'node:crypto';
import path from 'node:path';
import pg from 'pg';

export interface EmptyDatabase {
  readonly url: string;
  remove(): Promise<void>;
}

/** Names a file that does not exist yet; it is removed with its folder. */
export function createSqliteDatabase(folder: string): EmptyDatabase {
  return { url: `sqlite:${path.join(folder, `${randomBytes(4).toString('hex')}.sqlite`)}`, remove: async () => {} };
}

/** Creates an empty database on the server at this address. */
export async function createPostgresDatabase(serverUrl: string): Promise<EmptyDatabase> {
  const name = `bench_${randomBytes(8).toString('hex')}`;
  await runStatement(serverUrl, `create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, remove: () => runStatement(serverUrl, `drop database ${name} with (force)`) };
}

async function runStatement(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
