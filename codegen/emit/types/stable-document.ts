/**
 * Prepares a copy of a descriptor for openapi-typescript: in stable order, without anything that would widen a type.
 */

import { byCodeUnit, setMember } from '../../json.ts';
import { type Kind, kindOfMember } from '../../load/keywords.ts';
import { METHODS, methodKey } from '../../model/methods.ts';
import { isIgnoredHeader } from '../../model/parameter.ts';
import { type Json, toObject } from './document-walk.ts';
import { resolveReference, withShallowReferences } from './shallow-references.ts';
import { tidySchema } from './tidy-schema.ts';

/** A parameter that the credential of a connection fills, or a parameter or a member of bodies that only repeats it. */
export interface UnsentPlace {
  /** `query`, `header`, `cookie` or `body`. */
  readonly in: string;
  readonly name: string;
}

/**
 * A deep copy of a bundled document (local references only) that gives the same types in whatever order the descriptor
 * lists things.
 *
 * - References lead to components.
 * - Operations of `additionalOperations` are next to the other operations of their path.
 * - Members are sorted by code unit, parameters by place and name.
 * - Operation ids that openapi-typescript would confuse are removed.
 * - Example Objects are removed: they have no type, and can be a fifth of a document. Examples of a schema stay.
 * - `$defs` are removed: openapi-typescript would emit them as members, and references to them already point to
 *   components.
 * - Header parameters that OpenAPI tells clients to ignore are removed.
 * - Parameters that are documents (`content`) have the schema of the document; one that is the whole query becomes a
 *   query parameter.
 * - Members that are `readOnly` or `writeOnly` by what they refer to are marked themselves: openapi-typescript looks no further.
 * - What the credential fills or makes superfluous is optional, because no tool sends it.
 * - Alternatives that only say which members are required (`anyOf: [{required: [a]}, {required: [b]}]`) are left out of
 *   the type: openapi-typescript reads them as `unknown`, which makes the whole union `unknown`.
 */
export function toStableDocument(document: unknown, unsentPlaces: readonly UnsentPlace[] = []): Json {
  const copy = sortMembers(withShallowReferences(document), 'node') as Json;
  const items = [...Object.values(toObject(copy.paths)), ...Object.values(toObject(copy.webhooks))].map(toObject);
  const operations = items.flatMap((item) => {
    const { additionalOperations, ...standardItem } = item;
    const additionalEntries = Object.entries(toObject(additionalOperations)).filter(
      ([method]) => !method.startsWith('x-'),
    );
    delete item.additionalOperations;
    for (const [method, operation] of additionalEntries) setMember(item, method, operation);
    return [
      ...METHODS.map((method) => toObject(standardItem[methodKey(method)])),
      ...additionalEntries.map(([, operation]) => toObject(operation)),
    ];
  });
  for (const owner of [...items, ...operations]) stabilizeParameters(copy, owner, unsentPlaces);
  for (const { in: location, name } of unsentPlaces)
    if (location === 'body') for (const operation of operations) makeMemberOptional(copy, operation, name);
  dropSharedIds(operations);
  markMembers(copy, copy, 'node');
  return copy;
}

function markMembers(document: Json, value: unknown, kind: Kind): void {
  if (typeof value !== 'object' || value === null || kind === 'opaque') return;
  if (kind === 'node') {
    for (const property of Object.values(toObject((value as Json).properties)).map(toObject)) {
      if (property.$ref === undefined && property.allOf === undefined) continue;
      for (const keyword of ['readOnly', 'writeOnly'])
        if (isMarked(document, property, keyword, new Set())) property[keyword] = true;
    }
  }
  for (const key of Object.keys(value)) {
    const item = (value as Json)[key];
    markMembers(document, item, Array.isArray(value) ? kind : kindOfMember(kind, key, item));
  }
}

