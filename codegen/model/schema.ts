/** Schema Objects of OpenAPI 3.0 and 3.1, read into one dialect: JSON Schema 2020-12 without OpenAPI's additions. */

import type { DiagnosticCode } from '../diagnostics.ts';
import { toRecord } from '../json.ts';
import { hasNullablePart, withNullable } from './nullable.ts';
import { below, entriesBelow, itemsBelow, lookUp, type Place } from './place.ts';
import { KEYWORDS, type KeywordShape, toScalar } from './schema-keywords.ts';
import type { Schema } from './types.ts';

interface SchemaReader {
  /** The normalized schema at a place, always the same object for the same pointer. */
  schemaAt(place: Place): Schema;
  /** The normalized schema behind `#/...`. @throws {Error} where it leads nowhere. */
  resolve(ref: string): Schema;
  /** Reads every schema that the ones read so far refer to, so that all of their problems are known. */
  readReferenced(): void;
}

type Report = (code: DiagnosticCode, pointer: string, message: string) => void;

/** Reads the schemas of one descriptor, each once, and never changes the descriptor. */
export function createSchemaReader(document: unknown, openapi: '3.0' | '3.1', report: Report): SchemaReader {
  const known = new Map<string, Schema>();
  const resolved = new Map<string, Schema>();
  const referenced: string[] = [];

  const schemaAt = (place: Place): Schema => {
    const before = known.get(place.pointer);
    if (before !== undefined) return before;
    const schema = readSchema(place);
    known.set(place.pointer, schema);
    return schema;
  };

  const readSchema = (place: Place): Schema => {
    if (place.value === true) return {};
    if (place.value === false) return { not: {} };
    if (place.value === null || typeof place.value !== 'object' || Array.isArray(place.value)) {
      report('schema-invalid', place.pointer, `A schema must be an object, not ${JSON.stringify(place.value)}.`);
      return {};
    }
    const source = toRecord(place.value);
    if (typeof source.$ref === 'string' && openapi === '3.0') return readReference30(source.$ref, source);
    const isNullable = source.nullable === true || (openapi === '3.0' && hasNullablePart(source.allOf));
    return withNullable(readKeywords(source, place), isNullable);
  };

  /**
   * OpenAPI 3.0 ignores what stands beside a `$ref`. Its words are kept, because they mislead nobody, and `nullable`,
   * because authors mean it: see `withNullable`.
   */
  const readReference30 = (ref: string, source: Readonly<Record<string, unknown>>): Schema => {
    const { description } = source;
    const reference = { $ref: noteReference(ref), ...(typeof description === 'string' ? { description } : {}) };
    return withNullable(reference, source.nullable === true);
  };

  const readKeywords = (source: Readonly<Record<string, unknown>>, place: Place): Record<string, unknown> => {
    const schema: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(source)) {
      const shape = KEYWORDS.get(keyword);
      const isTuple = keyword === 'items' && Array.isArray(value);
      if (shape === undefined || value === undefined || isTuple) continue;
      const read = readKeyword(shape, below(place, keyword));
      if (read !== undefined) schema[keyword] = read;
    }
    translateBounds(schema, source);
    translateTuples(schema, source, place);
    translateExamples(schema, source);
    translateDiscriminator(schema, below(place, 'discriminator'));
    for (const keyword of ['$dynamicRef', '$recursiveRef']) {
      if (source[keyword] === undefined) continue;
      report('schema-dynamic-reference', `${place.pointer}/${keyword}`, `\`${keyword}\` is read as "anything".`);
    }
    return schema;
  };

  /** The normalized value of a keyword; undefined for one that is left out. */
  const readKeyword = (shape: KeywordShape, place: Place): unknown => {
    const { value } = place;
    switch (shape) {
      case 'reference':
        return typeof value === 'string' ? noteReference(value) : undefined;
      case 'schema':
        return schemaAt(place);
      case 'schemas':
        if (!Array.isArray(value)) break;
        return value.length === 0 ? undefined : itemsBelow(place).map(schemaAt);
      case 'schemaMap':
        if (value === null || typeof value !== 'object' || Array.isArray(value)) break;
        return Object.fromEntries(Object.keys(value).map((name) => [name, schemaAt(below(place, name))]));
      default: {
        const scalar = toScalar(shape, value);
        if (scalar.isValid && (shape === 'values' || shape === 'any')) reportInexact(place);
        if (scalar.isValid) return scalar.value;
      }
    }
    report('schema-keyword', place.pointer, `${JSON.stringify(value)} is not a value of this keyword; it is left out.`);
    return undefined;
  };

  /** A value that a model could only copy wrongly. Bounds may be rounded: they only get wider. */
  const reportInexact = ({ value, pointer }: Place): void => {
    const lost = [value].flat().find((one) => Number.isInteger(one) && !Number.isSafeInteger(one));
    if (lost === undefined) return;
    report(
      'schema-number-inexact',
      pointer,
      `${String(lost)} stands for a number that JavaScript cannot hold exactly.`,
    );
  };

  /** One spelling for each target, so that references can be compared as strings. */
  const noteReference = (ref: string): string => {
    const place = lookUp(document, ref);
    if (place === null) return ref;
    const canonical = `#${place.pointer.replaceAll('%', '%25')}`;
    referenced.push(canonical);
    return canonical;
  };

  /** `items: [...]` and `additionalItems` of older drafts. */
  const translateTuples = (
    schema: Record<string, unknown>,
    source: Readonly<Record<string, unknown>>,
    place: Place,
  ): void => {
    if (!Array.isArray(source.items)) return;
    schema.prefixItems ??= itemsBelow(below(place, 'items')).map(schemaAt);
    if (source.additionalItems !== undefined) schema.items = schemaAt(below(place, 'additionalItems'));
  };

  /** `discriminator`, its mapping turned round: which values choose which reference. Names of schemas become references. */
  const translateDiscriminator = (schema: Record<string, unknown>, place: Place): void => {
    const { propertyName, mapping } = toRecord(place.value);
    if (typeof propertyName !== 'string' || (schema.oneOf === undefined && schema.anyOf === undefined)) return;
    const values = Object.entries(toRecord(mapping)).flatMap(([value, target]) => {
      if (typeof target !== 'string') return [];
      const ref = target.includes('/') ? target : `#/components/schemas/${target.replace(/\.ya?ml$|\.json$/, '')}`;
      const found = lookUp(document, ref);
      return found === null ? [] : [{ value, ref: noteReference(ref) }];
    });
    schema.discriminator = { propertyName, values };
  };

  const resolve = (ref: string): Schema => {
    const before = resolved.get(ref);
    if (before !== undefined) return before;
    const place = lookUp(document, ref);
    if (place === null) throw new Error(`The descriptor has no ${ref}.`);
    const schema = schemaAt(place);
    resolved.set(ref, schema);
    return schema;
  };

  return {
    schemaAt,
    resolve,
    readReferenced: () => {
      for (let ref = referenced.pop(); ref !== undefined; ref = referenced.pop()) {
        resolve(ref);
      }
    },
  };
}

/** `exclusiveMinimum: true` beside `minimum: 1`, as OpenAPI 3.0 has it, becomes `exclusiveMinimum: 1`. */
function translateBounds(schema: Record<string, unknown>, source: Readonly<Record<string, unknown>>): void {
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (source[exclusive] !== true || schema[bound] === undefined) continue;
    schema[exclusive] = schema[bound];
    delete schema[bound];
  }
}

/** `example`, and `examples` written as an object of Example Objects, become the array of JSON Schema. */
function translateExamples(schema: Record<string, unknown>, source: Readonly<Record<string, unknown>>): void {
  if (schema.examples === undefined && source.examples !== undefined && !Array.isArray(source.examples)) {
    const values = entriesBelow({ value: source.examples, pointer: '' }).map(
      ({ place }) => toRecord(place.value).value,
    );
    const given = values.filter((value) => value !== undefined);
    if (given.length > 0) schema.examples = given;
  }
  if (schema.examples === undefined && source.example !== undefined) schema.examples = [source.example];
}
