/** Request bodies: read within a limit, of a media type that is expected, as UTF-8. */

import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import { RequestError } from './errors.ts';

/** What a route accepts as its body. */
export interface BodyOptions {
  readonly maxBytes: number;
  /** Accepted media types, lower case, without parameters. */
  readonly mediaTypes: readonly string[];
}

/**
 * Reads the body as text.
 *
 * @throws {RequestError} `payload_too_large` (413; the connection is closed, its remaining bytes are not read),
 * `unsupported_media_type` (415: media type, charset or content coding), `invalid_request` (400: broken off, or not UTF-8).
 */
export async function readText(request: IncomingMessage, options: BodyOptions): Promise<string> {
  checkMediaType(request.headers['content-type'], options.mediaTypes);
  checkContentCoding(request.headers['content-encoding']);
  const bytes = await readBytes(request, options.maxBytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new RequestError(400, 'invalid_request', 'The request body is not valid UTF-8.');
  }
}

/**
 * Reads a JSON body.
 *
 * @throws {RequestError} as `readText`, and `invalid_request` (400) when it is not JSON.
 */
export async function readJson(request: IncomingMessage, options: { maxBytes: number }): Promise<unknown> {
  const text = await readText(request, { maxBytes: options.maxBytes, mediaTypes: ['application/json'] });
  try {
    return JSON.parse(text);
  } catch {
    throw new RequestError(400, 'invalid_request', 'The request body is not valid JSON.');
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

async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  try {
    return await getRawBody(request, { limit: maxBytes, length: request.headers['content-length'] ?? null });
  } catch (cause) {
    const status = typeof cause === 'object' && cause !== null && 'status' in cause ? cause.status : undefined;
    if (status === 413) {
      throw new RequestError(413, 'payload_too_large', `The request body is larger than ${maxBytes} bytes.`, {
        headers: { Connection: 'close' },
        cause,
      });
    }
    throw new RequestError(400, 'invalid_request', 'The request body ended before it was complete.', { cause });
  }
}
