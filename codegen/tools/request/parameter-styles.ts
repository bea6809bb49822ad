/** Decides how parameters are written in a request, and which of them cannot be (OpenAPI 3.1 §4.8.12). */

import type { ParameterLocation, ParameterModel, Schema } from '../../model/types.ts';
import { essenceOf, isJsonMediaType, isTextMediaType } from '../body/media-types.ts';
import type { ParameterStyle } from '../call-model.ts';
import { kindsOf, MAX_ALTERNATIVE_DEPTH } from '../schema/kinds.ts';
import { mergeAllOf } from '../schema/merge.ts';
import { alternativesOf, type Resolve, schemaMap, toSchema } from '../schema/readers.ts';
import { ownHeader } from './own-headers.ts';

/** "Style Values" of OpenAPI 3.2 §4.12. */
const STYLES: Readonly<Record<ParameterLocation, readonly string[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form', 'cookie'],
};

/** Names of headers (RFC 9110 §5.1) and of cookies (RFC 6265 §4.1.1). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** True for a valid name of a header or of a cookie. */
export function isToken(name: string): boolean {
  return TOKEN.test(name);
}

/** Path parameter names that openapi-fetch reads as operators of a URI template. */
const OPERATOR_NAME = /^[.;]|\*$/;

/** Returns the reason why a parameter cannot be sent, as a text that follows "it needs", or null if it can be. */
export function unwritable(parameter: ParameterModel, resolve: Resolve): string | null {
  const { name, style, mediaType, in: place } = parameter;
  if (place === 'header' && ownHeader(name) === null) return `the header ${name}`;
  if ((place === 'header' || place === 'cookie') && !isToken(name)) {
    return `the ${place} ${JSON.stringify(name)}, whose name is no token of HTTP`;
  }
  if (mediaType !== null) return unwritableContent(parameter, mediaType, resolve);
  if (!STYLES[place].includes(style)) return `the style ${style} of the parameter ${name}`;
  if (place === 'header' && holdsStructures(parameter.schema, resolve)) {
    return `nested values in the header parameter ${name}, whose commas nothing escapes`;
  }
  return null;
}

function unwritableContent(
  { name, schema, isWholeQuery }: ParameterModel,
  mediaType: string,
  resolve: Resolve,
): string | null {
  if (isJsonMediaType(mediaType)) return null;
  const canBeText = isWholeQuery ? isTextMediaType(mediaType) : isText(mediaType);
  if (!canBeText) return `the parameter ${name} as ${mediaType}`;
  return isStructure(schema, resolve) ? `an array or object in the parameter ${name} as ${mediaType}` : null;
}

function isText(mediaType: string): boolean {
  return essenceOf(mediaType).startsWith('text/');
}

/**
 * The schema of a parameter's value. A text document without a type is a string; a required array or object must not be
 * empty, because an empty one cannot be written (RFC 6570 §2.3).
 */
export function schemaOf(parameter: ParameterModel, resolve: Resolve): Schema {
  const { mediaType, schema } = parameter;
  if (canBeNull(parameter)) return schema;
  const kinds = kindsOf(schema, resolve);
  if (mediaType !== null && kinds.size === 0) return { ...schema, type: 'string' };
  if (!parameter.required && parameter.in !== 'path') return schema;
  return {
    ...schema,
    ...(kinds.has('array') ? { minItems: atLeastOne(schema.minItems) } : {}),
    ...(kinds.has('object') ? { minProperties: atLeastOne(schema.minProperties) } : {}),
  };
}

function atLeastOne(bound: unknown): number {
  return typeof bound === 'number' && bound > 1 ? bound : 1;
}

/** True for a parameter that can express `null`: a JSON document. */
export function canBeNull(parameter: ParameterModel): boolean {
  return parameter.mediaType !== null && isJsonMediaType(parameter.mediaType);
}

/** Returns true for values whose form OpenAPI does not define. They are written as JSON, or as a deeper deep object. */
export function hasUndefinedForm(parameter: ParameterModel, resolve: Resolve): boolean {
  return parameter.mediaType === null && holdsStructures(parameter.schema, resolve);
}

/** True if each member of an object is a separate parameter. */
export function isSpread({ style, explode, mediaType }: ParameterModel): boolean {
  return mediaType === null && style === 'form' && explode;
}

/** Returns the style of a parameter for which one percent-encoded value (in a header: one value) is not enough, else null. */
export function styleOf(parameter: ParameterModel, resolve: Resolve): ParameterStyle | null {
  const { mediaType, explode, allowReserved, style, name } = parameter;
  if (mediaType !== null) return { content: mediaType, whole: parameter.isWholeQuery };
  const kinds = kindsOf(parameter.schema, resolve);
  const isPlain = kinds.size > 0 && !kinds.has('array') && !kinds.has('object');
  if (parameter.in === 'query') {
    return isPlain && !allowReserved ? null : { style, explode, allowReserved };
  }
  const isBare = isPlain && (style === 'simple' || style === 'form');
  return isBare && !(parameter.in === 'path' && OPERATOR_NAME.test(name)) ? null : { style, explode };
}

/** True for an array or object that contains arrays or objects. */
function holdsStructures(schema: Schema, resolve: Resolve, depth = 0): boolean {
  const { schema: merged } = mergeAllOf(schema, resolve);
  const variants = depth < MAX_ALTERNATIVE_DEPTH ? alternativesOf(merged) : [];
  const inner = [
    ...(merged.items === undefined ? [] : [toSchema(merged.items)]),
    ...(merged.additionalProperties === undefined ? [] : [toSchema(merged.additionalProperties)]),
    ...schemaMap(merged, 'properties').map(([, member]) => member),
  ];
  return (
    inner.some((member) => isStructure(member, resolve)) ||
    variants.some((variant) => holdsStructures(variant, resolve, depth + 1))
  );
}

/** True for a schema that accepts only arrays or objects. */
function isStructure(schema: Schema, resolve: Resolve): boolean {
  const kinds = [...kindsOf(schema, resolve)].filter((kind) => kind !== 'null');
  return kinds.length > 0 && kinds.every((kind) => kind === 'object' || kind === 'array');
}
