/** Reads Schema Objects of OpenAPI 3.0 and 3.1 into one dialect: JSON Schema 2020-12 without OpenAPI's additions. */

import type { DiagnosticCode } from '../diagnostics.ts';
import { isRecord, toRecord, withoutUndefined } from '../json.ts';
import { remember } from '../remember.ts';
import { childEntries, childItems, childNode, type DescriptorNode, lookUp } from './descriptor-node.ts';
import { hasNullablePart, withNullable } from './nullable.ts';
import { KEYWORDS, type KeywordShape, toScalar } from './schema-keywords.ts';
import type { Schema } from './types.ts';

interface SchemaReader {
  /** The normalized schema at a place, always the same object for the same pointer. */
  schemaAt(node: DescriptorNode): Schema;
  /** The normalized schema behind `#/...`. @throws {Error} if it does not resolve. */
  resolve(ref: string): Schema;
  /** Reads every schema that the schemas read so far refer to, so that all their problems are known. */
  readReferenced(): void;
}

type Report = (code: DiagnosticCode, pointer: string, message: string) => void;

/** Reads the schemas of one descriptor, each once, and never changes the descriptor. */
export function createSchemaReader(document: unknown, openapi: '3.0' | '3.1', report: Report): SchemaReader {
  const schemasByPointer = new Map<string, Schema>();
  const schemasByReference = new Map<string, Schema>();
  const referenced: string[] = [];

  const schemaAt = (node: DescriptorNode): Schema =>
    remember(schemasByPointer, node.pointer, () => readSchema(node, openapi, reading));

  /** One spelling for each target, so that references can be compared as strings. */
  const referenceTo = (node: DescriptorNode): string => {
    const canonical = `#${node.pointer.replaceAll('%', '%25')}`;
    referenced.push(canonical);
    return canonical;
  };

  const reading: Reading = { schemaAt, lookUp: (ref) => lookUp(document, ref), referenceTo, report };

  const resolve = (ref: string): Schema =>
    remember(schemasByReference, ref, () => {
      const node = lookUp(document, ref);
      if (node === null) throw new Error(`The descriptor has no ${ref}.`);
      return schemaAt(node);
    });

  const readReferenced = (): void => {
    for (let ref = referenced.pop(); ref !== undefined; ref = referenced.pop()) resolve(ref);
  };

  return { schemaAt, resolve, readReferenced };
}

/** Shared by the readers of a schema's parts. */
interface Reading {
  readonly schemaAt: (node: DescriptorNode) => Schema;
  /** Null if a reference does not resolve. */
  readonly lookUp: (ref: string) => DescriptorNode | null;
  /** The reference to a place, which will be read later. */
  readonly referenceTo: (node: DescriptorNode) => string;
  readonly report: Report;
}

type Source = Readonly<Record<string, unknown>>;

function readSchema(node: DescriptorNode, openapi: '3.0' | '3.1', reading: Reading): Schema {
  if (node.value === true) return {};
  if (node.value === false) return { not: {} };
  if (!isRecord(node.value)) {
    reading.report('schema-invalid', node.pointer, `A schema must be an object, not ${JSON.stringify(node.value)}.`);
    return {};
  }
  const source = node.value;
  if (typeof source.$ref === 'string' && openapi === '3.0') return readReference30(source.$ref, source, reading);
  const isNullable = source.nullable === true || (openapi === '3.0' && hasNullablePart(source.allOf));
  return withNullable(readKeywords(source, node, reading), isNullable);
}

/**
 * Reads a reference of OpenAPI 3.0, which ignores keywords next to a `$ref`. The description stays, because it misleads no reader, and `nullable`,
 * because authors mean it: see `withNullable`.
 */
function readReference30(ref: string, { description, nullable }: Source, reading: Reading): Schema {
  const text = typeof description === 'string' ? description : undefined;
  return withNullable(withoutUndefined({ $ref: toReference(ref, reading), description: text }), nullable === true);
}

function toReference(ref: string, { lookUp, referenceTo }: Reading): string {
  const node = lookUp(ref);
  return node === null ? ref : referenceTo(node);
}

