/** Reads request bodies: limited in size, of an expected media type, in UTF-8. */

import type { IncomingMessage } from 'node:http';
import { RequestError } from './errors.ts';
import { dropBody } from './faults/dropped-body.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** What a route accepts as its body. */
interface BodyOptions {
  readonly maxBytes: number;
  /** Accepted media types, lower case, without parameters. */
  readonly mediaTypes: readonly string[];
}

/**
 * Reads the body as text.
 *
 * @throws {RequestError} `payload_too_large` (413, after the rest was read and dropped; see `dropBody`),
 * `unsupported_media_type` (415: media type, charset or content coding), `invalid_request` (400: cut off, or not UTF-8).
 */
export async function readText(request: IncomingMessage, options: BodyOptions): Promise<string> {
  return decodeText(await readBytes(request, options));
}

/**
 * Reads the body as bytes.
 *
 * @throws {RequestError} as `readText`, except for UTF-8.
 */
export async function readBytes(request: IncomingMessage, options: BodyOptions): Promise<Buffer> {
  checkMediaType(request.headers['content-type'], options.mediaTypes);
  checkContentCoding(request.headers['content-encoding']);
  return receive(request, options.maxBytes);
}

/** @throws {RequestError} `invalid_request` (400) when the bytes are not UTF-8. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new RequestError(400, 'invalid_request', 'The request body is not valid UTF-8.');
  }
}

/**
 * Reads a form body (`application/x-www-form-urlencoded`).
 *
 * @throws {RequestError} as `readText`.
 */
export async function readForm(request: IncomingMessage, options: { maxBytes: number }): Promise<URLSearchParams> {
  const mediaTypes = ['application/x-www-form-urlencoded'];
  return new URLSearchParams(await readText(request, { maxBytes: options.maxBytes, mediaTypes }));
}

function checkMediaType(contentType: string | undefined, mediaTypes: readonly string[]): void {
  const expected = mediaTypes.join(' or ');
  const [mediaType = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  if (!mediaTypes.includes(mediaType)) {
    const sent = mediaType === '' ? 'no Content-Type' : 'another Content-Type';
    throw new RequestError(415, 'unsupported_media_type', `The body must be ${expected}; the request has ${sent}.`);
  }
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  if (charset !== undefined && !['utf-8', '"utf-8"', 'utf8', '"utf8"'].includes(charset)) {
    throw new RequestError(415, 'unsupported_media_type', `The body must be ${expected} in UTF-8.`);
  }
}

function checkContentCoding(coding: string | undefined): void {
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    throw new RequestError(415, 'unsupported_media_type', 'The body must be sent without a Content-Encoding.');
  }
}

/** Reads the body without decoding it. */
function receive(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let received = 0;
    const onData = (chunk: Buffer): void => {
      received += chunk.length;
      if (received > maxBytes) refuse();
      else chunks.push(chunk);
    };
    const onEnd = (): void => {
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, received));
    };
    const refuse = (): void => {
      request.off('data', onData).off('end', onEnd);
      chunks.length = 0;
      void dropBody(request).then(() => reject(tooLarge(maxBytes)));
    };
    const onBroken = (): void => {
      if (request.readableEnded) return;
      reject(new RequestError(400, 'invalid_request', 'The request body ended before it was complete.'));
    };
    request.on('error', onBroken);
    request.on('close', onBroken);
    if (request.destroyed) onBroken();
    else if (Number(request.headers['content-length'] ?? 0) > maxBytes) refuse();
    else request.on('data', onData).on('end', onEnd);
  });
}

function tooLarge(maxBytes: number): RequestError {
  return new RequestError(413, 'payload_too_large', `The request body is larger than ${maxBytes} bytes.`);
}