function isMarked(document: Json, schema: Json, keyword: string, visitedSchemas: Set<unknown>): boolean {
  if (schema[keyword] === true) return true;
  if (visitedSchemas.has(schema)) return false;
  visitedSchemas.add(schema);
  const target = typeof schema.$ref === 'string' ? [resolveReference(document, schema)] : [];
  const subschemas = [...(Array.isArray(schema.allOf) ? schema.allOf : []), ...target].map(toObject);
  return subschemas.some((subschema) => isMarked(document, subschema, keyword, visitedSchemas));
}

/** openapi-typescript collects operations under their ids, and writes `#` in them as `/`: equal ids would collide. */
function dropSharedIds(operations: readonly Json[]): void {
  const idOf = ({ operationId }: Json) => String(operationId).replaceAll('#', '/');
  for (const [, group] of Map.groupBy(operations, idOf)) {
    if (group.length > 1) for (const operation of group) delete operation.operationId;
  }
}

function sortMembers(value: unknown, kind: Kind): unknown {
  if (typeof value !== 'object' || value === null || kind === 'opaque') return value;
  if (Array.isArray(value)) return value.map((item) => sortMembers(item, kind));
  const copy: Json = {};
  for (const key of Object.keys(value).sort()) {
    const item = (value as Json)[key];
    if (kind === 'node' && key === 'examples' && !Array.isArray(item)) continue;
    setMember(copy, key, sortMembers(item, kindOfMember(kind, key, item)));
  }
  if (kind === 'node') {
    liftContentSchema(copy);
    tidySchema(copy);
  }
  return copy;
}

/** Gives a parameter that is a document the type of its content: openapi-typescript would call it a string. */
function liftContentSchema(node: Json): void {
  if (!('in' in node) || typeof node.content !== 'object' || node.content === null) return;
  const [mediaType] = Object.values(node.content);
  node.schema = toObject(mediaType).schema ?? {};
  delete node.content;
}

function stabilizeParameters(document: Json, owner: Json, unsentPlaces: readonly UnsentPlace[]): void {
  if (!Array.isArray(owner.parameters)) return;
  const resolved = owner.parameters.map((parameter) => ({
    parameter,
    target: toObject(resolveReference(document, parameter)),
  }));
  owner.parameters = resolved
    .filter(({ target }) => target.in !== 'header' || !isIgnoredHeader(String(target.name)))
    .sort(
      ({ target: a }, { target: b }) =>
        byCodeUnit(String(a.in), String(b.in)) || byCodeUnit(String(a.name), String(b.name)),
    )
    .map(({ parameter, target }) => {
      const isFilled = target.required === true && unsentPlaces.some((unsentPlace) => isParameter(target, unsentPlace));
      if (target.in === 'querystring') return { ...target, in: 'query' };
      return isFilled ? { ...target, required: false } : parameter;
    });
}

/** @param name such as `token` or `auth.token` */
function makeMemberOptional(document: Json, { requestBody }: Json, name: string): void {
  const relax = (schema: unknown, names: readonly string[], visitedSchemas: Set<Json>): void => {
    const target = toObject(resolveReference(document, toObject(schema)));
    const [first = '', ...innerNames] = names;
    if (visitedSchemas.has(target) || names.length === 0) return;
    visitedSchemas.add(target);
    if (Array.isArray(target.required))
      target.required = target.required.filter((required) => required !== first && required !== name);
    relax(toObject(target.properties)[first], innerNames, new Set());
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
      const alternatives = target[keyword];
      if (Array.isArray(alternatives))
        for (const alternative of alternatives) relax(alternative, names, visitedSchemas);
    }
  };
  const body = toObject(resolveReference(document, toObject(requestBody)));
  for (const content of Object.values(toObject(body.content)))
    relax(toObject(content).schema, name.split('.'), new Set());
}

function isParameter(target: Json, { in: location, name }: UnsentPlace): boolean {
  const targetName = String(target.name);
  return (
    target.in === location &&
    (location === 'header' ? targetName.toLowerCase() === name.toLowerCase() : targetName === name)
  );
}
