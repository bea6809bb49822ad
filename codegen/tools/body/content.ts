/** Chooses the media type of a request body if the descriptor offers several. */

import type { BodyModel, MediaTypeModel, Schema } from '../../model/types.ts';
import { kindsOf } from '../schema/kinds.ts';
import { mergeAllOf } from '../schema/merge.ts';
import type { Resolve } from '../schema/readers.ts';
import type { BodyContext } from './context.ts';
import { holdsFile } from './files.ts';
import {
  essenceOf,
  isFormMediaType,
  isJsonMediaType,
  isMediaRange,
  isMediaType,
  isMultipartForm,
  isTextMediaType,
} from './media-types.ts';

type ContentKind = 'json' | 'form' | 'multipart' | 'text' | 'binary';

export interface ChosenContent {
  readonly content: MediaTypeModel;
  readonly kind: ContentKind;
}

/**
 * The content that tools send: JSON first; then multipart if only it can carry a file; then a form, multipart, text,
 * bytes. Null if none can be written.
 */
export function chooseContent(body: BodyModel, context: BodyContext): ChosenContent | null {
  const candidates = body.contents.flatMap((content): ChosenContent[] => {
    const kind = kindOfContent(content, context);
    return kind === null ? [] : [{ content, kind }];
  });
  const isExact = ({ content }: ChosenContent) => essenceOf(content.mediaType) === 'application/json';
  const isJson = ({ content }: ChosenContent) => isJsonMediaType(content.mediaType);
  const firstOfKind = (kind: ContentKind) => candidates.find((candidate) => candidate.kind === kind);
  return (
    candidates.find(isExact) ??
    candidates.find(isJson) ??
    firstOfKind('json') ??
    candidates.find(({ content, kind }) => kind === 'multipart' && holdsFile(content, context)) ??
    firstOfKind('form') ??
    firstOfKind('multipart') ??
    firstOfKind('text') ??
    firstOfKind('binary') ??
    null
  );
}

function kindOfContent({ mediaType, schema }: MediaTypeModel, { resolve }: BodyContext): ContentKind | null {
  if (!isMediaType(mediaType)) return null;
  if (isJsonMediaType(mediaType)) return 'json';
  if (isFormMediaType(mediaType)) return 'form';
  if (isMultipartForm(mediaType)) return 'multipart';
  if (essenceOf(mediaType).startsWith('multipart/')) return null;
  if (isMediaRange(mediaType) && coversJson(mediaType) && isStructure(schema, resolve)) return 'json';
  return isTextMediaType(mediaType) || isEncoded(schema, resolve) ? 'text' : 'binary';
}

/** Frameworks that do not know a body's type write a range; an object is then sent as JSON. */
function coversJson(range: string): boolean {
  return ['*/*', '*', 'application/*'].includes(essenceOf(range));
}

function isStructure(schema: Schema | null, resolve: Resolve): boolean {
  const kinds = kindsOf(schema ?? {}, resolve);
  return kinds.has('object') || kinds.has('array');
}

/** True for bytes that are sent as base64 text (OpenAPI 3.1 §4.8.14.3). */
function isEncoded(schema: Schema | null, resolve: Resolve): boolean {
  const { schema: merged } = mergeAllOf(schema ?? {}, resolve);
  return merged.contentEncoding !== undefined || merged.format === 'byte';
}
