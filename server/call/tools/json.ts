/** JSON as tools need it: numbers with every digit, pointers, schemas, and sizes in tokens. */

import {
  isNumberText,
  mayHoldInexactNumber,
  parseDigitsAsText,
  rawNumber,
  toRawNumber,
} from '../../../shared/exact-json.ts';
import { asSchemas, isSchema, parsePointer, resolve } from '../../../shared/search/schema-types.ts';
import type { JsonSchema } from '../../contract/index.ts';

export { rawNumber, toRawNumber } from '../../../shared/exact-json.ts';
export {
  allowsType,
  asSchemas,
  isSchema,
  parsePointer,
  readPointer,
  resolve,
  typeName,
} from '../../../shared/search/schema-types.ts';

/** A parsed JSON text. */
export interface ParsedJson {
  /** Numbers that would lose digits are texts, as for `parseDigitsAsText`. */
  readonly value: unknown;
  /** The same with every number as a JavaScript number, for type checks; `value` itself if it has all digits. */
  readonly rounded: unknown;
}

/** Parses the JSON of an answer. @throws {SyntaxError} if the text is not JSON. */
export function parseExactJson(text: string): ParsedJson {
  if (!mayHoldInexactNumber(text)) {
    const value: unknown = JSON.parse(text);
    return { value, rounded: value };
  }
  return { value: parseDigitsAsText(text), rounded: JSON.parse(text) };
}

/** Returns the JSON of what `parseExactJson` gave, with numbers in place of the texts that stand for them. */
export function toExactJson({ value, rounded }: ParsedJson): string {
  return JSON.stringify(value === rounded ? value : withNumbers(value, rounded));
}

function withNumbers(value: unknown, rounded: unknown): unknown {
  if (typeof value === 'string') return typeof rounded === 'number' && isNumberText(value) ? toRawNumber(value) : value;
  if (typeof value !== 'object' || value === null || typeof rounded !== 'object' || rounded === null) return value;
  if (Array.isArray(value)) return value.map((item, index) => withNumbers(item, (rounded as unknown[])[index]));
  const roundedMembers = rounded as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      Object.hasOwn(roundedMembers, name) ? withNumbers(member, roundedMembers[name]) : member,
    ]),
  );
}

/** True if a value is nested deeper than `limit`. Does not recurse, so that no depth can exhaust the stack. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth >= limit) return true;
    const next: unknown[] = [];
    for (const node of level) {
      if (typeof node !== 'object' || node === null) continue;
      for (const member of Object.values(node)) if (typeof member === 'object' && member !== null) next.push(member);
    }
    level = next;
  }
  return false;
}

/** True if a JSON text could be nested deeper than `limit`. False if it opens at most that many arrays and objects together. */
export function mayBeDeeperThan(text: string, limit: number): boolean {
  let opened = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      opened += 1;
      if (opened > limit) return true;
    }
  }
  return false;
}

/**
 * Copies the document with another value at the pointer.
 *
 * Only containers on the path are copied. If the place does not exist, returns the document itself.
 */
export function replaceAt(document: unknown, pointer: string, value: unknown): unknown {
  const [token, ...rest] = parsePointer(pointer);
  if (token === undefined) return value;
  if (typeof document !== 'object' || document === null || !Object.hasOwn(document, token)) return document;
  const inner = replaceAt((document as Record<string, unknown>)[token], toPointer(rest), value);
  if (Array.isArray(document)) return document.with(Number(token), inner);
  return { ...document, [token]: inner };
}

/**
 * Copies the document without the members and elements at the pointers.
 *
 * All are removed at once, so indexes refer to the original document. Takes time in proportion to the containers on the
 * paths, however many values are removed.
 */
export function removeAll(document: unknown, pointers: Iterable<string>): unknown {
  const root: RemovalNode = { removed: false, below: new Map() };
  for (const pointer of pointers) {
    let node = root;
    for (const token of parsePointer(pointer)) {
      const next = node.below.get(token) ?? { removed: false, below: new Map() };
      node.below.set(token, next);
      node = next;
    }
    node.removed = true;
  }
  return withoutRemoved(document, root);
}

interface RemovalNode {
  removed: boolean;
  readonly below: Map<string, RemovalNode>;
}

function withoutRemoved(value: unknown, node: RemovalNode): unknown {
  if (node.below.size === 0 || typeof value !== 'object' || value === null) return value;
  const copyMember = ([token, member]: [string, unknown]): [string, unknown][] => {
    const inner = node.below.get(token);
    if (inner?.removed) return [];
    return [[token, inner === undefined ? member : withoutRemoved(member, inner)]];
  };
  const members = Object.entries(value).flatMap(copyMember);
  return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
}

