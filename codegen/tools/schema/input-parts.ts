/** Writes the parts of a schema of a tool's arguments: its description, its keywords, and its subschemas. */

import { findPatternProblem } from '../../../shared/patterns/index.ts';
import { isRecord, withoutUndefined } from '../../json.ts';
import type { Schema } from '../../model/types.ts';
import { toPlainText } from '../words/plain-text.ts';
import { joinSentences, MAX_ARGUMENT_DESCRIPTION_CHARS, toCleanText, toShortText } from '../words/texts.ts';
import { toWords } from '../words/words.ts';
import { choosesByUnstatedValue, readAlternatives } from './discriminator.ts';
import { cleanKeywords, droppedInWords } from './keywords.ts';
import { mergeAllOf, readOnlyMembers } from './merge.ts';
import { toTypeKeyword } from './nulls.ts';
import { haveOverlap } from './overlap.ts';
import { isNever, type Resolve, requiredOf, schemaList, schemaMap, toSchema, typesOf } from './readers.ts';

/** The functions that write the parts of a schema. */
interface SchemaWriters {
  /** True in `not` or `if`. */
  readonly isCondition: boolean;
  readonly write: (schema: Schema) => Schema;
  /** Writes subschemas of `not` and `if`, where an inferred type would change the meaning. */
  readonly writeCondition: (schema: Schema) => Schema;
  readonly resolve: Resolve;
  readonly onBadPattern: (pattern: string, problem: string) => void;
}

/** The keywords of a merged schema. @param leftovers `allOf` branches that could not be merged. */
export function writeParts(schema: Schema, leftovers: readonly Schema[], writing: SchemaWriters): Schema {
  const types = writing.isCondition ? typesOf({ type: schema.type }) : typesOf(schema);
  const { pattern } = schema;
  const problem = typeof pattern === 'string' ? findPatternProblem(pattern) : null;
  if (problem !== null) writing.onBadPattern(String(pattern), problem);
  const description = toArgumentText(schema);
  const typeAndText = withoutUndefined({
    type: types.length === 0 ? undefined : toTypeKeyword(types),
    description: description || undefined,
  });
  return {
    ...typeAndText,
    ...cleanKeywords(withoutReadOnlyDependents(schema, writing)),
    ...writeObject(schema, writing),
    ...writeArray(schema, types, writing),
    ...writeLogic(schema, leftovers, writing),
  };
}

function writeObject(schema: Schema, { write, resolve, onBadPattern }: SchemaWriters): Schema {
  const members = schemaMap(schema, 'properties');
  const readOnlyNames = new Set(readOnlyMembers(members, resolve));
  const properties = members.filter(([name]) => !readOnlyNames.has(name));
  const required = requiredOf(schema).filter((name) => !readOnlyNames.has(name));
  const patterns = schemaMap(schema, 'patternProperties').filter(([key]) => {
    const problem = findPatternProblem(key);
    if (problem !== null) onBadPattern(key, problem);
    return problem === null;
  });
  const dependent = schemaMap(schema, 'dependentSchemas').map(
    ([name, part]) => [name, withoutDemandFor(part, readOnlyNames, resolve)] as const,
  );
  const additional = schema.additionalProperties;
  const writeMembers = (list: readonly (readonly [string, Schema])[]): Schema =>
    Object.fromEntries(list.map(([key, member]) => [key, write(member)]));
  const result: Record<string, unknown> = {};
  if (properties.length > 0) result.properties = writeMembers(properties);
  if (patterns.length > 0) result.patternProperties = writeMembers(patterns);
  if (required.length > 0) result.required = required;
  if (additional !== undefined) {
    result.additionalProperties = isNever(additional) ? false : write(toSchema(additional));
  }
  if (isRecord(schema.propertyNames)) result.propertyNames = write(schema.propertyNames);
  if (dependent.length > 0) result.dependentSchemas = writeMembers(dependent);
  return result;
}

function withoutReadOnlyDependents(schema: Schema, { resolve }: SchemaWriters): Schema {
  const names = new Set(readOnlyMembers(schemaMap(schema, 'properties'), resolve));
  const { dependentRequired, ...rest } = schema;
  if (names.size === 0 || !isRecord(dependentRequired)) return schema;
  return withoutUndefined({ ...rest, dependentRequired: dependentRequiredWithout(dependentRequired, names) });
}

const MAX_PART_DEPTH = 4;

