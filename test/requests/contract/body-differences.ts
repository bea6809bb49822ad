/** Compares the body that arrived with the one that the call should send, for each kind of body. */

import { isDeepStrictEqual } from 'node:util';
import { isSentFile } from '../../../sandbox/check/body.ts';
import { decodeForm } from '../../../sandbox/decode/form.ts';
import type { SandboxDescriptor, SandboxMediaType, SandboxOperation } from '../../../sandbox/descriptor/operations.ts';
import { isObject, type JsonObject } from '../../../sandbox/json.ts';
import { isJson, isText, matchMediaType, toEssence } from '../../../sandbox/media-types.ts';
import type { RecordedRequest } from '../../../sandbox/request-log.ts';
import { compareMembers, difference, shown } from './compare.ts';

export interface ExpectedBody {
  readonly operation: SandboxOperation;
  readonly descriptor: SandboxDescriptor;
  /** True if one argument is the whole body; it has an empty name then. */
  readonly isWhole: boolean;
  readonly wanted: JsonObject;
}

/** One line for each difference. */
export async function compareBody(expected: ExpectedBody, request: RecordedRequest): Promise<string[]> {
  const { operation, isWhole, wanted } = expected;
  const contentType = request.headers['content-type'] ?? '';
  const mediaType = matchMediaType(toEssence(contentType), operation.body?.mediaTypes ?? []);
  if (mediaType !== null && !isJson(contentType)) return compareOther(expected, mediaType, request);
  const isEmpty = Object.keys(wanted).length === 0;
  const takesNone = operation.body === null || (isEmpty && (isWhole || !operation.body.required));
  if (takesNone || request.body === '') {
    const meant = takesNone ? 'nothing' : shown(isWhole ? wanted[''] : wanted);
    return takesNone && request.body === '' ? [] : [`body: expected ${meant}, sent ${request.body || 'nothing'}`];
  }
  const sent = isJson(contentType) ? parse(request.body) : request.body;
  if (isWhole) return isDeepStrictEqual(wanted[''], sent) ? [] : [difference('body', wanted[''], sent)];
  if (!isObject(sent)) return [difference('body', wanted, sent)];
  return compareMembers('body', wanted, sent);
}

async function compareOther(
  { descriptor, isWhole, wanted }: ExpectedBody,
  mediaType: SandboxMediaType,
  { bytes, headers }: RecordedRequest,
): Promise<string[]> {
  const contentType = headers['content-type'] ?? '';
  const essence = toEssence(contentType);
  if (essence === 'application/x-www-form-urlencoded' || essence === 'multipart/form-data') {
    const sent = await decodeForm({ body: bytes, contentType }, mediaType, descriptor);
    const meant = (isWhole ? (wanted[''] ?? {}) : wanted) as JsonObject;
    return compareForm(mediaType, meant, sent);
  }
  const value = wanted[''];
  if (isObject(value)) {
    const meant = { data: toBase64(value.data), mimeType: String(value.mimeType).toLowerCase() };
    const sent = { data: bytes.toString('base64'), mimeType: contentType };
    return isDeepStrictEqual(meant, sent) ? [] : [difference('body', meant, sent)];
  }
  const [meant, sent] = isText(essence) ? [value, bytes.toString('utf8')] : [toBase64(value), bytes.toString('base64')];
  return meant === sent ? [] : [difference('body', meant, sent)];
}

function compareForm(mediaType: SandboxMediaType, wanted: JsonObject, sent: JsonObject): string[] {
  const names = [...new Set([...Object.keys(wanted), ...Object.keys(sent)])];
  return names.flatMap((name) => {
    const isStyled = mediaType.encoding[name]?.style !== undefined;
    const meant = normalized(own(wanted, name), isStyled);
    const found = own(sent, name);
    return isSame(name, meant, found, isStyled) ? [] : [difference(`body.${name}`, meant, found)];
  });
}

/** `null`, `[]` and, where a style writes it, `{}` are not sent. */
function normalized(value: unknown, isStyled: boolean): unknown {
  if (value === null) return undefined;
  if (Array.isArray(value)) {
    const items = value
      .map((item) => (isStyled ? normalized(item, true) : item))
      .filter((item) => item !== undefined && item !== null);
    return items.length === 0 ? undefined : items;
  }
  if (!isObject(value) || !isStyled) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const written = normalized(member, true);
    return written === undefined ? [] : [[name, written] as const];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

function isSame(name: string, wanted: unknown, sent: unknown, isStyled: boolean): boolean {
  if (isSentFile(sent)) return isSameFile(name, wanted, sent);
  if (typeof sent === 'string') return isObject(wanted) ? JSON.stringify(wanted) === sent : String(wanted) === sent;
  if (Array.isArray(sent) && Array.isArray(wanted)) {
    return sent.length === wanted.length && sent.every((item, at) => isSame(name, wanted[at], item, isStyled));
  }
  if (!isStyled) return isDeepStrictEqual(wanted, sent);
  if (!isObject(wanted) || !isObject(sent)) return wanted === undefined && sent === undefined;
  const names = [...new Set([...Object.keys(wanted), ...Object.keys(sent)])];
  return names.every((key) => isSame(key, own(wanted, key), own(sent, key), true));
}

function isSameFile(name: string, wanted: unknown, sent: { bytes: Buffer; name: string; mediaType: string }): boolean {
  if (!isObject(wanted)) return false;
  const isTyped =
    wanted.mimeType === undefined || String(wanted.mimeType).toLowerCase() === sent.mediaType.toLowerCase();
  return isTyped && toBase64(wanted.data) === sent.bytes.toString('base64') && (wanted.name ?? name) === sent.name;
}

function toBase64(data: unknown): string {
  return Buffer.from(String(data ?? ''), 'base64').toString('base64');
}

function own(values: JsonObject, name: string): unknown {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
