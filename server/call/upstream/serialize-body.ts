/** Writes the body of a call in its media type's format. */

import { randomBytes } from 'node:crypto';
import type { MembersBody, PartStyle, ToolRequest, WholeBody } from '../../contract/index.ts';
import { type FileEntries, isMediaRange, toBytes, toUploads, Upload } from './serialize-files.ts';
import { type FormMember, writeForm, writeMultipart } from './serialize-forms.ts';
import {
  type Arguments,
  halfPair,
  readArgument,
  type Secrets,
  toSlots,
  type WirePlace,
  withCredentials,
} from './serialize-sources.ts';

/** A written body; both are null for a call without one. */
export interface SerializedBody {
  readonly body: Buffer | string | null;
  readonly contentType: string | null;
}

/** @param secrets of the connection, for the members that its credential fills. */
type BodyWriter = (args: Arguments, secrets?: Secrets) => SerializedBody;

const NONE: SerializedBody = { body: null, contentType: null };

/**
 * Compiles the body of one tool.
 *
 * @param createBoundary of each multipart body, in lower case
 * @throws {CannotSendError} by the writer, for invalid files, and for values that the format cannot carry.
 */
export function compileBody(body: ToolRequest['body'], createBoundary: () => string = randomBoundary): BodyWriter {
  if (body === undefined) return () => NONE;
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
      return isLeftOut(values.map(([, value]) => value)) ? NONE : toJson(mediaType, Object.fromEntries(values));
    };
  }
  return (args, secrets) => {
    const written = slots.map((slot) => toMember(slot, slot.argument ?? slot.parameter, slot.read(args, secrets)));
    return isLeftOut(written.map(({ value }) => value)) ? NONE : writeMembers(as, mediaType, written, createBoundary);
  };
}

function compileWhole(body: WholeBody, createBoundary: () => string): BodyWriter {
  const { mediaType, as } = body;
  const argument = 'argument' in body ? body.argument : null;
  const place = { place: 'body', parameter: null, argument, subject: argument ?? 'body' } as const;
  const given = 'argument' in body ? readArgument(body.argument) : () => body.constant;
  const credentials = 'argument' in body ? body.credentials : undefined;
  return (args, secrets = {}) => {
    const said = given(args);
    const value = credentials === undefined ? said : withCredentials(said, credentials, secrets, argument);
    if (value === undefined) return NONE;
    switch (as) {
      case undefined:
        return toJson(mediaType, value);
      case 'text':
        return toPlainText(mediaType, String(value), place);
      case 'bytes':
        return { body: toBytes(value, place), contentType: mediaType };
      case 'file':
        return toFile(toUploads(value, place, [mediaType]));
      default:
        if (typeof value === 'object') {
          return writeMembers(as, mediaType, toMembers(value ?? {}, argument, body.parts ?? {}), createBoundary);
        }
        return { body: String(value), contentType: mediaType };
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
function toMember(slot: Omit<FormMember, 'value'> & FileEntries, subject: string, value: unknown): FormMember {
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
  if (!(upload instanceof Upload)) return NONE;
  return { body: upload.bytes, contentType: upload.mediaType.toLowerCase() };
}
