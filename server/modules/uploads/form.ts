/** Reads the form in which a person sends a file. */

import { RequestError } from '../../base/http/errors.ts';
import { readBytes } from '../../base/http/exchange.ts';
import type { GatewayContext } from '../../base/http/state.ts';
import { toFileName } from '../../call/tools/results/file-facts.ts';
import { essenceOf, isMediaType } from '../../call/upstream/serialize-files.ts';
import type { SentFile } from './uploads.ts';

/** Names of the fields, in the order of the form. */
export const CSRF_FIELD = 'csrf';
export const FILE_FIELD = 'file';

/** Most bytes before the file: the first field, and the headers of both. */
const FORM_BYTES = 16 * 1024;
/** The media type of a form that is not one file. */
export const FORM = 'multipart/form-data';
/** The media type of a form, as browsers write it: with a boundary (RFC 2046 §5.1.1), and no other parameter. */
const FORM_TYPE = /^multipart\/form-data; *boundary=("?)([\w'()+,./:=?-]{1,70})\1$/i;

/** Reads the file of a form. @throws {RequestError} as `readBytes`, `invalid_request` (400) and `access_denied` (403). */
export async function readForm(ctx: GatewayContext, csrf: string, maxBytes: number): Promise<SentFile> {
  const contentType = ctx.req.headers['content-type'] ?? '';
  const boundary = FORM_TYPE.exec(contentType)?.[2];
  const body = await readBytes(ctx.req, {
    maxBytes: maxBytes + FORM_BYTES,
    mediaTypes: [boundary === undefined ? FORM : contentType],
  });
  if (boundary === undefined || !hasTwoParts(body, boundary)) throw notOneFile();
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } })
    .formData()
    .catch(() => undefined);
  const file = form?.get(FILE_FIELD);
  if (!(file instanceof File)) throw notOneFile();
  if (form?.get(CSRF_FIELD) !== csrf)
    throw new RequestError(403, 'access_denied', 'The form was opened before you signed in. Open the page again.');
  if (file.size > maxBytes)
    throw new RequestError(413, 'payload_too_large', `The file is larger than ${maxBytes} bytes.`);
  const bytes = Buffer.from(await file.arrayBuffer());
  const guessedType = isMediaType(file.type) ? essenceOf(file.type) : null;
  return { bytes, mediaType: null, guessedType, name: toFileName(file.name) };
}

/**
 * True if a form has two parts, and little before the content of the second. Checked before it is parsed: the parser needs seconds for thousands of
 * parts or headers, and every other request waits meanwhile.
 */
function hasTwoParts(body: Buffer, boundary: string): boolean {
  const delimiter = `\r\n--${boundary}`;
  const firstEnd = body.indexOf(delimiter);
  if (firstEnd === -1) return false;
  const headersEnd = body.indexOf('\r\n\r\n', firstEnd);
  const secondEnd = body.indexOf(delimiter, firstEnd + delimiter.length);
  const closing = `${delimiter}--`;
  const isLast = secondEnd !== -1 && body.length - secondEnd <= closing.length + '\r\n'.length;
  return isLast && body.includes(closing, secondEnd) && headersEnd !== -1 && headersEnd < FORM_BYTES;
}

function notOneFile(): RequestError {
  return new RequestError(400, 'invalid_request', 'The form must be one file, and nothing else.');
}
