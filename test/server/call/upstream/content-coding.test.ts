import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeContent } from '../../../../server/call/upstream/answer.ts';

const TEXT = 'The same text again and again. '.repeat(50);
const plain = Buffer.from(TEXT);
const decode = (body: Buffer, coding: string, changes: { limit?: number; cut?: boolean } = {}) =>
  decodeContent(body, { coding, limit: 100_000, cut: false, ...changes });

describe('content codings', () => {
  it.each([
    ['gzip', gzipSync(plain)],
    ['x-gzip', gzipSync(plain)],
    ['GZIP', gzipSync(plain)],
    ['deflate', deflateSync(plain)],
    ['deflate', deflateRawSync(plain)],
    ['br', brotliCompressSync(plain)],
    ['identity', plain],
    ['gzip, br', brotliCompressSync(gzipSync(plain))],
    ['gzip, identity', gzipSync(plain)],
  ])('%s is decoded', async (coding, body) => {
    expect((await decode(body, coding))?.toString()).toBe(TEXT);
  });

  it('that are unknown leave the bytes unchanged', async () => {
    expect(await decode(plain, 'zstd')).toBe(plain);
    expect(await decode(plain, 'constructor')).toBe(plain);
  });

  it('of more bytes than the limit are rejected, or empty where a part is enough', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    expect(await decode(bomb, 'gzip')).toBeNull();
    expect(await decode(bomb, 'gzip', { cut: true })).toHaveLength(0);
    expect(await decode(gzipSync(plain), 'gzip', { limit: plain.byteLength })).toHaveLength(plain.byteLength);
  });

  it('that are truncated are an error, or decoded as far as possible where a part is enough', async () => {
    const cut = gzipSync(plain).subarray(0, -10);
    await expect(decode(cut, 'gzip')).rejects.toThrow();
    expect(TEXT.startsWith(String(await decode(cut, 'gzip', { cut: true })))).toBe(true);
  });

  it('in a chain of more than five are rejected', async () => {
    await expect(decode(plain, 'gzip,gzip,gzip,gzip,gzip,gzip')).rejects.toThrow('too many content codings');
  });
});
