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

const NOTHING: ReadBody = {
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
    return operation.body?.required ? wrong('a body is required') : NOTHING;
  }
  const sent = toEssence(contentType);
  const isEmptyJson = request.body.length === 0 && (isJson(sent) || operation.body === null);
  if (isEmptyJson) return operation.body?.required ? wrong('a body is required') : NOTHING;
  if (operation.body === null) return wrong('this operation takes no body');
  const mediaType = matchMediaType(sent, operation.body.mediaTypes);
  if (mediaType === null) {
    const allowed = operation.body.mediaTypes.map(({ name }) => name).join(', ');
    return { ...wrong(`the media type "${sent}" is not one of: ${allowed}`), unsupported: true };
  }
  if (isJson(sent)) return readJson(request.body, mediaType);
  if (sent === 'application/x-www-form-urlencoded' || sent === 'multipart/form-data') {
    return readForm({ body: request.body, contentType }, mediaType, descriptor);
  }
  return isText(sent) ? readText(request.body, mediaType) : { ...NOTHING, value: request.body, mediaType };
}

function wrong(message: string, name = ''): ReadBody {
  return { ...NOTHING, violations: [{ in: 'body', name, message }], unreadable: true };
}

function readJson(body: Buffer, mediaType: SandboxMediaType): ReadBody {
  try {
    return { ...NOTHING, value: JSON.parse(body.toString('utf8')), kind: 'json', mediaType };
  } catch {
    return wrong('the body is not JSON');
  }
}

function readText(body: Buffer, mediaType: SandboxMediaType): ReadBody {
  try {
    return { ...NOTHING, value: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body), mediaType };
  } catch {
    return wrong('the body is not UTF-8');
  }
}

async function readForm(
  sent: { readonly body: Buffer; readonly contentType: string },
  mediaType: SandboxMediaType,
  descriptor: SandboxDescriptor,
): Promise<ReadBody> {
  try {
    const value = await decodeForm(sent, mediaType, descriptor);
    const violations = checkFiles(value, mediaType, descriptor);
    return { ...NOTHING, value, kind: 'form', mediaType, violations };
  } catch {
    return wrong(`the body is not ${toEssence(sent.contentType)}`);
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
    const nameless = shapesOf(schema, descriptor).size === 0 && descriptor.openapi !== '3.0';
    const wanted = isFileSchema(schema, descriptor) || nameless || (accepted.length > 0 && !accepted.some(isWords));
    const found = [values[name]].flat().filter((value) => value !== undefined);
    return found.flatMap((value) => {
      const violation = (message: string): Violation => ({ in: 'body', name: `/${name}`, message });
      if (isSentFile(value) !== wanted) return [violation(wanted ? 'must be a file' : 'must not be a file')];
      const types = accepted.map((type) => ({ name: type }));
      const fits =
        !isSentFile(value) || types.length === 0 || matchMediaType(toEssence(value.mediaType), types) !== null;
      return fits ? [] : [violation(`must be of ${accepted.join(', ')}`)];
    });
  });
}

function isWords(mediaType: string): boolean {
  return isJson(mediaType) || isText(toEssence(mediaType));
}

export function isSentFile(value: unknown): value is SentFile {
  return isObject(value) && Buffer.isBuffer(value.bytes);
}
