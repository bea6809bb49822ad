import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadLocalKeyRing } from '../../../server/credentials/key-ring.ts';

describe('key ring of a local run', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'utg-keys-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('is made once and then read, by this account only', async () => {
    const file = join(folder, 'data', 'encryption-keys');
    const made = loadLocalKeyRing(file);
    const read = loadLocalKeyRing(file);
    expect(made).toMatchObject({ created: true, keys: [{ id: 'local' }] });
    expect(made.keys[0]?.key).toHaveLength(32);
    expect(read).toEqual({ created: false, keys: made.keys });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'data'))).mode & 0o777).toBe(0o700);
  });

  test('differs between two places', () => {
    const first = loadLocalKeyRing(join(folder, 'a'));
    const second = loadLocalKeyRing(join(folder, 'b'));
    expect(first.keys[0]?.key).not.toEqual(second.keys[0]?.key);
  });

  test('is written as ENCRYPTION_KEYS takes it, and leaves no draft behind', async () => {
    const file = join(folder, 'encryption-keys');
    loadLocalKeyRing(file);
    expect(await readFile(file, 'utf8')).toMatch(/^local:[A-Za-z0-9+/]{43}=\n$/);
    expect(await readdir(folder)).toEqual(['encryption-keys']);
  });

  test('refuses a file that holds something else', async () => {
    const file = join(folder, 'encryption-keys');
    await writeFile(file, 'nonsense');
    expect(() => loadLocalKeyRing(file)).toThrow('entry 1 is not of the form id:base64');
  });
});
