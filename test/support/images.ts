/** Small images, built byte by byte. */

import { crc32, deflateSync } from 'node:zlib';

/** A PNG of one colour. @param rgb one byte per channel. @param more chunks to insert before the image data. */
export function pngOf(
  width: number,
  height: number,
  { rgb = [10, 102, 194], more = [] }: { rgb?: readonly number[]; more?: readonly Buffer[] } = {},
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const row = Buffer.from([0, ...Array.from({ length: width }, () => rgb).flat()]);
  const data = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    ...more,
    pngChunk('IDAT', data),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

export function pngChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, checksum]);
}

/** The start of a JPEG: an application segment and the frame header. */
export function jpegHeadOf(width: number, height: number): Buffer {
  const frame = Buffer.from('ffc2001108000000000301220002110103110100', 'hex');
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'), frame]);
}

/** WebP images of one pixel, lossy and lossless. */
export const LOSSY_WEBP = Buffer.from('UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA/vuUAAA=', 'base64');
export const LOSSLESS_WEBP = Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64');

/** The start of an extended WebP. */
export function webpHeadOf(width: number, height: number, isAnimated = false): Buffer {
  const head = Buffer.from('RIFF0000WEBPVP8X\n\0\0\0\0\0\0\0\0\0\0\0\0\0', 'latin1');
  head.writeUInt8(isAnimated ? 2 : 0, 20);
  head.writeUIntLE(width - 1, 24, 3);
  head.writeUIntLE(height - 1, 27, 3);
  return head;
}
