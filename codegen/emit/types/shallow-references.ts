/** Gives every reference of a bundled descriptor a target that openapi-typescript can name: a component. */

import { setMember } from '../../json.ts';
import { escapeToken, fragmentPointer, member, pointerTokens } from '../../json-pointer.ts';
import { type Kind, kindOfMember } from '../../load/keywords.ts';
import { type Json, toObject } from './document-walk.ts';

/**
 * The document with all references in the form `#/components/<kind>/<name>`. Parts without other references are those of
 * the document, which is not changed.
 *
 * Bundling leaves references such as `#/paths/~1notes/post/requestBody/content/application~1json/schema`, which
 * openapi-typescript would turn into an index that does not exist, and so into `any`. A schema that is referenced like
 * that becomes a component named after its place; anything else (parameters, responses) is copied to each place that
 * uses it.
 */
export function withShallowReferences(document: unknown): Json {
  const componentNames = new Map<string, string>();
  const result = replaceDeep(document, 'node', { document, componentNames, openReferences: new Set() }) as Json;
  const schemas: Json = {};
  for (const [pointer, name] of componentNames) {
    const target = valueAt(document, pointer);
    schemas[name] = replaceDeep(target, 'node', { document, componentNames, openReferences: new Set() });
  }
  if (componentNames.size === 0) return result;
  const components = toObject(result.components);
  return { ...result, components: { ...components, schemas: { ...toObject(components.schemas), ...schemas } } };
}

interface ReplacementContext {
  readonly document: unknown;
  /** Component names for referenced schemas, by pointer; new ones are added. */
  readonly componentNames: Map<string, string>;
  /** References that are being replaced, so that a cycle terminates. */
  readonly openReferences: ReadonlySet<string>;
}

function replaceDeep(value: unknown, kind: Kind, context: ReplacementContext): unknown {
  const { document, componentNames, openReferences } = context;
  if (typeof value !== 'object' || value === null || kind === 'opaque') return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => replaceDeep(item, kind, context));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const { $ref } = value as Json;
  const pointer = kind === 'node' && typeof $ref === 'string' ? fragmentPointer($ref) : null;
  if (pointer !== null && isDeep(pointer)) {
    if (!isSchemaPointer(pointer) && !openReferences.has(pointer)) {
      return replaceDeep(valueAt(document, pointer), 'node', {
        ...context,
        openReferences: new Set([...openReferences, pointer]),
      });
    }
    const name = componentNames.get(pointer) ?? toComponentName(pointer, takenNames(document, componentNames));
    componentNames.set(pointer, name);
    return { ...value, $ref: `#/components/schemas/${escapeToken(name)}` };
  }
  let result = value as Json;
  for (const key of Object.keys(value)) {
    const item = (value as Json)[key];
    const replaced = replaceDeep(item, kindOfMember(kind, key, item), context);
    if (replaced === item) continue;
    if (result === value) result = { ...value };
    setMember(result, key, replaced);
  }
  return result;
}

/** openapi-typescript does not know shared media types, and in shared path items only the methods of OpenAPI 3.1. */
function isDeep(pointer: string): boolean {
  const tokens = pointerTokens(pointer);
  return tokens.length !== 3 || tokens[0] !== 'components' || tokens[1] === 'mediaTypes' || tokens[1] === 'pathItems';
}

function isSchemaPointer(pointer: string): boolean {
  const tokens = pointerTokens(pointer);
  return tokens.includes('schema') || (tokens[0] === 'components' && tokens[1] === 'schemas');
}

function toComponentName(pointer: string, taken: ReadonlySet<string>): string {
  const words = pointerTokens(pointer)
    .join('_')
    .replaceAll(/[^A-Za-z0-9]+/g, '_');
  let name = words;
  for (let count = 2; taken.has(name); count++) name = `${words}_${count}`;
  return name;
}

function takenNames(document: unknown, componentNames: ReadonlyMap<string, string>): ReadonlySet<string> {
  const schemas = toObject(toObject(toObject(document).components).schemas);
  return new Set([...Object.keys(schemas), ...componentNames.values()]);
}

/** The value behind a pointer, following references on the way; undefined if there is none. */
function valueAt(document: unknown, pointer: string): unknown {
  let node = document;
  for (const token of pointerTokens(pointer)) node = member(resolveReference(document, node), token);
  return resolveReference(document, node);
}

/** Follows local references; every other value is returned as it is. */
export function resolveReference(document: unknown, value: unknown): unknown {
  let node = value;
  for (let steps = 0; steps < 20; steps++) {
    const { $ref } = toObject(node);
    const pointer = typeof $ref === 'string' ? fragmentPointer($ref) : null;
    if (pointer === null) return node;
    node = pointerTokens(pointer).reduce(member, document);
  }
  return undefined;
}
