import { describe, expect, test } from 'vitest';
import { insertAccessToken } from '../../../../server/base/store/repositories/access-tokens.ts';
import { givenApp } from '../../app-server.ts';
import { tokenFor } from '../store/fixtures.ts';

const given = givenApp();

describe('a request about a row that was removed meanwhile', () => {
  test('is 404, not a server error', async () => {
    await given.start();
    given.page = async () => {
      await insertAccessToken(given.store.db, tokenFor('nobody'));
    };
    const answer = await given.send('/page');
    expect([answer.status, await answer.json()]).toEqual([
      404,
      { error: 'not_found', error_description: 'What this request refers to was removed in the meantime.' },
    ]);
    expect(given.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