/** Joins tokens into a pointer. */
export function toPointer(tokens: readonly string[]): string {
  return tokens.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Facts of a schema about one place. */
export interface Subschemas {
  /** All schemas that apply to the place; several with alternatives or `allOf`. */
  readonly schemas: readonly JsonSchema[];
  /** True if the enclosing object does not require the place. False for array elements. */
  readonly optional: boolean;
}

const MAX_SCHEMA_DEPTH = 32;

/**
 * Follows a pointer through `properties`, `items` and `prefixItems`.
 *
 * @returns null if the place is not declared: inside a free-form object, or unknown to its object.
 */
export function findSubschemas(root: JsonSchema, pointer: string): Subschemas | null {
  let current: Subschemas = { schemas: [root], optional: false };
  for (const token of parsePointer(pointer)) {
    const next = current.schemas
      .flatMap((schema) => branches(root, schema))
      .flatMap((schema) => childSchemas(schema, token));
    if (next.length === 0) return null;
    current = { schemas: next.map((found) => found.schema), optional: next.every((found) => found.optional) };
  }
  return current;
}

/**
 * Returns a value with parts of it replaced, the outer ones first. Returns the value itself if nothing changed.
 *
 * @param value of bounded depth. Raw numbers have no parts.
 * @param replace gets each part with the schemas that apply to it, which are none below a free-form object, and its pointer.
 */
export function mapBySchema(
  root: JsonSchema,
  value: unknown,
  replace: (part: unknown, schemas: readonly JsonSchema[], pointer: string) => unknown,
): unknown {
  const map = (part: unknown, schemas: readonly JsonSchema[], pointer: string): unknown => {
    // Recursive alternatives meet the same definitions at each depth.
    const all = [...new Set(schemas.flatMap((schema) => branches(root, schema)))];
    const replaced = replace(part, all, pointer);
    if (typeof replaced !== 'object' || replaced === null || rawNumber(replaced) !== undefined) return replaced;
    const entries = Object.entries(replaced);
    const members = entries.map(([name, member]) => map(member, memberSchemas(all, name), pointer + toPointer([name])));
    if (members.every((member, index) => member === entries[index]?.[1])) return replaced;
    if (Array.isArray(replaced)) return members;
    return Object.fromEntries(entries.map(([name], index) => [name, members[index]]));
  };
  return map(value, [root], '');
}

function memberSchemas(schemas: readonly JsonSchema[], name: string): readonly JsonSchema[] {
  const declared = schemas.flatMap((schema) => childSchemas(schema, name)).map(({ schema }) => schema);
  return declared.length > 0 ? declared : schemas.map((schema) => schema.additionalProperties).filter(isSchema);
}

/** The schema with its alternatives and `allOf` parts, references resolved. */
export function branches(root: JsonSchema, schema: JsonSchema, depth = 0): JsonSchema[] {
  if (depth > MAX_SCHEMA_DEPTH) return [];
  const target = resolve(root, schema);
  const inner = [...asSchemas(target.anyOf), ...asSchemas(target.oneOf), ...asSchemas(target.allOf)];
  return [target, ...inner.flatMap((member) => branches(root, member, depth + 1))];
}

function childSchemas(schema: JsonSchema, token: string): { schema: JsonSchema; optional: boolean }[] {
  const { properties, required, items, prefixItems } = schema;
  if (isSchema(properties) && Object.hasOwn(properties, token) && isSchema(properties[token])) {
    const isRequired = Array.isArray(required) && required.includes(token);
    return [{ schema: properties[token], optional: !isRequired }];
  }
  if (!/^\d+$/.test(token)) return [];
  const member = asSchemas(prefixItems)[Number(token)] ?? (isSchema(items) ? items : undefined);
  return member === undefined ? [] : [{ schema: member, optional: false }];
}

/** True for a JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Serializes the value with members sorted by name at every depth. */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isObject(member) && rawNumber(member) === undefined
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

/** Parses JSON. Returns undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** JSON answers have 2.75 to 3.8 bytes per token (o200k_base, measured); pure lists of ids have 1.8. */
const BYTES_PER_TOKEN = 2.75;

/** Tool lists are English and repeated keywords: 4.2 for the 64 tools, 4.3 for GitHub's (o200k_base, measured). */
const LIST_BYTES_PER_TOKEN = 4.2;

/** Default limit of a result: well-known clients reject more than 25,000 tokens. */
export const DEFAULT_RESULT_TOKENS = 20_000;

/** Share of a result for a list whose caller chose neither members nor a number of items: such a list is rarely read to its end. */
const LIST_SHARE = 0.4;
/** Shorter lists are not cut. */
const MIN_LIST_TOKENS = 4000;

/** A lower limit has no room for the notice about what is missing. */
const MIN_RESULT_TOKENS = 1000;

/** Estimates the tokens of a text in UTF-8. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** Estimates the tokens of a tool list as JSON in UTF-8. */
export function estimateListTokensOf(bytes: number): number {
  return Math.ceil(bytes / LIST_BYTES_PER_TOKEN);
}

/** Returns the limit in bytes of a list whose caller chose neither members nor a number of items. @param limit bytes of any other result. */
export function toListLimit(limit: number): number {
  return Math.min(limit, Math.max(toByteLimit(MIN_LIST_TOKENS), Math.floor(limit * LIST_SHARE)));
}

/** Converts a limit to bytes of text. @param tokens less than 1,000 counts as 1,000. */
export function toByteLimit(tokens: number): number {
  return Math.floor(Math.max(tokens, MIN_RESULT_TOKENS) * BYTES_PER_TOKEN);
}
