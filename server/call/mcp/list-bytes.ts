/** The answer to `tools/list` as pieces of bytes: cached pieces, plain or compressed, and an end that is built per request. */

import { promisify } from 'node:util';
import { brotliCompress, constants, crc32, deflateRaw } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { ToolList } from '../tools/provider.ts';

/** Content codings of answers, in order of preference. */
const CODINGS = ['br', 'gzip'] as const;

type ContentCoding = (typeof CODINGS)[number];

/** Longer headers are ignored: a short one can ask for the same. */
const MAX_HEADER_LENGTH = 1000;

/**
 * Returns the content coding that a client prefers (RFC 9110 §12.5.3), or null if it prefers none. The client's weights decide, then the order of
 * `CODINGS`. An answer without a coding is always accepted: refusing `identity` would help no client.
 */
export function chooseCoding(acceptEncoding: string | readonly string[] | undefined): ContentCoding | null {
  if (typeof acceptEncoding !== 'string' || acceptEncoding.length > MAX_HEADER_LENGTH) return null;
  const known = codingByHeader.get(acceptEncoding);
  if (known !== undefined) return known === 'none' ? null : known;
  const coding = readAcceptEncoding(acceptEncoding);
  codingByHeader.set(acceptEncoding, coding ?? 'none');
  return coding;
}

/** Clients send few different headers. */
const codingByHeader = new LRUCache<string, ContentCoding | 'none'>({ max: 100 });

function readAcceptEncoding(acceptEncoding: string): ContentCoding | null {
  const weights = new Map(acceptEncoding.toLowerCase().split(',').map(readWeight));
  const weightOf = (coding: string): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const [best] = CODINGS.toSorted((a, b) => weightOf(b) - weightOf(a));
  const least = weights.get('identity') ?? 0;
  return best !== undefined && weightOf(best) > 0 && weightOf(best) >= least ? best : null;
}

function readWeight(item: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = item.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  const value = weight === undefined ? 1 : Number(weight.slice(2));
  const isValid = value >= 0 && value <= 1;
  const name = coding === 'x-gzip' ? 'gzip' : coding;
  return [name, isValid ? value : 0];
}

/** Returns the pieces of an answer. @param tail JSON that follows the list; the members of a JSON object are in any order. */
type ToListPieces = (list: ToolList, coding: ContentCoding | null, tail: string) => ListPieces;

/** The bytes to send, and their coding. */
interface ListPieces {
  readonly coding: ContentCoding | null;
  readonly pieces: readonly Uint8Array[];
}

/** A compressed stream up to a flush: whatever is appended continues it. */
interface CompressedHead {
  readonly bytes: Uint8Array;
  /** Length before compression. */
  readonly length: number;
  readonly checksum: number;
}

const HEAD = Buffer.from('{"result":{"tools":');
/** Smaller lists are not compressed. */
const MIN_COMPRESSED_BYTES = 1024;
/** Capacity of one uncompressed block in both formats. */
const MAX_TAIL_BYTES = 65_535;
/** The levels that save most for a second of work (of 10 and 12 levels). */
const BROTLI_QUALITY = 5;
const DEFLATE_LEVEL = 6;
/** RFC 1952 §2.3: deflate, no name, no time, unknown system. */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** RFC 7932 §9.2: ISLAST and ISLASTEMPTY. */
const BROTLI_END = Buffer.from([0x03]);

/**
 * Creates the source of list answers.
 *
 * A list is compressed once, in another thread, when a client first asks for that coding; until then it is sent uncompressed.
 * Compressed forms are kept as long as their list.
 */
export function createListPieces(): ToListPieces {
  const headsByCoding: Record<ContentCoding, WeakMap<ToolList, CompressedHead | null>> = {
    br: new WeakMap(),
    gzip: new WeakMap(),
  };

  const compressed = (list: ToolList, coding: ContentCoding): CompressedHead | null => {
    const head = headsByCoding[coding].get(list);
    if (head !== undefined) return head;
    headsByCoding[coding].set(list, null);
    compressHead(list, coding).then(
      (head) => headsByCoding[coding].set(list, head),
      () => headsByCoding[coding].delete(list),
    );
    return null;
  };

  return (list, coding, tail) => {
    const end = Buffer.from(tail, 'utf8');
    const isWorthIt = list.json.byteLength >= MIN_COMPRESSED_BYTES && end.byteLength <= MAX_TAIL_BYTES;
    const head = coding !== null && isWorthIt ? compressed(list, coding) : null;
    if (coding === null || head === null) return { coding: null, pieces: [HEAD, list.json, end] };
    return { coding, pieces: coding === 'gzip' ? endGzip(head, end) : endBrotli(head, end) };
  };
}

async function compressHead(list: ToolList, coding: ContentCoding): Promise<CompressedHead> {
  const plain = Buffer.concat([HEAD, list.json]);
  const bytes =
    coding === 'gzip'
      ? await promisify(deflateRaw)(plain, { level: DEFLATE_LEVEL, finishFlush: constants.Z_SYNC_FLUSH })
      : await promisify(brotliCompress)(plain, {
          finishFlush: constants.BROTLI_OPERATION_FLUSH,
          params: {
            [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
            [constants.BROTLI_PARAM_SIZE_HINT]: plain.byteLength,
          },
        });
  return { bytes, length: plain.byteLength, checksum: coding === 'gzip' ? crc32(plain) : 0 };
}

/** Ends the stream with one stored block (RFC 1951 §3.2.4), checksum and length (RFC 1952 §2.3.1). */
function endGzip(head: CompressedHead, tail: Uint8Array): Uint8Array[] {
  const block = Buffer.alloc(5);
  block.writeUInt8(1, 0);
  block.writeUInt16LE(tail.byteLength, 1);
  block.writeUInt16LE(~tail.byteLength & 0xffff, 3);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(tail, head.checksum), 0);
  trailer.writeUInt32LE((head.length + tail.byteLength) % 2 ** 32, 4);
  return [GZIP_HEADER, head.bytes, Buffer.concat([block, tail, trailer])];
}

/** Ends the stream with one uncompressed meta-block and the empty last one (RFC 7932 §9.2). */
function endBrotli(head: CompressedHead, tail: Uint8Array): Uint8Array[] {
  // From the lowest bit on: ISLAST 0, MNIBBLES 0 (four nibbles), MLEN - 1, ISUNCOMPRESSED 1, padded to a byte.
  const header = ((tail.byteLength - 1) << 3) | (1 << 19);
  const block = Buffer.from([header & 0xff, (header >> 8) & 0xff, (header >> 16) & 0xff]);
  return [head.bytes, Buffer.concat([block, tail, BROTLI_END])];
}
