/** Tells a reviewer about a body that is not JSON: its media type, and how its members are written. */

import { entryOf } from '../../json-pointer.ts';
import type { CallModel, FileRule, PartEncoding, WirePlace } from '../../tools/call-model.ts';
import { markdownCode, markdownText } from '../markdown.ts';

/** One line for the page, or none for JSON. */
export function bodyFact({ body }: CallModel): string[] {
  if (body.kind === 'none' || body.form === undefined) return [];
  return [`Sends its body as ${markdownCode(body.mediaType)}.`];
}

/** `, a file (image/png)` after the address of an argument; empty where there is nothing to say. */
export function bodyNote({ body }: CallModel, wire: WirePlace): string {
  if (wire.in !== 'body' || body.kind === 'none') return '';
  const { form } = body;
  switch (form?.kind) {
    case 'form':
      return encodingNote(entryOf(form.styles, wire.name ?? ''));
    case 'multipart':
      return wire.name === null
        ? Object.entries(form.files)
            .map(([name, rule]) => `, ${markdownCode(name)} ${fileNote(rule)}`)
            .join('')
        : fileOrEncodingNote(entryOf(form.files, wire.name), entryOf(form.encodings, wire.name));
    case 'bytes':
      return ', bytes from base64';
    case 'file':
      return `, ${fileNote({ accepted: form.accepted, many: false })}`;
    default:
      return '';
  }
}

function fileOrEncodingNote(rule: FileRule | undefined, encoding: PartEncoding | undefined): string {
  return rule === undefined ? encodingNote(encoding) : `, ${fileNote(rule)}`;
}

function fileNote({ accepted, many }: FileRule): string {
  const types = accepted.length === 0 ? '' : ` (${markdownText(accepted.join(', '))})`;
  return `${many ? 'files' : 'a file'}${types}`;
}

function encodingNote(encoding: PartEncoding | undefined): string {
  if (encoding === undefined) return '';
  if (!('style' in encoding)) return `, as ${markdownText(encoding.contentType)}`;
  const { style, explode, allowReserved } = encoding;
  const words: string[] = [style];
  const isExplodedByDefault = style === 'form' || style === 'deepObject';
  if (explode !== isExplodedByDefault) words.push(explode ? 'exploded' : 'joined');
  if (allowReserved) words.push('reserved characters as they are');
  return `, ${words.join(', ')}`;
}
