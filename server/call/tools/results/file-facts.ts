/** Reads the name and range of a file from the headers of an answer. */

import { parse } from 'content-disposition';
import type { Redactor } from '../../upstream/index.ts';
import { cleanText } from './errors.ts';

/** Facts about a file. Null for those that are not known. */
export interface FileFacts {
  /** Without a path and control characters, at most 200 characters. */
  readonly name: string | null;
  readonly part: FilePart | null;
}

/** No facts, or no file. */
export const NO_FILE: FileFacts = { name: null, part: null };

/** A range of a file, in bytes; `last` is inclusive. */
interface FilePart {
  readonly first: number;
  readonly last: number;
  /** Size of the complete file. Null if it is not known. */
  readonly total: number | null;
}

const MAX_NAME_LENGTH = 200;
const PARTIAL_CONTENT = 206;

/**
 * Reads `Content-Disposition` (RFC 6266), and `Content-Range` of a 206 (RFC 9110 §14.4).
 *
 * @param redactor redacts the credential.
 */
export function readFileFacts(
  answer: { readonly status: number; header(name: string): string | null },
  redactor: Redactor,
): FileFacts {
  const name = readName(answer.header('content-disposition'));
  return {
    name: name === null ? null : redactor.text(name),
    part: answer.status === PARTIAL_CONTENT ? readPart(answer.header('content-range')) : null,
  };
}

/** Describes a file in one line for the model. Returns null if nothing is known. */
export function describeFile({ name, part }: FileFacts): string | null {
  const subject = name === null ? 'The answer' : `The file ${JSON.stringify(name)}`;
  if (part === null) return name === null ? null : `File name: ${JSON.stringify(name)}.`;
  const total = part.total === null ? 'a whole of unknown size' : `${part.total}`;
  return `${subject} is partial: bytes ${part.first} to ${part.last} of ${total}.`;
}

function readName(header: string | null): string | null {
  if (header === null) return null;
  let filename: unknown;
  try {
    filename = parse(header).parameters.filename;
  } catch {
    return null;
  }
  return typeof filename === 'string' ? toFileName(filename) : null;
}

/** Returns a name that someone else chose without its path and control characters, or null if nothing is left. */
export function toFileName(filename: string): string | null {
  const baseName = cleanText(filename.replaceAll('\\', '/')).split('/').at(-1) ?? '';
  const name = baseName
    .replace(/[\n\t]/g, ' ')
    .slice(0, MAX_NAME_LENGTH)
    .toWellFormed()
    .trim();
  return /^\.*$/.test(name) ? null : name;
}

function readPart(header: string | null): FilePart | null {
  const match = /^\s*bytes\s+(\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)\s*$/i.exec(header ?? '');
  if (match === null) return null;
  const [, first, last, total] = match;
  return { first: Number(first), last: Number(last), total: total === '*' ? null : Number(total) };
}
