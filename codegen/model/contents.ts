/** Request bodies and responses: Request Body, Responses, Media Type and Encoding Objects (OpenAPI 3.1 §4.8.13 to §4.8.16). */

import { toRecord } from '../json.ts';
import type { ModelContext } from './context.ts';
import { below, entriesBelow, follow, type Place, toText } from './place.ts';
import type { BodyModel, EncodingModel, LinkModel, MediaTypeModel, ResponseModel } from './types.ts';

/** The request body of an operation, or null. */
export function buildBody(context: ModelContext, operation: Place): BodyModel | null {
  const item = below(operation, 'requestBody');
  if (item.value === undefined) return null;
  const place = follow(context.document, item);
  const source = toRecord(place.value);
  if (source.content === undefined)
    context.report('reference-kind', item.pointer, 'This is not a request body: it lacks `content`.');
  return {
    required: source.required === true,
    description: toText(toRecord(item.value).description) || toText(source.description),
    contents: buildContents(context, place),
    pointer: place.pointer,
  };
}

const STATUS = /^([1-5]([0-9]{2}|xx)|default)$/i;

/** The responses of an operation, in the descriptor's order. */
export function buildResponses(context: ModelContext, operation: Place): ResponseModel[] {
  const responses = entriesBelow(below(operation, 'responses')).filter(({ name }) => STATUS.test(name));
  return responses.map(({ name, place: item }) => {
    const place = follow(context.document, item);
    return {
      status: name === 'default' ? name : name.toUpperCase(),
      headers: entriesBelow(below(place, 'headers')).map((header) => header.name.toLowerCase()),
      contents: buildContents(context, place),
      ...buildLinks(context, place),
    };
  });
}

/** A place in an answer, by names without any text for a model. */
const IN_BODY = /^\$response\.body#((?:\/[\w$.-]{1,64}){1,8})$/;

function buildLinks(context: ModelContext, response: Place): { readonly links?: readonly LinkModel[] } {
  const links = entriesBelow(below(response, 'links')).flatMap(({ place: item }): LinkModel[] => {
    const { operationId, operationRef, parameters } = toRecord(follow(context.document, item).value);
    const target = toText(operationId) || toText(operationRef).replace(/^#/, '');
    const values = Object.entries(toRecord(parameters)).flatMap(([name, value]) => {
      const [, pointer] = IN_BODY.exec(toText(value)) ?? [];
      return pointer === undefined ? [] : [[name, pointer]];
    });
    return target === '' ? [] : [{ target, values: Object.fromEntries(values) }];
  });
  return links.length === 0 ? {} : { links };
}

/** The media types under `content`, in the descriptor's order. */
function buildContents(context: ModelContext, owner: Place): MediaTypeModel[] {
  return entriesBelow(below(owner, 'content')).map(({ name, place: item }) => {
    const place = follow(context.document, item);
    const schema = below(place, 'schema');
    const items = below(place, 'itemSchema');
    return {
      mediaType: name,
      schema: schema.value === undefined ? null : context.schemaAt(schema),
      ...(items.value === undefined ? {} : { itemSchema: context.schemaAt(items) }),
      ...buildEncoding(context, place, name),
      pointer: place.pointer,
    };
  });
}

/** The `encoding` of a media type by member; empty if none applies. */
function buildEncoding(
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
