/** Reads a tool's schemas once, and keeps what the rules of all profiles need. */

import { isRecord } from '../../json.ts';
import { toPointer } from '../../json-pointer.ts';
import type { Schema } from '../../model/types.ts';
import { remember } from '../../remember.ts';
import { definitionOf, definitionsOf, forEachChild, forEachMember, type Step } from '../schema/walk.ts';
import type { ToolModel } from '../types.ts';

/** A fact about the schema of a tool, and the RFC 6901 pointer from the tool to its place. */
export interface LocatedValue<Value> {
  readonly place: string;
  readonly value: Value;
}

export interface ToolFacts {
  readonly tool: Pick<ToolModel, 'name' | 'description' | 'inputSchema' | 'outputSchema'>;
  readonly arraysWithoutItems: readonly string[];
  readonly patterns: readonly LocatedValue<string>[];
  /** Properties with a boolean in place of a schema, in both schemas. */
  readonly booleans: readonly string[];
}

export function readToolFacts(tool: ToolFacts['tool']): ToolFacts {
  const { inputSchema, outputSchema } = tool;
  const isBoolean = (value: unknown, keyword: string) => keyword === 'properties' && !isRecord(value);
  return {
    tool,
    arraysWithoutItems: findPlaces(inputSchema, 'inputSchema', isArrayWithoutItems).map(({ place }) => place),
    patterns: findPlaces(inputSchema, 'inputSchema', hasPattern).map(({ place, value }) => {
      return { place, value: String((value as Schema).pattern) };
    }),
    booleans: [
      ...findPlaces(inputSchema, 'inputSchema', isBoolean),
      ...findPlaces(outputSchema, 'outputSchema', isBoolean),
    ].map(({ place }) => place),
  };
}

function isArrayWithoutItems(value: unknown): boolean {
  return isRecord(value) && [value.type].flat().includes('array') && value.items === undefined;
}

function hasPattern(value: unknown): boolean {
  return isRecord(value) && typeof value.pattern === 'string';
}

type Test = (value: unknown, keyword: string) => boolean;

/** The values in the place of schemas that pass a test. */
function findPlaces(root: Schema, member: string, isWanted: Test): LocatedValue<unknown>[] {
  return findPaths(root, isWanted).map(({ path, value }) => ({ place: toPointer([member, ...path]), value }));
}

/** Builds paths only for findings, because schemas are large. */
function findPaths(value: unknown, isWanted: Test, keyword = ''): { path: readonly string[]; value: unknown }[] {
  const places = isWanted(value, keyword) ? [{ path: [] as readonly string[], value }] : [];
  if (!isRecord(value)) return places;
  const visit = (member: unknown, [inner, key]: Step) => {
    for (const { path, value: wanted } of findPaths(member, isWanted, inner)) {
      places.push({ path: [inner, ...(key === undefined ? [] : [key]), ...path], value: wanted });
    }
  };
  forEachMember(value, visit);
  for (const [name, body] of definitionsOf(value)) visit(body, ['$defs', name]);
  return places;
}

/** Levels of objects in a schema, and above each definition that it refers to, in the order of discovery. */
interface Levels {
  readonly depth: number;
  readonly levelsAboveRefs: ReadonlyMap<string, number>;
}

/** By schema object, which many tools share; it must not change after this. */
const levelsOfSchemas = new WeakMap<Schema, Levels>();

/** Nesting of objects, including the root, with references followed and a cycle counted once. */
export function measureDepth(root: Schema): number {
  const definitions = definitionsOf(root);
  const depths = new Map<string, number>();
  const follow = (ref: string): number => {
    const cachedDepth = depths.get(ref);
    if (cachedDepth !== undefined) return cachedDepth;
    depths.set(ref, 0);
    const target = definitions.get(definitionOf({ $ref: ref }) ?? '');
    const depth = target === undefined ? 0 : depthOf(readLevels(target));
    depths.set(ref, depth);
    return depth;
  };
  const depthOf = ({ depth, levelsAboveRefs }: Levels): number => {
    let deepest = depth;
    for (const [ref, levels] of levelsAboveRefs) deepest = Math.max(deepest, levels + follow(ref));
    return deepest;
  };
  return depthOf(readLevels(root));
}

function readLevels(schema: Schema): Levels {
  return remember(levelsOfSchemas, schema, () => readNewLevels(schema));
}

function readNewLevels(schema: Schema): Levels {
  const levelsAboveRefs = new Map<string, number>();
  const add = (ref: string, levels: number) =>
    levelsAboveRefs.set(ref, Math.max(levels, levelsAboveRefs.get(ref) ?? 0));
  const objectLevel = isRecord(schema.properties) ? 1 : 0;
  let depth = objectLevel;
  forEachChild(schema, (member) => {
    const memberLevels = readLevels(member);
    depth = Math.max(depth, memberLevels.depth + objectLevel);
    for (const [ref, levels] of memberLevels.levelsAboveRefs) add(ref, levels + objectLevel);
  });
  if (typeof schema.$ref === 'string') add(schema.$ref, objectLevel);
  return { depth, levelsAboveRefs };
}
