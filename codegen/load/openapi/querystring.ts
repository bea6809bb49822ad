/**
 * Turns forms that are a whole query (`in: querystring`, OpenAPI 3.2 §4.12) into the query parameters that they write.
 */

import { isRecord, toRecord, withoutUndefined } from '../../json.ts';
import { escapeToken } from '../../json-pointer.ts';
import { findTarget, resolveObject } from './find-target.ts';
import { type Json, METHODS } from './types.ts';

const FORM = /^application\/x-www-form-urlencoded\b/i;

/** Keywords by which an object is more than its separate members. */
const OTHER_OBJECT_KEYWORDS = [
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'patternProperties',
  'propertyNames',
  'minProperties',
];

/**
 * A form with named members becomes one parameter for each; any other form becomes one exploded object, which is
 * written the same way. Content that is not a form stays: it is the text after the `?`.
 *
 * @param document as `repairDescriptor` leaves it; changed in place.
 */
export function expandForms(document: Json): void {
  const items = [
    ...Object.values(toRecord(document.paths)),
    ...Object.values(toRecord(toRecord(document.components).pathItems)),
  ];
  for (const item of items.filter(isObject)) {
    const itemParameters = listOf(item.parameters);
    const isQuerystring = (parameter: unknown) => resolveObject(document, parameter).in === 'querystring';
    const inherited = itemParameters.filter(isQuerystring);
    if (inherited.length > 0) item.parameters = itemParameters.filter((parameter) => !isQuerystring(parameter));
    for (const operation of operationsOf(item)) {
      const operationParameters = listOf(operation.parameters);
      const parameters = operationParameters.some(isQuerystring)
        ? operationParameters
        : [...operationParameters, ...inherited];
      if (parameters.some(isQuerystring))
        operation.parameters = parameters.flatMap((parameter) => toParameters(document, parameter));
    }
  }
}

function operationsOf(item: Json): Json[] {
  const additionalOperations = Object.values(toRecord(item.additionalOperations));
  return [...METHODS.map((method) => item[method]), ...additionalOperations].filter(isObject);
}

/** Marks the object as mutable, since it is changed in place. */
function isObject(value: unknown): value is Json {
  return isRecord(value);
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function toParameters(document: Json, item: unknown): unknown[] {
  const parameter = resolveObject(document, item);
  const [[mediaType = '', content] = []] = Object.entries(toRecord(parameter.content));
  if (parameter.in !== 'querystring' || !FORM.test(mediaType)) return [item];
  const { schema = {}, encoding } = resolveObject(document, content);
  const members = toMembers(document, schema, parameter.required === true);
  if (members === null) {
    const { content: _, ...rest } = parameter;
    return [{ ...rest, in: 'query', style: 'form', explode: true, schema }];
  }
  return members.map(({ name, member, required }) => {
    const { deprecated, type } = resolveObject(document, member);
    const { style, explode, allowReserved, contentType } = toRecord(toRecord(encoding)[name]);
    const isStyled = [style, explode, allowReserved].some((setting) => setting !== undefined);
    const isDocument = !isStyled && (typeof contentType === 'string' ? /json/i.test(contentType) : type === 'object');
    return withoutUndefined({
      name,
      in: 'query',
      required,
      deprecated: deprecated === true ? true : undefined,
      style,
      explode,
      allowReserved,
      content: isDocument ? { 'application/json': { schema: member } } : undefined,
      schema: isDocument ? undefined : member,
    });
  });
}

interface Member {
  readonly name: string;
  readonly member: unknown;
  readonly required: boolean;
}

/** Null if the members alone do not describe the form; a form that is optional can only require members as a whole. */
function toMembers(document: Json, schema: unknown, isRequired: boolean): Member[] | null {
  let target: { readonly ref: string | null; readonly value: Json } = { ref: null, value: toRecord(schema) };
  for (let hops = 0; typeof target.value.$ref === 'string' && hops < 100; hops += 1) {
    const { $ref: ref } = target.value;
    target = { ref, value: toRecord(findTarget(document, ref)?.value) };
  }
  const { ref, value } = target;
  const required = listOf(value.required);
  const properties = Object.entries(toRecord(value.properties));
  const isOpen = value.additionalProperties !== undefined && value.additionalProperties !== false;
  if (properties.length === 0 || isOpen || OTHER_OBJECT_KEYWORDS.some((keyword) => keyword in value)) return null;
  if (!isRequired && required.length > 0) return null;
  return properties
    .filter(([, member]) => toRecord(member).readOnly !== true)
    .map(([name, member]) => ({
      name,
      member: ref === null ? member : { $ref: `${ref}/properties/${encodeURIComponent(escapeToken(name))}` },
      required: required.includes(name),
    }));
}
