/** Reads the body of a request by its Content-Type, and checks that media type against the descriptor. */

import { decodeForm, type SentFile } from '../decode/form.ts';
import type { SandboxDescriptor, SandboxMediaType, SandboxOperation } from '../descriptor/operations.ts';
import { isFileSchema, memberSchemas, shapesOf } from '../descriptor/schemas.ts';
import { isObject } from '../json.ts';
import { isJson, isText, matchMediaType, toEssence } from '../media-types.ts';
import type { IncomingRequest } from './router.ts';

/** One thing that the descriptor does not allow. */
export interface Violation {
  readonly in: 'path' | 'query' | 'header' | 'cookie' | 'body' | 'method';
  /** The parameter's name, or a JSON pointer into the body, which is empty for the whole body. */
  readonly name: string;
  readonly message: string;
}

export interface ReadBody {
  readonly value: unknown;
  /** The kind of check: as JSON, as a form whose values are text, or none. */
  readonly kind: 'json' | 'form' | 'other';
  readonly mediaType: SandboxMediaType | null;
  readonly violations: readonly Violation[];
  readonly unsupported: boolean;
  readonly unreadable: boolean;
}

const NO_BODY: ReadBody = {
  value: undefined,
  kind: 'other',
  mediaType: null,
  violations: [],
  unsupported: false,
  unreadable: false,
};

export async function readBody(
  request: IncomingRequest,
  operation: SandboxOperation,
  descriptor: SandboxDescriptor,
): Promise<ReadBody> {
  const contentType = request.headers['content-type'] ?? '';
  if (request.body.length === 0 && contentType === '') {
    return operation.body?.required ? rejectBody('a body is required') : NO_BODY;
  }
  const essence = toEssence(contentType);
  const isEmptyJson = request.body.length === 0 && (isJson(essence) || operation.body === null);
  if (isEmptyJson) return operation.body?.required ? rejectBody('a body is required') : NO_BODY;
  if (operation.body === null) return rejectBody('this operation takes no body');
  const mediaType = matchMediaType(essence, operation.body.mediaTypes);
  if (mediaType === null) {
    const allowed = operation.body.mediaTypes.map(({ name }) => name).join(', ');
    return { ...rejectBody(`the media type "${essence}" is not one of: ${allowed}`), unsupported: true };
  }
  if (isJson(essence)) return readJson(request.body, mediaType);
  if (essence === 'application/x-www-form-urlencoded' || essence === 'multipart/form-data') {
    return readForm({ body: request.body, contentType }, mediaType, descriptor);
  }
  return isText(essence) ? readText(request.body, mediaType) : { ...NO_BODY, value: request.body, mediaType };
}

function rejectBody(message: string, name = ''): ReadBody {
  return { ...NO_BODY, violations: [{ in: 'body', name, message }], unreadable: true };
}

function readJson(body: Buffer, mediaType: SandboxMediaType): ReadBody {
  try {
    return { ...NO_BODY, value: JSON.parse(body.toString('utf8')), kind: 'json', mediaType };
  } catch {
    return rejectBody('the body is not JSON');
  }
}

function readText(body: Buffer, mediaType: SandboxMediaType): ReadBody {
  try {
    return { ...NO_BODY, value: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body), mediaType };
  } catch {
    return rejectBody('the body is not UTF-8');
  }
}

async function readForm(
  form: { readonly body: Buffer; readonly contentType: string },
  mediaType: SandboxMediaType,
  descriptor: SandboxDescriptor,
): Promise<ReadBody> {
  try {
    const value = await decodeForm(form, mediaType, descriptor);
    const violations = checkFiles(value, mediaType, descriptor);
    return { ...NO_BODY, value, kind: 'form', mediaType, violations };
  } catch {
    return rejectBody(`the body is not ${toEssence(form.contentType)}`);
  }
}

/** Requires files only in members that the descriptor declares as files, and of the media types that it names. */
function checkFiles(
  values: Readonly<Record<string, unknown>>,
  mediaType: SandboxMediaType,
  descriptor: SandboxDescriptor,
): Violation[] {
  if (toEssence(mediaType.name) !== 'multipart/form-data') return [];
  return memberSchemas(mediaType.schema, descriptor).flatMap(([name, schema]): Violation[] => {
    const accepted = mediaType.encoding[name]?.contentTypes ?? [];
    const isUntyped = shapesOf(schema, descriptor).size === 0 && descriptor.openapi !== '3.0';
    const mustBeFile =
      isFileSchema(schema, descriptor) || isUntyped || (accepted.length > 0 && !accepted.some(isTextual));
    const memberValues = [values[name]].flat().filter((value) => value !== undefined);
    return memberValues.flatMap((value) => {
      const violation = (message: string): Violation => ({ in: 'body', name: `/${name}`, message });
      if (isSentFile(value) !== mustBeFile) return [violation(mustBeFile ? 'must be a file' : 'must not be a file')];
      const types = accepted.map((type) => ({ name: type }));
      const fits =
        !isSentFile(value) || types.length === 0 || matchMediaType(toEssence(value.mediaType), types) !== null;
      return fits ? [] : [violation(`must be of ${accepted.join(', ')}`)];
    });
  });
}

function isTextual(mediaType: string): boolean {
  return isJson(mediaType) || isText(toEssence(mediaType));
}

export function isSentFile(value: unknown): value is SentFile {
  return isObject(value) && Buffer.isBuffer(value.bytes);
}
