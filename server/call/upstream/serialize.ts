/** Turns the table of a tool's request into bytes: compiled once per tool, written once per call. */

import { randomBytes } from 'node:crypto';
import { parseRawNumbers, rawNumber } from '../../../shared/exact-json.ts';
import type { HttpMethod, MembersBody, PartStyle, Tool, ToolRequest, WholeBody } from '../../contract/index.ts';
import { type FileEntries, isMediaRange, toBytes, toUploads, Upload } from './serialize-files.ts';
import { type FormMember, type FormSlot, writeForm, writeMultipart } from './serialize-forms.ts';
import { compileCookies, compileHeaders } from './serialize-headers.ts';
import { compilePath, compileQueryTemplate } from './serialize-path.ts';
import { compileQuery } from './serialize-query.ts';
import {
  type Arguments,
  credentialMembersOf,
  halfPair,
  readArgument,
  type Secrets,
  toSlots,
  type WirePlace,
  withCredentials,
} from './serialize-sources.ts';
import { valueText } from './serialize-styles.ts';

/** One request without what belongs to the connection: base URL, credential, `User-Agent`, deadline. */
export interface SerializedRequest extends SerializedBody {
  readonly method: HttpMethod;
  /** Path and query as they are sent, to append to the base URL: no URL parser changes them. */
  readonly target: string;
  /** Name, value, name, value; names are lower case, `cookie` and `content-type` are not among them. */
  readonly headers: readonly string[];
  /** Value of the `Cookie` header, or null. */
  readonly cookie: string | null;
}

/**
 * Writes the request of one call.
 *
 * @param secrets of the connection, for paths and bodies that contain a part of its credential.
 * @throws {CannotSendError} for values that no request can carry.
 */
export type RequestWriter = (args: Arguments, secrets?: Secrets) => SerializedRequest;

/** The parts of a tool that say how its requests are written. */
interface RequestTool {
  readonly operation: Tool['operation'];
  readonly request: ToolRequest;
}

/** @param createBoundary of each multipart body, in lower case. Default: random. */
export function compileRequest(
  { operation: { method, path, target: requestTarget }, request }: RequestTool,
  createBoundary?: () => string,
): RequestWriter {
  const writePath = compilePath(requestTarget?.path ?? path, request.path);
  // Most tools have few of these parts. No writer is created for a part that a tool does not have.
  const writeFixedQuery =
    requestTarget?.query === undefined ? null : compileQueryTemplate(requestTarget.query, request.path);
  const writeQuery = request.query === undefined ? null : compileQuery(request.query);
  const writeHeaders = request.header === undefined ? null : compileHeaders(request.header);
  const writeCookies = request.cookie === undefined ? null : compileCookies(request.cookie);
  const writeBody = request.body === undefined ? null : compileBody(request.body, createBoundary);
  return (args, secrets) => {
    const target = writePath(args, secrets);
    const fixedQuery = writeFixedQuery === null ? '' : writeFixedQuery(args, secrets);
    const argumentQuery = writeQuery === null ? '' : writeQuery(args);
    const query =
      fixedQuery === '' || argumentQuery === '' ? fixedQuery + argumentQuery : `${fixedQuery}&${argumentQuery}`;
    const headers = writeHeaders === null ? NO_HEADERS : writeHeaders(args);
    const cookie = writeCookies === null ? null : writeCookies(args);
    const { body, contentType } = writeBody === null ? NO_BODY : writeBody(args, secrets);
    return { method, target: query === '' ? target : `${target}?${query}`, headers, cookie, body, contentType };
  };
}

