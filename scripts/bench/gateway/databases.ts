/** Databases on a PostgreSQL server that exist for one run. */

import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** Makes an empty database on the server that the address names. */
export async function createPostgresDatabase(serverUrl: string): Promise<{ url: string; remove(): Promise<void> }> {
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
