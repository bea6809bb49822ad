/**
 * Removes references that lead back to themselves without going into the value: a validator would follow them forever.
 */

import { isRecord } from '../../json.ts';
import type { Schema } from '../../model/types.ts';
import { definitionOf, definitionsOf, mapKeyword } from '../schema/walk.ts';

/** Keywords whose schemas apply to the value itself, not to something in it. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'] as const;

/**
 * The same schema without definitions such as `A: {anyOf: [{type: string}, {$ref: A}]}`.
 *
 * An alternative that is the definition itself has no effect and is removed. An alternative that leads back through
 * other definitions then accepts anything, so that no intended value is refused; a part of `allOf` and a condition are
 * removed.
 */
export function endReferences(root: Schema): Schema {
  const definitions = definitionsOf(root);
  const next = new Map([...definitions].map(([name, body]) => [name, namesInPlace(body)]));
  const circles = new Map<string, ReadonlySet<string>>();
  for (const name of definitions.keys()) {
    const reached = reachedFrom(name, next);
    if (!reached.has(name)) continue;
    circles.set(name, new Set([...reached].filter((other) => reachedFrom(other, next).has(name))));
  }
  if (circles.size === 0) return root;
  const ended = [...definitions].map(([name, body]) => {
    const circle = circles.get(name);
    return [name, circle === undefined ? body : endIn(body, name, circle)];
  });
  return { ...root, $defs: Object.fromEntries(ended) };
}

function endIn(schema: Schema, name: string, circle: ReadonlySet<string>): Schema {
  const leads = (part: Schema): boolean => circle.has(definitionOf(part) ?? '');
  const result: Record<string, unknown> = { ...schema };
  if (leads(schema)) delete result.$ref;
  for (const keyword of ['not', 'if'] as const) {
    if (!isRecord(schema[keyword]) || ![...namesInPlace(schema[keyword])].some((other) => circle.has(other))) continue;
    for (const gone of keyword === 'if' ? ['if', 'then', 'else'] : [keyword]) delete result[gone];
  }
  for (const keyword of ['anyOf', 'oneOf', 'allOf'] as const) {
    const parts = result[keyword];
    if (!Array.isArray(parts)) continue;
    const others = parts.filter((part: Schema) => definitionOf(part) !== name && (keyword !== 'allOf' || !leads(part)));
    delete result[keyword];
    if (others.length === 0) continue;
    const isLoose = others.some(leads);
    const written = others.map((part: Schema) => (leads(part) ? {} : endIn(part, name, circle)));
    result[isLoose && keyword === 'oneOf' ? 'anyOf' : keyword] = written;
  }
  for (const keyword of ['then', 'else'] as const) {
    const part = result[keyword];
    if (isRecord(part)) result[keyword] = endIn(part, name, circle);
  }
  return result;
}

/** Names of the definitions that apply to a value of the schema itself. */
function namesInPlace(schema: Schema): ReadonlySet<string> {
  const names = new Set<string>();
  const seen = new Set<Schema>();
  const visit = (node: Schema): void => {
    if (seen.has(node)) return;
    seen.add(node);
    const name = definitionOf(node);
    if (name !== null) names.add(name);
    for (const keyword of IN_PLACE) mapKeyword(keyword, node[keyword], visit);
  };
  visit(schema);
  return names;
}

/** Names that can be reached from a definition, including its own only if a path leads back. */
function reachedFrom(start: string, next: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const reached = new Set<string>();
  const waiting = [...(next.get(start) ?? [])];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (reached.has(name)) continue;
    reached.add(name);
    waiting.push(...(next.get(name) ?? []));
  }
  return reached;
}
