import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { openSandbox } from '../../sandbox/index.ts';
import { ask, startBookshop } from './support.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const KEYS = { authorization: 'Bearer key', 'x-api-token': 'key', 'x-api-key': 'key' };

test('writes are refused when there is no room for more', async () => {
  const other = await openSandbox({ root: ROOT, world: 2, services: ['retrieval'] });
  const body = JSON.stringify({ data: 'x'.repeat(9_000_000) });
  const headers = { ...KEYS, 'content-type': 'application/json' };
  const statuses: number[] = [];
  for (let sent = 0; sent < 6; sent += 1) {
    const response = await fetch(`${other.origin}/retrieval/documents/raw`, { method: 'POST', headers, body });
    await response.arrayBuffer();
    statuses.push(response.status);
  }
  await other.close();
  expect(statuses).toEqual([201, 201, 201, 201, 201, 507]);
});

test('the request log drops the oldest requests', async () => {
  const sandbox = await startBookshop();
  for (let at = 0; at < 510; at += 1) await ask(sandbox, `/books/${at + 1}`);
  expect(sandbox.requests()).toHaveLength(500);
  expect(sandbox.requests()[0]?.url).toBe('/bookshop/api/v2/books/11');
  await sandbox.close();
});