interface RawRequestParts {
  /** Path and query. */
  readonly target: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

/**
 * The request with the credential in place of anything that the tool wrote there.
 *
 * @throws {UnusableCredentialError} when the connection lacks a part of the path.
 * @throws {Error} when a segment has other parameters next to the credential, and for a multipart body: bugs of the tool.
 */
export function withRawCredential(tool: RequestTool, raw: RawRequestParts, secrets: Secrets): RawRequestParts {
  const { operation, request } = tool;
  const target = withPath(operation.target?.path ?? operation.path, request.path, raw.target, secrets);
  const members = request.body === undefined ? null : credentialMembersOf(request.body);
  if (request.body === undefined || members === null) return { ...raw, target };
  const { mediaType, as } = request.body;
  const headers = { 'content-type': mediaType, ...raw.headers };
  const text = raw.body?.toString('utf8') ?? '';
  if (as === undefined) {
    const body = withCredentials(text === '' ? undefined : parseRawNumbers(text), members, secrets, null);
    return { target, headers, body: Buffer.from(JSON.stringify(body)) };
  }
  if (as !== 'form') throw new Error(`the credential cannot be written into a body that is ${as}`);
  const credentialNames = new Set(Object.keys(members).map((name) => name.toLowerCase()));
  const otherFields = [...new URLSearchParams(text)].filter(([name]) => !credentialNames.has(name.toLowerCase()));
  const credentialFields = Object.entries(withCredentials(undefined, members, secrets, null)).map(([name, value]) => [
    name,
    String(value),
  ]);
  return { target, headers, body: Buffer.from(new URLSearchParams([...otherFields, ...credentialFields]).toString()) };
}

function withPath(template: string, bindings: ToolRequest['path'] = {}, target: string, secrets: Secrets): string {
  const end = target.includes('?') ? target.indexOf('?') : target.length;
  const isCredential = (name: string) => typeof bindings[name] === 'object' && 'credential' in bindings[name];
  const credentialSegments = template.split('/').map((segment) => {
    const names = [...segment.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name);
    if (!names.some(isCredential)) return null;
    if (!names.every(isCredential)) throw new Error(`the credential shares ${segment} with an argument`);
    return compilePath(segment, bindings)({}, secrets);
  });
  const segments = target.slice(0, end).split('/');
  return segments.map((segment, at) => credentialSegments[at] ?? segment).join('/') + target.slice(end);
}

/** A written body; both are null for a call without one. */
interface SerializedBody {
  readonly body: Buffer | string | null;
  readonly contentType: string | null;
}

/** @param secrets of the connection, for the members that its credential fills. */
type BodyWriter = (args: Arguments, secrets?: Secrets) => SerializedBody;

const NO_BODY: SerializedBody = { body: null, contentType: null };
const NO_HEADERS: readonly string[] = [];

/**
 * Compiles the body of one tool.
 *
 * @param createBoundary of each multipart body, in lower case
 * @throws {CannotSendError} by the writer, for invalid files, and for values that the format cannot carry.
 */
function compileBody(
  body: NonNullable<ToolRequest['body']>,
  createBoundary: () => string = randomBoundary,
): BodyWriter {
  return 'members' in body ? compileMembers(body, createBoundary) : compileWhole(body, createBoundary);
}

/** 128 random bits: no content can be crafted to contain it (RFC 2046 §5.1.1). */
function randomBoundary(): string {
  return `form-data-${randomBytes(16).toString('hex')}`;
}

function compileMembers(
  { as, mediaType, members, optional, clear }: MembersBody,
  createBoundary: () => string,
): BodyWriter {
  const slots = toSlots('body', members);
  const isLeftOut = (values: readonly unknown[]) => optional === true && values.every((value) => value === undefined);
  if (as === undefined) {
    const readCleared = clear === undefined ? () => undefined : readArgument(clear);
    return (args, secrets) => {
      const cleared = readCleared(args);
      const isCleared = (argument: string | null) => Array.isArray(cleared) && cleared.includes(argument);
      const values = slots.map(
        (slot) => [slot.parameter, isCleared(slot.argument) ? null : slot.read(args, secrets)] as const,
      );
      return isLeftOut(values.map(([, value]) => value)) ? NO_BODY : toJson(mediaType, Object.fromEntries(values));
    };
  }
  return (args, secrets) => {
    const formMembers = slots.map((slot) => toMember(slot, slot.argument ?? slot.parameter, slot.read(args, secrets)));
    return isLeftOut(formMembers.map(({ value }) => value))
      ? NO_BODY
      : writeMembers(as, mediaType, formMembers, createBoundary);
  };
}

function compileWhole(body: WholeBody, createBoundary: () => string): BodyWriter {
  const { mediaType, as } = body;
  const argument = 'argument' in body ? body.argument : null;
  const bodyPlace = { place: 'body', parameter: null, argument, subject: argument ?? 'body' } as const;
  const readBody = 'argument' in body ? readArgument(body.argument) : () => body.constant;
  const credentials = 'argument' in body ? body.credentials : undefined;
  return (args, secrets = {}) => {
    const argumentValue = readBody(args);
    const value =
      credentials === undefined ? argumentValue : withCredentials(argumentValue, credentials, secrets, argument);
    if (value === undefined) return NO_BODY;
    switch (as) {
      case undefined:
        return toJson(mediaType, value);
      case 'text':
        return toPlainText(mediaType, valueText(value), bodyPlace);
      case 'bytes':
        return { body: toBytes(value, bodyPlace), contentType: mediaType };
      case 'file':
        return toFile(toUploads(value, bodyPlace, [mediaType]));
      default:
        if (typeof value === 'object' && rawNumber(value) === undefined) {
          return writeMembers(as, mediaType, toMembers(value ?? {}, argument, body.parts ?? {}), createBoundary);
        }
        return { body: valueText(value), contentType: mediaType };
    }
  };
}

/** The form members of one argument. */
function toMembers(
  value: object,
  argument: string | null,
  parts: Readonly<Record<string, PartStyle>>,
): readonly FormMember[] {
  return Object.entries(value).map(([parameter, member]) => {
    const style = Object.hasOwn(parts, parameter) ? parts[parameter] : undefined;
    return toMember({ place: 'body', parameter, argument, style }, `${argument ?? 'body'}.${parameter}`, member);
  });
}

/** @param subject what the problem of a file is about. */
function toMember(slot: FormSlot & FileEntries, subject: string, value: unknown): FormMember {
  const { place, parameter, argument, style, entries } = slot;
  const member = { place, parameter, argument, style } as const;
  if (style === undefined || !('file' in style)) return { ...member, value };
  return { ...member, value: toUploads(value, { ...member, subject, entries }, style.file) };
}

function writeMembers(
  as: 'form' | 'multipart',
  mediaType: string,
  members: readonly FormMember[],
  createBoundary: () => string,
): SerializedBody {
  if (as === 'form') return { body: writeForm(members), contentType: mediaType };
  const boundary = createBoundary();
  return { body: writeMultipart(members, boundary), contentType: `multipart/form-data; boundary=${boundary}` };
}

function toJson(mediaType: string, value: unknown): SerializedBody {
  const contentType = isMediaRange(mediaType) ? 'application/json' : mediaType;
  return { body: JSON.stringify(value), contentType };
}

function toPlainText(mediaType: string, text: string, place: WirePlace): SerializedBody {
  if (!text.isWellFormed()) throw halfPair(place);
  return { body: text, contentType: isMediaRange(mediaType) ? 'text/plain' : mediaType };
}

function toFile(upload: unknown): SerializedBody {
  if (!(upload instanceof Upload)) return NO_BODY;
  return { body: upload.bytes, contentType: upload.mediaType.toLowerCase() };
}