function readKeywords(source: Source, node: DescriptorNode, reading: Reading): Record<string, unknown> {
  const schema: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(source)) {
    const shape = KEYWORDS.get(keyword);
    const isTuple = keyword === 'items' && Array.isArray(value);
    if (shape === undefined || value === undefined || isTuple) continue;
    const keywordValue = readKeyword(shape, childNode(node, keyword), reading);
    if (keywordValue !== undefined) schema[keyword] = keywordValue;
  }
  translateBounds(schema, source);
  translateTuples(schema, source, node, reading);
  translateExamples(schema, source);
  translateDiscriminator(schema, source.discriminator, reading);
  for (const keyword of ['$dynamicRef', '$recursiveRef']) {
    if (source[keyword] === undefined) continue;
    reading.report('schema-dynamic-reference', `${node.pointer}/${keyword}`, `\`${keyword}\` is read as "anything".`);
  }
  return schema;
}

/** Returns the normalised value of a keyword, or undefined if it is left out. */
function readKeyword(shape: KeywordShape, node: DescriptorNode, reading: Reading): unknown {
  const { value, pointer } = node;
  const { schemaAt, report } = reading;
  switch (shape) {
    case 'reference':
      return typeof value === 'string' ? toReference(value, reading) : undefined;
    case 'schema':
      return schemaAt(node);
    case 'schemas':
      if (!Array.isArray(value)) break;
      return value.length === 0 ? undefined : childItems(node).map(schemaAt);
    case 'schemaMap':
      if (!isRecord(value)) break;
      return Object.fromEntries(Object.keys(value).map((name) => [name, schemaAt(childNode(node, name))]));
    default: {
      const scalar = toScalar(shape, value);
      if (scalar.isValid && (shape === 'values' || shape === 'any')) reportInexact(node, report);
      if (scalar.isValid) return scalar.value;
    }
  }
  report(
    'schema-keyword',
    pointer,
    `${JSON.stringify(value)} is no value of \`${pointer.slice(pointer.lastIndexOf('/') + 1)}\`; it is left out.`,
  );
  return undefined;
}

/** Reports a number that a model could not copy exactly. Bounds may be rounded: they only get wider. */
function reportInexact({ value, pointer }: DescriptorNode, report: Report): void {
  const inexactNumber = [value].flat().find((item) => Number.isInteger(item) && !Number.isSafeInteger(item));
  if (inexactNumber === undefined) return;
  report(
    'schema-number-inexact',
    pointer,
    `${String(inexactNumber)} stands for a number that JavaScript cannot hold exactly.`,
  );
}

/** `items: [...]` and `additionalItems` of older drafts. */
function translateTuples(
  schema: Record<string, unknown>,
  source: Source,
  node: DescriptorNode,
  { schemaAt }: Reading,
): void {
  if (!Array.isArray(source.items)) return;
  schema.prefixItems ??= childItems(childNode(node, 'items')).map(schemaAt);
  if (source.additionalItems !== undefined) schema.items = schemaAt(childNode(node, 'additionalItems'));
}

/**
 * `discriminator` with its mapping inverted: which values select which reference. Names of schemas become references.
 */
function translateDiscriminator(
  schema: Record<string, unknown>,
  discriminator: unknown,
  { lookUp, referenceTo }: Reading,
): void {
  const { propertyName, mapping } = toRecord(discriminator);
  if (typeof propertyName !== 'string' || (schema.oneOf === undefined && schema.anyOf === undefined)) return;
  const values = Object.entries(toRecord(mapping)).flatMap(([value, target]) => {
    if (typeof target !== 'string') return [];
    const ref = target.includes('/') ? target : `#/components/schemas/${target.replace(/\.ya?ml$|\.json$/, '')}`;
    const selectedNode = lookUp(ref);
    return selectedNode === null ? [] : [{ value, ref: referenceTo(selectedNode) }];
  });
  schema.discriminator = { propertyName, values };
}

/** `exclusiveMinimum: true` next to `minimum: 1`, the form of OpenAPI 3.0, becomes `exclusiveMinimum: 1`. */
function translateBounds(schema: Record<string, unknown>, source: Source): void {
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
function translateExamples(schema: Record<string, unknown>, source: Source): void {
  if (schema.examples === undefined && source.examples !== undefined && !Array.isArray(source.examples)) {
    const values = childEntries({ value: source.examples, pointer: '' }).map(
      ({ node: exampleNode }) => toRecord(exampleNode.value).value,
    );
    const exampleValues = values.filter((value) => value !== undefined);
    if (exampleValues.length > 0) schema.examples = exampleValues;
  }
  if (schema.examples === undefined && source.example !== undefined) schema.examples = [source.example];
}
