/** Undoes the content codings of an answer (RFC 9110 §8.4), within a limit. */

import { promisify } from 'node:util';
import { brotliDecompress, constants, gunzip, inflate, inflateRaw } from 'node:zlib';

/** `Accept-Encoding` of every request: what `decodeContent` reads. */
export const ACCEPTED_CODINGS = 'gzip, deflate, br';

/** No legitimate answer has more codings. */
const MAX_CODINGS = 5;

/** A truncated error body is decoded as far as possible. */
const LENIENT = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const LENIENT_BROTLI = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH };

type Decoder = (body: Buffer, options: { maxOutputLength: number; lenient: boolean }) => Promise<Buffer>;

const gunzipped = promisify(gunzip);
const inflated = promisify(inflate);
const rawInflated = promisify(inflateRaw);
const unbrotlied = promisify(brotliDecompress);

const fromGzip: Decoder = (body, { lenient, maxOutputLength }) =>
  gunzipped(body, { maxOutputLength, ...(lenient ? LENIENT : {}) });

/** Some servers send raw deflate instead of the zlib format (RFC 9110 §8.4.1.2, note). */
const fromDeflate: Decoder = (body, { lenient, maxOutputLength }) =>
  ((body[0] ?? 0) & 0x0f) === 0x08
    ? inflated(body, { maxOutputLength, ...(lenient ? LENIENT : {}) })
    : rawInflated(body, { maxOutputLength, ...(lenient ? LENIENT : {}) });

const fromBrotli: Decoder = (body, { lenient, maxOutputLength }) =>
  unbrotlied(body, { maxOutputLength, ...(lenient ? LENIENT_BROTLI : {}) });

const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: fromGzip,
  'x-gzip': fromGzip,
  deflate: fromDeflate,
  br: fromBrotli,
};

/**
 * Decodes a whole body. An unknown coding leaves the bytes as they are, as in browsers.
 *
 * @param options.limit on the decoded bytes, also between two codings.
 * @param options.cut true for an error body, of which a part is enough: one over the limit or broken becomes empty.
 * @returns null when the decoded body is larger than the limit.
 * @throws zlib's error for a body not in its coding.
 */
export async function decodeContent(
  body: Buffer,
  options: { coding: string; limit: number; cut: boolean },
): Promise<Buffer | null> {
  const codings = options.coding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > MAX_CODINGS) throw new Error('too many content codings');
  let decoded = body;
  try {
    for (const coding of codings.reverse()) {
      const decode = Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined;
      if (decode === undefined) return decoded;
      decoded = await decode(decoded, { maxOutputLength: options.limit, lenient: options.cut });
    }
    return decoded;
  } catch (error) {
    if (options.cut) return Buffer.alloc(0);
    if (error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') return null;
    throw error;
  }
}
