/** Encoding Objects (OpenAPI 3.0 §4.7.15, 3.1 §4.8.15): how the members of a form or multipart body are written. */

import { toRecord } from '../json.ts';
import type { ModelContext } from './context.ts';
import { below, entriesBelow, follow, type Place, toText } from './place.ts';
import type { EncodingModel } from './types.ts';

/** The `encoding` of a media type by member; empty if none applies. */
export function buildEncoding(
  context: ModelContext,
  mediaType: Place,
  name: string,
): { readonly encoding?: Readonly<Record<string, EncodingModel>> } {
  const members = entriesBelow(below(mediaType, 'encoding'));
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(name);
  if (members.length === 0 || !(isForm || /^multipart\//i.test(name))) return {};
  const hasStyle = isForm || (context.openapi === '3.1' && /^multipart\/form-data\b/i.test(name));
  const read = members.map(({ name: member, place }) => {
    const style = hasStyle ? readStyle(place) : null;
    const contentTypes = style === null ? readContentTypes(place) : [];
    return [member, { contentTypes, style, headers: isForm ? [] : readHeaders(context, place) }] as const;
  });
  return { encoding: Object.fromEntries(read) };
}

/** "If a value is explicitly defined, then the value of `contentType` (implicit or explicit) SHALL be ignored." */
function readStyle({ value }: Place): EncodingModel['style'] {
  const { style, explode, allowReserved } = toRecord(value);
  if (style === undefined && explode === undefined && allowReserved === undefined) return null;
  const name = toText(style) || 'form';
  return {
    style: name,
    explode: typeof explode === 'boolean' ? explode : name === 'form',
    allowReserved: allowReserved === true,
  };
}

function readContentTypes({ value }: Place): string[] {
  const types = toText(toRecord(value).contentType).split(',');
  return types.map((type) => type.trim()).filter((type) => type !== '');
}

function readHeaders(context: ModelContext, encoding: Place): EncodingModel['headers'] {
  return entriesBelow(below(encoding, 'headers'))
    .filter(({ name }) => name.toLowerCase() !== 'content-type')
    .map(({ name, place }) => ({ name, required: toRecord(follow(context.document, place).value).required === true }));
}
