/** Reads type and size of an image from its first bytes. Its name and the sender's media type are ignored. */

import type { LogoType } from '../../base/store/repositories/partners.ts';

/** Type and size from the header; sides in pixels. */
interface ImageHeader {
  readonly type: LogoType;
  readonly width: number;
  readonly height: number;
  readonly isAnimated: boolean;
}

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** Reads the header of a PNG, JPEG or WebP image. @returns null for anything else, and for a truncated header. */
export function readImageHeader(bytes: Buffer): ImageHeader | null {
  if (bytes.subarray(0, 8).equals(PNG_SIGNATURE)) return readPng(bytes);
  if (bytes.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex'))) return readJpeg(bytes);
  const isWebp = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';
  return isWebp && bytes.length >= 30 ? readWebp(bytes) : null;
}

/** PNG 3rd edition §5: chunks of length, type, data and checksum. `acTL` before the image data makes it an animation. */
function readPng(bytes: Buffer): ImageHeader | null {
  if (bytes.length < 33 || bytes.toString('latin1', 12, 16) !== 'IHDR') return null;
  let isAnimated = false;
  for (let at = 8; at + 8 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const chunk = bytes.toString('latin1', at + 4, at + 8);
    isAnimated ||= chunk === 'acTL';
    if (chunk === 'IDAT') break;
  }
  return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), isAnimated };
}

/** ITU T.81 §B.1.1: segments of marker, length and parameters, up to the frame header (SOF), which holds the size. */
function readJpeg(bytes: Buffer): ImageHeader | null {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes.readUInt8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      const height = bytes.readUInt16BE(at + 5);
      const width = bytes.readUInt16BE(at + 7);
      return { type: 'image/jpeg', width, height, isAnimated: false };
    }
    if (marker === 0xda) return null;
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

/**
 * Reads the header of a WebP image (RFC 9649 §2.5 to §2.7). Its frame is lossy or lossless, or it has the extended format, which is the only format
 * that can be animated.
 */
function readWebp(bytes: Buffer): ImageHeader | null {
  const type = 'image/webp';
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ': {
      if (bytes.toString('hex', 23, 26) !== '9d012a') return null;
      const width = bytes.readUInt16LE(26) & 0x3fff;
      const height = bytes.readUInt16LE(28) & 0x3fff;
      return { type, width, height, isAnimated: false };
    }
    case 'VP8L': {
      if (bytes[20] !== 0x2f) return null;
      const sizeBits = bytes.readUInt32LE(21);
      return { type, width: (sizeBits & 0x3fff) + 1, height: ((sizeBits >>> 14) & 0x3fff) + 1, isAnimated: false };
    }
    case 'VP8X': {
      const width = bytes.readUIntLE(24, 3) + 1;
      const height = bytes.readUIntLE(27, 3) + 1;
      return { type, width, height, isAnimated: (bytes.readUInt8(20) & 0x02) !== 0 };
    }
    default:
      return null;
  }
}
