import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readImageHeader } from '../../../../server/modules/branding/image.ts';
import { MAX_LOGO_BYTES, parseLogo } from '../../../../server/modules/branding/logo.ts';
import { jpegHeadOf, LOSSLESS_WEBP, LOSSY_WEBP, pngChunk, pngOf, webpHeadOf } from '../../../support/images.ts';
import { numRuns } from '../../../support/num-runs.ts';

const animation = pngChunk('acTL', Buffer.alloc(8));
const still = { isAnimated: false };

describe('the header of an image', () => {
  test.each([
    ['PNG', pngOf(3, 2), { type: 'image/png', width: 3, height: 2, ...still }],
    ['animated PNG', pngOf(3, 2, { more: [animation] }), { type: 'image/png', width: 3, height: 2, isAnimated: true }],
    ['JPEG', jpegHeadOf(640, 480), { type: 'image/jpeg', width: 640, height: 480, ...still }],
    ['lossy WebP', LOSSY_WEBP, { type: 'image/webp', width: 1, height: 1, ...still }],
    ['lossless WebP', LOSSLESS_WEBP, { type: 'image/webp', width: 1, height: 1, ...still }],
    ['extended WebP', webpHeadOf(1024, 70_000), { type: 'image/webp', width: 1024, height: 70_000, ...still }],
    ['animated WebP', webpHeadOf(5, 6, true), { type: 'image/webp', width: 5, height: 6, isAnimated: true }],
  ])('of a %s gives its type and size', (_title, bytes, header) => {
    expect(readImageHeader(bytes)).toEqual(header);
  });

  test.each([
    ['a page', Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['a GIF', Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1')],
    ['a JPEG without a frame', Buffer.from('ffd8ffda0002', 'hex')],
    ['nothing', Buffer.alloc(0)],
  ])('is not found in %s', (_title, bytes) => {
    expect(readImageHeader(bytes)).toBeNull();
  });

  test('is read or refused, whatever follows the first bytes', () => {
    const starts = [pngOf(1, 1), jpegHeadOf(1, 1), LOSSY_WEBP, LOSSLESS_WEBP, webpHeadOf(1, 1)];
    const start = fc
      .constantFrom(...starts)
      .chain((bytes) => fc.nat(bytes.length).map((end) => bytes.subarray(0, end)));
    fc.assert(
      fc.property(start, fc.uint8Array({ maxLength: 80 }), (head, rest) => {
        const header = readImageHeader(Buffer.concat([head, rest]));
        expect(header === null || Number.isInteger(header.width * header.height)).toBe(true);
      }),
      { numRuns: numRuns(2000) },
    );
  });
});

describe('a logo', () => {
  test('is recognised by its bytes', () => {
    const bytes = pngOf(2, 2);
    expect(parseLogo(bytes)).toEqual({ type: 'image/png', bytes, hash: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(parseLogo(bytes, 'image/png').hash).not.toBe(parseLogo(pngOf(2, 3)).hash);
  });

  test.each([
    ['is not an image', Buffer.from('<html>'), undefined, 'not a PNG, JPEG or WebP image. Save it as one'],
    ['was sent as another type', pngOf(1, 1), 'image/webp', 'is image/png, and was sent as image/webp. Send it with'],
    ['moves', webpHeadOf(5, 5, true), undefined, 'animated. Save a single frame'],
    ['is wide', jpegHeadOf(1025, 1), undefined, '1025 x 1 pixels. Save it with 1 x 1 to 1024 x 1024'],
    ['is empty', jpegHeadOf(0, 1), undefined, '0 x 1 pixels'],
    ['is large', Buffer.alloc(MAX_LOGO_BYTES + 1), undefined, '65537 bytes. Save it with at most 65536'],
  ])('that %s is refused', (_title, bytes, declared, message) => {
    expect(() => parseLogo(bytes, declared)).toThrow(message);
  });
});
