/** Databases of their own on a server of PostgreSQL, for benchmarks and tests. */

import { randomBytes } from 'node:crypto';
import pg from 'pg';

/**
 * Creates a database on the server at this address, PostgreSQL 15 or later, which copies files: that takes a quarter of the time of its log.
 *
 * @param template the database that it is a copy of. Default: it is empty.
 */
export async function createPostgresDatabase(serverUrl: string, template = 'template1') {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await runStatement(serverUrl, `create database ${name} template ${template} strategy file_copy`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { name, url: url.href, remove: () => runStatement(serverUrl, `drop database ${name} with (force)`) };
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
