/** Reads a tool's schemas once, and keeps what the rules of all profiles need. */

import { isRecord } from '../../json.ts';
import { toPointer } from '../../json-pointer.ts';
import { SCHEMA_KEYWORDS, SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS } from '../../load/keywords.ts';
import type { Schema } from '../../model/types.ts';
import { remember } from '../../remember.ts';
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
  const arraysWithoutItems: string[] = [];
  const patterns: LocatedValue<string>[] = [];
  const booleans: string[] = [];

  const read = (schema: Schema, path: readonly string[]): void => {
    if (isArray(schema) && schema.items === undefined) arraysWithoutItems.push(toPointer(path));
    if (typeof schema.pattern === 'string') patterns.push({ place: toPointer(path), value: schema.pattern });
    forEachMember(schema, (member, keyword, key) => {
      const keys = key === undefined ? [keyword] : [keyword, key];
      if (isRecord(member)) read(member, [...path, ...keys]);
      else if (keyword === 'properties') booleans.push(toPointer([...path, ...keys]));
    });
  };
  read(tool.inputSchema, ['inputSchema']);
  booleans.push(...findBooleans(tool.outputSchema).map((path) => toPointer(['outputSchema', ...path])));
  return { tool, arraysWithoutItems, patterns, booleans };
}

const MAP_KEYWORDS: readonly string[] = [...SCHEMA_MAP_KEYWORDS, '$defs'];

/** Calls `visit` for every value in the place of a schema. `key` is a name, or an index of a list. */
function forEachMember(schema: Schema, visit: (member: unknown, keyword: string, key?: string) => void): void {
  for (const keyword of SCHEMA_KEYWORDS) if (schema[keyword] !== undefined) visit(schema[keyword], keyword);
  for (const keyword of SCHEMA_LIST_KEYWORDS) {
    const list = schema[keyword];
    if (Array.isArray(list)) for (const [index, member] of list.entries()) visit(member, keyword, String(index));
  }
  for (const keyword of MAP_KEYWORDS) {
    const map = schema[keyword];
    if (isRecord(map)) for (const key of Object.keys(map)) visit(map[key], keyword, key);
  }
}

function isArray({ type }: Schema): boolean {
  return type === 'array' || (Array.isArray(type) && type.includes('array'));
}

/** Builds paths only for findings, because output schemas are large. */
function findBooleans(schema: Schema): string[][] {
  const paths: string[][] = [];
  for (const keyword of ['properties', '$defs'] as const) {
    const map = schema[keyword];
    if (!isRecord(map)) continue;
    for (const key in map) {
      const member = map[key];
      if (isRecord(member)) for (const path of findBooleans(member)) paths.push([keyword, key, ...path]);
      else if (keyword === 'properties') paths.push([keyword, key]);
    }
  }
  for (const keyword of ['items', 'additionalProperties'] as const) {
    const member = schema[keyword];
    if (isRecord(member)) for (const path of findBooleans(member)) paths.push([keyword, ...path]);
  }
  return paths;
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
  const definitions = isRecord(root.$defs) ? root.$defs : {};
  const depths = new Map<string, number>();
  const follow = (ref: string): number => {
    const cachedDepth = depths.get(ref);
    if (cachedDepth !== undefined) return cachedDepth;
    depths.set(ref, 0);
    const target = definitions[ref.slice('#/$defs/'.length)];
    const depth = isRecord(target) ? depthOf(readLevels(target)) : 0;
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
  forEachMember(schema, (member, keyword) => {
    if (keyword === '$defs' || !isRecord(member)) return;
    const memberLevels = readLevels(member);
    depth = Math.max(depth, memberLevels.depth + objectLevel);
    for (const [ref, levels] of memberLevels.levelsAboveRefs) add(ref, levels + objectLevel);
  });
  if (typeof schema.$ref === 'string') add(schema.$ref, objectLevel);
  return { depth, levelsAboveRefs };
}
