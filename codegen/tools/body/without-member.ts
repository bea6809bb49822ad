/** Removes a member that the credential fills from the schema of a body. */

import { isRecord } from '../../json.ts';
import type { Schema } from '../../model/types.ts';
import { mergeAllOf } from '../schema/merge.ts';
import { propertyOf, type Resolve, refOf, requiredOf, schemaList } from '../schema/readers.ts';

/** Keywords that may show a value of the object. */
const VALUE_KEYWORDS = ['default', 'example', 'examples'] as const;

/**
 * The schema without the member at a path, in all of its parts and alternatives; the same object if none has it.
 *
 * An object that becomes empty is removed too, and a body that becomes empty takes no members.
 */
export function withoutMember(schema: Schema, path: readonly string[], resolve: Resolve): Schema {
  const clean = strip(schema, path, resolve, []);
  if (clean === schema) return schema;
  const parent = path.slice(0, -1);
  if (!isEmptied(clean, parent, resolve)) return clean;
  if (parent.length > 0) return withoutMember(clean, parent, resolve);
  const { schema: merged } = mergeAllOf(clean, resolve);
  return { ...merged, type: 'object', additionalProperties: false };
}

function strip(schema: Schema, path: readonly string[], resolve: Resolve, visitedRefs: readonly string[]): Schema {
  const ref = refOf(schema);
  if (ref !== null) {
    const { $ref: _, ...siblings } = schema;
    const target = visitedRefs.includes(ref) ? null : resolve(ref);
    const clean = target === null ? null : strip(target, path, resolve, [...visitedRefs, ref]);
    const cleanSiblings = strip(siblings, path, resolve, visitedRefs);
    if (clean === target || clean === null)
      return cleanSiblings === siblings ? schema : { $ref: ref, ...cleanSiblings };
    return Object.keys(siblings).length === 0
      ? clean
      : { ...cleanSiblings, allOf: [clean, ...schemaList(cleanSiblings, 'allOf')] };
  }
  const [name = '', ...rest] = path;
  const edits: Record<string, unknown> = {};
  for (const keyword of ['allOf', 'anyOf', 'oneOf'] as const) {
    const subschemas = schemaList(schema, keyword);
    const clean = subschemas.map((part) => strip(part, path, resolve, visitedRefs));
    if (clean.some((part, index) => part !== subschemas[index])) edits[keyword] = clean;
  }
  const member = propertyOf(schema, name);
  const inner = member === null || rest.length === 0 ? null : strip(member, rest, resolve, []);
  if (member !== null && inner !== member) {
    const { [name]: _, ...otherProperties } = schema.properties as Schema;
    edits.properties = inner === null ? otherProperties : { ...otherProperties, [name]: inner };
  }
  const required = requiredOf(schema);
  const isOptional = inner === null ? rest.length === 0 : inner !== member && requiredOf(inner).length === 0;
  if (isOptional && required.includes(name)) edits.required = required.filter((other) => other !== name);
  if (Object.keys(edits).length === 0) return schema;
  for (const keyword of VALUE_KEYWORDS)
    if (schema[keyword] !== undefined) edits[keyword] = withoutValue(schema[keyword], path);
  return { ...schema, ...edits };
}

function withoutValue(value: unknown, path: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutValue(item, path));
  const [name = '', ...rest] = path;
  if (!isRecord(value) || !Object.hasOwn(value, name)) return value;
  const { [name]: inner, ...otherMembers } = value;
  return rest.length === 0 ? otherMembers : { ...otherMembers, [name]: withoutValue(inner, rest) };
}

/** True if the object at a path declares no members, and would accept any by default. */
function isEmptied(root: Schema, path: readonly string[], resolve: Resolve): boolean {
  let { schema, leftovers } = mergeAllOf(root, resolve);
  for (const name of path) {
    const member = propertyOf(schema, name);
    if (member === null) return false;
    ({ schema, leftovers } = mergeAllOf(member, resolve));
  }
  const isClosed = schema.additionalProperties === undefined || schema.additionalProperties === false;
  const hasMore = (['anyOf', 'oneOf', 'patternProperties'] as const).some((keyword) => schema[keyword] !== undefined);
  return (
    isClosed &&
    !hasMore &&
    leftovers.length === 0 &&
    isRecord(schema.properties) &&
    Object.keys(schema.properties).length === 0
  );
}
