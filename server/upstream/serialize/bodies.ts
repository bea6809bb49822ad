/** The bodies of a call that are not JSON: what a generated call asks the gateway to write. */

import { randomBytes } from 'node:crypto';
import type { CallRequest } from '../../contract/index.ts';
import { toBytes, toUploads, Upload } from './file.ts';
import { createFormSerializer } from './form.ts';
import { createMultipartSerializer } from './multipart.ts';

export type BodyWriters = Pick<
  CallRequest,
  'formBody' | 'multipartBody' | 'textBody' | 'binaryBody' | 'file' | 'files' | 'bytes'
>;

/** @param createBoundary of each multipart body; lower case. */
export function createBodyWriters(createBoundary: () => string = randomBoundary): BodyWriters {
  return {
    formBody: createFormSerializer,
    multipartBody: (encodings) => createMultipartSerializer(encodings, createBoundary),
    textBody: writeText,
    binaryBody: writeBinary,
    file: (value, argument, accepted = []) => toUploads(value, argument, accepted),
    files: (body, argument, members) => withUploads(body, argument, members),
    bytes: toBytes,
  };
}

/** 128 random bits: a content cannot be made to hold it (RFC 2046 §5.1.1). */
function randomBoundary(): string {
  return `form-data-${randomBytes(16).toString('hex')}`;
}

function writeText(body: unknown): string {
  const text = String(body);
  if (!text.isWellFormed()) throw new URIError('half of a surrogate pair');
  return text;
}

/** Bytes under the Content-Type of the call, or a file under its own. */
function writeBinary(body: unknown): Uint8Array | Blob {
  if (!(body instanceof Upload)) return body as Uint8Array;
  return new Blob([body.bytes as Uint8Array<ArrayBuffer>], { type: body.mediaType });
}

function withUploads(body: unknown, argument: string, members: Readonly<Record<string, readonly string[]>>): unknown {
  if (typeof body !== 'object' || body === null) return body;
  const entries = Object.entries(body).map(([name, value]) => {
    const accepted = Object.hasOwn(members, name) ? members[name] : undefined;
    if (accepted === undefined) return [name, value] as const;
    return [name, toUploads(value, argument, accepted, `${argument}.${name}`)] as const;
  });
  return Object.fromEntries(entries);
}
