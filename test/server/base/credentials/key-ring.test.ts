import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deriveModuleKeys, loadLocalKeyRing, parseKeyRing } from '../../../../server/base/credentials/key-ring.ts';

test('each module has keys of its own, none of which is that of the gateway', () => {
  const ring = [{ id: 'k-1', key: randomBytes(32) }];
  const keyOf = (module: string) => Buffer.from(deriveModuleKeys(ring, module)[0]?.key ?? []).toString('hex');
  const keys = ['webhooks', 'events', 'webhooks'].map(keyOf);
  expect(keys[0]).toHaveLength(64);
  expect(keys[2]).toBe(keys[0]);
  expect(new Set([...keys, ring[0]?.key.toString('hex')]).size).toBe(3);
});

describe('key ring of a local run', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'utg-keys-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('is created once and then read, only by this account', async () => {
    const file = join(folder, 'data', 'encryption-keys');
    const made = loadLocalKeyRing(file);
    const read = loadLocalKeyRing(file);
    expect(made).toMatchObject({ created: true, keys: [{ id: 'local' }] });
    expect(made.keys[0]?.key).toHaveLength(32);
    expect(read).toEqual({ created: false, keys: made.keys });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'data'))).mode & 0o777).toBe(0o700);
  });

  test('differs between two folders', () => {
    const first = loadLocalKeyRing(join(folder, 'a'));
    const second = loadLocalKeyRing(join(folder, 'b'));
    expect(first.keys[0]?.key).not.toEqual(second.keys[0]?.key);
  });

  test('is written in the form of ENCRYPTION_KEYS, and leaves no temporary file', async () => {
    const file = join(folder, 'encryption-keys');
    loadLocalKeyRing(file);
    expect(await readFile(file, 'utf8')).toMatch(/^local:[A-Za-z0-9+/]{43}=\n$/);
    expect(await readdir(folder)).toEqual(['encryption-keys']);
  });

  test('is refused if its file holds something else', async () => {
    const file = join(folder, 'encryption-keys');
    await writeFile(file, 'nonsense');
    expect(() => loadLocalKeyRing(file)).toThrow('entry 1 is not of the form id:base64');
  });

  test('is not created if the file cannot be read', () => {
    expect(() => loadLocalKeyRing(folder)).toThrow('EISDIR');
  });
});

describe('a key ring', () => {
  const [one, two] = ['q6XHqJ8Jb4Fkqg3sQJ7q4y0mZt8x2v5bYw1Lr9EoGdA=', 'Vn3k+O2dRz/7hYc1TgUeXm9pLs0AfJw5Bq8ZiNvCy4M='];
  const many = Buffer.from(Array.from({ length: 32 }, (_, index) => index * 7)).toString('base64');

  test('is a list of ids and keys, the current one first', () => {
    const ring = [
      { id: 'A-z_9', key: Buffer.from(one, 'base64') },
      { id: 'b'.repeat(32), key: Buffer.from(two, 'base64') },
    ];
    const url = two.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    expect(parseKeyRing(`A-z_9:${one}, ${'b'.repeat(32)}:${two}`)).toEqual(ring);
    expect(parseKeyRing(` A-z_9:${one},${'b'.repeat(32)}:${url} `)).toEqual(ring);
  });

  test.each([
    ['', 'entry 1 is not of the form id:base64'],
    [`a:${one},`, 'entry 2 is not of the form id:base64'],
    [one, 'entry 1 is not of the form id:base64'],
    [`:${one}`, 'entry 1 is not of the form id:base64'],
    ['a:', 'entry 1 is not of the form id:base64'],
    [`a b:${one}`, 'entry 1 is not of the form id:base64'],
    [`${'a'.repeat(33)}:${one}`, 'entry 1 is not of the form id:base64'],
    [`a:${one}==`, 'entry 1 is not of the form id:base64'],
    [`a:${one}!`, 'entry 1 is not of the form id:base64'],
    ['a:AAAA', 'entry 1 holds 3 bytes, a key has 32'],
    [`a:${one},b:${two.slice(0, -2)}AA`, 'entry 2 holds 33 bytes, a key has 32'],
    [
      `a:${Buffer.alloc(32, 1).toString('base64')}`,
      'entry 1 holds a weak key, which repeats a few bytes: create one with openssl rand -base64 32',
    ],
    [`a:${many}`, 'entry 1 holds a weak key, which is a sequence: create one with openssl rand -base64 32'],
    [
      `a:${Buffer.from('correct horse battery staple 123').toString('base64')}`,
      'entry 1 holds a weak key, which is a text: create one with openssl rand -base64 32',
    ],
    [`a:${one},a:${two}`, 'entry 2 repeats the id "a"'],
  ])('%j is invalid', (text, message) => {
    expect(() => parseKeyRing(text)).toThrow(new Error(message));
  });
});
