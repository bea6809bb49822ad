/** Request bodies and responses: Request Body, Responses, Media Type and Encoding Objects (OpenAPI 3.1 §4.8.13 to §4.8.16). */

import { toRecord } from '../json.ts';
import type { ModelContext } from './context.ts';
import { childEntries, childNode, type DescriptorNode, dereference, toText } from './descriptor-node.ts';
import type { BodyModel, EncodingModel, LinkModel, MediaTypeModel, ResponseModel } from './types.ts';

/** The request body of an operation, or null. */
export function buildBody(context: ModelContext, operation: DescriptorNode): BodyModel | null {
  const item = childNode(operation, 'requestBody');
  if (item.value === undefined) return null;
  const bodyNode = dereference(context.document, item);
  const source = toRecord(bodyNode.value);
  if (source.content === undefined)
    context.report('reference-kind', item.pointer, 'This is not a request body: it lacks `content`.');
  return {
    required: source.required === true,
    description: toText(toRecord(item.value).description) || toText(source.description),
    contents: buildContents(context, bodyNode),
    pointer: bodyNode.pointer,
  };
}

const STATUS = /^([1-5]([0-9]{2}|xx)|default)$/i;

/** The responses of an operation, in the descriptor's order. */
export function buildResponses(context: ModelContext, operation: DescriptorNode): ResponseModel[] {
  const responses = childEntries(childNode(operation, 'responses')).filter(({ name }) => STATUS.test(name));
  return responses.map(({ name, node: item }) => {
    const responseNode = dereference(context.document, item);
    return {
      status: name === 'default' ? name : name.toUpperCase(),
      headers: childEntries(childNode(responseNode, 'headers')).map((header) => header.name.toLowerCase()),
      contents: buildContents(context, responseNode),
      ...buildLinks(context, responseNode),
    };
  });
}

/** A place in an answer, by names without any text for a model. */
const IN_BODY = /^\$response\.body#((?:\/[\w$.-]{1,64}){1,8})$/;

function buildLinks(context: ModelContext, response: DescriptorNode): { readonly links?: readonly LinkModel[] } {
  const links = childEntries(childNode(response, 'links')).flatMap(({ node: item }): LinkModel[] => {
    const { operationId, operationRef, parameters } = toRecord(dereference(context.document, item).value);
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
function buildContents(context: ModelContext, owner: DescriptorNode): MediaTypeModel[] {
  return childEntries(childNode(owner, 'content')).map(({ name, node: item }) => {
    const mediaTypeNode = dereference(context.document, item);
    const schema = childNode(mediaTypeNode, 'schema');
    const items = childNode(mediaTypeNode, 'itemSchema');
    return {
      mediaType: name,
      schema: schema.value === undefined ? null : context.schemaAt(schema),
      itemSchema: items.value === undefined ? undefined : context.schemaAt(items),
      ...buildEncoding(context, mediaTypeNode, name),
      pointer: mediaTypeNode.pointer,
    };
  });
}

/** The `encoding` of a media type by member; empty if none applies. */
function buildEncoding(
  context: ModelContext,
  mediaType: DescriptorNode,
  name: string,
): { readonly encoding?: Readonly<Record<string, EncodingModel>> } {
  const members = childEntries(childNode(mediaType, 'encoding'));
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(name);
  if (members.length === 0 || !(isForm || /^multipart\//i.test(name))) return {};
  const hasStyle = isForm || (context.openapi === '3.1' && /^multipart\/form-data\b/i.test(name));
  const encodings = members.map(({ name: member, node: encodingNode }) => {
    const style = hasStyle ? readStyle(encodingNode) : null;
    const contentTypes = style === null ? readContentTypes(encodingNode) : [];
    return [member, { contentTypes, style, headers: isForm ? [] : readHeaders(context, encodingNode) }] as const;
  });
  return { encoding: Object.fromEntries(encodings) };
}

/** "If a value is explicitly defined, then the value of `contentType` (implicit or explicit) SHALL be ignored." */
function readStyle({ value }: DescriptorNode): EncodingModel['style'] {
  const { style, explode, allowReserved } = toRecord(value);
  if (style === undefined && explode === undefined && allowReserved === undefined) return null;
  const name = toText(style) || 'form';
  return {
    style: name,
    explode: typeof explode === 'boolean' ? explode : name === 'form',
    allowReserved: allowReserved === true,
  };
}

function readContentTypes({ value }: DescriptorNode): string[] {
  const types = toText(toRecord(value).contentType).split(',');
  return types.map((type) => type.trim()).filter((type) => type !== '');
}

function readHeaders(context: ModelContext, encoding: DescriptorNode): EncodingModel['headers'] {
  return childEntries(childNode(encoding, 'headers'))
    .filter(({ name }) => name.toLowerCase() !== 'content-type')
    .map(({ name, node: headerNode }) => ({
      name,
      required: toRecord(dereference(context.document, headerNode).value).required === true,
    }));
}