/** A part of a schema that demands none of the members that no request has. Returns the part itself if it demands none. */
function withoutDemandFor(part: Schema, names: ReadonlySet<string>, resolve: Resolve, depth = 0): Schema {
  if (names.size === 0 || depth > MAX_PART_DEPTH) return part;
  const { schema, leftovers } = mergeAllOf(part, resolve);
  const required = requiredOf(schema);
  const remaining = required.filter((name) => !names.has(name));
  const { dependentRequired } = schema;
  const isDependent = isRecord(dependentRequired) && demands(dependentRequired, names);
  const changed: Record<string, unknown> = {};
  if (remaining.length < required.length) changed.required = remaining.length > 0 ? remaining : undefined;
  if (isDependent) changed.dependentRequired = dependentRequiredWithout(dependentRequired, names);
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const variants = schemaList(schema, keyword);
    const sent = variants.map((variant) => withoutDemandFor(variant, names, resolve, depth + 1));
    if (sent.some((variant, index) => variant !== variants[index])) changed[keyword] = sent;
  }
  // Alternatives that no longer demand what told them apart may fit together.
  if (changed.oneOf !== undefined && schema.anyOf === undefined) {
    changed.anyOf = changed.oneOf;
    changed.oneOf = undefined;
  }
  if (Object.keys(changed).length === 0) return part;
  return withoutUndefined({ ...schema, allOf: leftovers.length > 0 ? leftovers : undefined, ...changed });
}

function demands(dependentRequired: Readonly<Record<string, unknown>>, names: ReadonlySet<string>): boolean {
  return Object.values(dependentRequired).some((list) => Array.isArray(list) && list.some((name) => names.has(name)));
}

function dependentRequiredWithout(
  dependentRequired: Readonly<Record<string, unknown>>,
  names: ReadonlySet<string>,
): Schema | undefined {
  const entries = Object.entries(dependentRequired).flatMap(([name, list]) => {
    const remaining = Array.isArray(list) ? list.filter((dependent) => !names.has(dependent)) : [];
    return names.has(name) || remaining.length === 0 ? [] : [[name, remaining] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function writeArray(schema: Schema, types: readonly string[], { write }: SchemaWriters): Schema {
  const prefix = schemaList(schema, 'prefixItems');
  const result: Record<string, unknown> = {};
  if (prefix.length > 0) result.prefixItems = prefix.map(write);
  if (schema.items !== undefined || types.includes('array')) result.items = write(toSchema(schema.items));
  if (isRecord(schema.contains)) result.contains = write(schema.contains);
  return result;
}

function writeLogic(
  schema: Schema,
  leftovers: readonly Schema[],
  { write, writeCondition, resolve }: SchemaWriters,
): Schema {
  const logic: Record<string, unknown> = {};
  const readOnlyNames = new Set(readOnlyMembers(schemaMap(schema, 'properties'), resolve));
  const toRequest = (part: Schema): Schema => withoutDemandFor(part, readOnlyNames, resolve);
  if (leftovers.length > 0) logic.allOf = leftovers.map((part) => write(toRequest(part)));
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const variants = readAlternatives(schema, keyword, resolve);
    if (variants.length === 0) continue;
    const sent = variants.map(toRequest);
    const isLoosened = sent.some((variant, index) => variant !== variants[index]);
    const mayOverlap =
      isLoosened || haveOverlap(keyword, variants, resolve) || choosesByUnstatedValue(schema, variants, resolve);
    logic[mayOverlap ? 'anyOf' : keyword] = sent.map(write);
  }
  for (const keyword of ['then', 'else'] as const) {
    if (schema[keyword] !== undefined) logic[keyword] = write(toRequest(toSchema(schema[keyword])));
  }
  for (const keyword of ['not', 'if'] as const) {
    if (schema[keyword] !== undefined) logic[keyword] = writeCondition(toSchema(schema[keyword]));
  }
  return logic;
}

/** The text of a schema for a model: its description or an informative title, and dropped keywords in words. */
export function toArgumentText(schema: Schema): string {
  const description = toPlainText(schema.description);
  const title = toCleanText(schema.title);
  const text = description !== '' ? description : toWords(title).length > 2 ? title : '';
  const fullText = joinSentences(schema.deprecated === true ? 'Deprecated.' : '', text, droppedInWords(schema));
  const finalText = fullText === `${text}.` ? text : fullText;
  return toShortText(finalText, MAX_ARGUMENT_DESCRIPTION_CHARS);
}
