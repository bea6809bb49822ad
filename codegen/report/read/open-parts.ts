/** Finds the tools that leave parts open which their descriptor describes, and adds what a descriptor says to surfaces. */

import { charsOf, isRecord } from '../../json.ts';
import { isLeftOpen } from '../schema/shape.ts';
import type { Schema, ServiceFacts, ServiceSurface, ToolSurface } from '../types.ts';

/** Half of the maximum that codegen writes, in characters of JSON. */
const LONG_INPUT_CHARS = 8_000;
const LONG_OUTPUT_CHARS = 4_000;

/**
 * Names of the tools of a service that may leave parts open.
 *
 * A published schema does not tell whether the descriptor describes more. So this includes every tool that has an
 * object or an array without contents, a sentence in place of a list of values, or a schema of at least half of its budget.
 */
export function findOpenTools({ tools }: ServiceSurface): ReadonlySet<string> {
  return new Set(tools.filter(mayBeOpen).map(({ name }) => name));
}

/** The same service, with what its descriptor says. */
export function withFacts(service: ServiceSurface, { tools, replacedTexts }: ServiceFacts): ServiceSurface {
  const withToolFacts = (tool: ToolSurface) => {
    const facts = tools.get(tool.name);
    return facts === undefined ? tool : { ...tool, ...facts };
  };
  return { ...service, replacedTexts, tools: service.tools.map(withToolFacts) };
}

function mayBeOpen({ operation, inputSchema, outputSchema }: ToolSurface): boolean {
  if (operation === null) return false;
  return (
    hasOpenNode(inputSchema) ||
    hasOpenNode(outputSchema) ||
    charsOf(inputSchema) > LONG_INPUT_CHARS ||
    charsOf(outputSchema) > LONG_OUTPUT_CHARS
  );
}

function hasOpenNode(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasOpenNode);
  return isRecord(value) && (isOpenNode(value) || Object.values(value).some(hasOpenNode));
}

function isOpenNode(schema: Schema): boolean {
  if (isLeftOpen(schema) || hasLeftOutValues(schema)) return true;
  if (isRecord(schema.items) && Object.keys(schema.items).length === 0) return true;
  const isObject = isRecord(schema.additionalProperties) || [schema.type].flat().includes('object');
  const values = schema.additionalProperties;
  const isFree = values === undefined || values === true || (isRecord(values) && Object.keys(values).length === 0);
  return isObject && isFree && schema.properties === undefined && schema.patternProperties === undefined;
}

/** True for the sentence in place of a long list of values, such as `One of 637 values: a, b and 635 more.` */
function hasLeftOutValues({ description, enum: values }: Schema): boolean {
  return values === undefined && typeof description === 'string' && /\bOne of \d+ values: /.test(description);
}
