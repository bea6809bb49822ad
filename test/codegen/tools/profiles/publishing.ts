/** The publishing profile: what a tool's schemas must look like for every client to accept the list they are in. */

import type { Schema } from '../../../../codegen/model/types.ts';
import type { ToolModel } from '../../../../codegen/tools/types.ts';

const ONE = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'];
const MANY = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const NAMED = ['properties', 'patternProperties', 'dependentSchemas', '$defs'];
const ROOT_COMBINATORS = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', '$ref', 'enum', 'const'];
const VALUES = new Set(['default', 'enum', 'examples', 'const']);

/** Every fault of a tool's schemas, with the place; none: the tool may be published. */
export function profileFaults(tool: ToolModel): readonly string[] {
  const { inputSchema: input, outputSchema: output } = tool;
  return [
    ...rootFaults(input).map((fault) => `input: ${fault}`),
    ...(input.additionalProperties === false ? [] : ['input: unknown arguments are accepted']),
    ...Object.keys((input.properties ?? {}) as object)
      .filter((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key))
      .map((key) => `input: the key ${key}`),
    ...schemaFaults(input, '', definitionsOf(input)).map((fault) => `input: ${fault}`),
    ...deadDefinitions(input).map((name) => `input: nothing uses ${name}`),
    ...rootFaults(output).map((fault) => `output: ${fault}`),
    ...schemaFaults(output, '', definitionsOf(output)).map((fault) => `output: ${fault}`),
    ...closures(output, '').map((fault) => `output: ${fault}`),
    ...deadDefinitions(output).map((name) => `output: nothing uses ${name}`),
  ];
}

function rootFaults(schema: Schema): readonly string[] {
  return [
    ...(schema.type === 'object' ? [] : ['the root is no object']),
    ...ROOT_COMBINATORS.filter((keyword) => schema[keyword] !== undefined).map((keyword) => `${keyword} at the root`),
    ...(JSON.stringify(schema).includes('"$schema":') ? ['$schema'] : []),
  ];
}

function schemaFaults(schema: unknown, at: string, definitions: ReadonlySet<string>): readonly string[] {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    return [`${at} is ${JSON.stringify(schema)}`];
  const record = schema as Schema;
  const types = [record.type].flat();
  const faults = Object.entries(record)
    .filter(([keyword, value]) => value === null && !VALUES.has(keyword))
    .map(([keyword]) => `${at}/${keyword} is null`);
  if (types.includes('array') && record.items === undefined) faults.push(`${at} is an array without items`);
  const ref = record.$ref;
  if (ref !== undefined && !definitions.has(String(ref))) faults.push(`${at} refers to ${String(ref)}`);
  for (const keyword of ONE) {
    const value = record[keyword];
    if (value === undefined || (keyword === 'additionalProperties' && value === false)) continue;
    faults.push(...schemaFaults(value, `${at}/${keyword}`, definitions));
  }
  for (const keyword of MANY) {
    const list = (record[keyword] ?? []) as readonly unknown[];
    faults.push(...list.flatMap((value, index) => schemaFaults(value, `${at}/${keyword}/${index}`, definitions)));
  }
  for (const keyword of NAMED) {
    const members = Object.entries((record[keyword] ?? {}) as object);
    faults.push(...members.flatMap(([key, value]) => schemaFaults(value, `${at}/${keyword}/${key}`, definitions)));
  }
  return faults;
}

const CLOSING = [
  'required',
  'enum',
  'const',
  'format',
  'pattern',
  'minimum',
  'maximum',
  'oneOf',
  'anyOf',
  'allOf',
  'not',
];

/** Keywords of an output schema by which an upstream's addition could fail a client's validation. */
function closures(schema: Schema, at: string): readonly string[] {
  const faults = CLOSING.filter((keyword) => schema[keyword] !== undefined).map((keyword) => `${at}/${keyword}`);
  if (at !== '' && schema.type !== undefined && ![schema.type].flat().includes('null'))
    faults.push(`${at} is never null`);
  if (schema.additionalProperties === false) faults.push(`${at} is closed`);
  for (const keyword of ['items', 'additionalProperties']) {
    const value = schema[keyword];
    if (typeof value === 'object' && value !== null) faults.push(...closures(value as Schema, `${at}/${keyword}`));
  }
  for (const keyword of ['properties', '$defs']) {
    const members = Object.entries((schema[keyword] ?? {}) as Readonly<Record<string, Schema>>);
    faults.push(...members.flatMap(([key, value]) => closures(value, `${at}/${keyword}/${key}`)));
  }
  return faults;
}

function definitionsOf(schema: Schema): ReadonlySet<string> {
  return new Set(Object.keys((schema.$defs ?? {}) as object).map((name) => `#/$defs/${name}`));
}

function deadDefinitions(schema: Schema): readonly string[] {
  const text = JSON.stringify(schema);
  return [...definitionsOf(schema)].filter((ref) => !text.includes(`"$ref":"${ref}"`));
}
