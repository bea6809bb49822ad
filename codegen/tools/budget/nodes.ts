/** Reads each schema object of a service once, however many tools use it. */

import { isRecord } from '../../json.ts';
import type { Schema } from '../../model/types.ts';
import { remember } from '../../remember.ts';
import { definitionOf, mapChildren } from '../schema/walk.ts';

/** A description; equal ones are one object. */
export interface Text {
  readonly id: number;
  readonly text: string;
  /** Characters of the member that holds it. */
  readonly chars: number;
}

/** A schema object, which must not change after this. */
export interface Node {
  /** Without the description. */
  readonly schema: Schema;
  /** Equal for schemas that differ only in their description and contents. */
  readonly frame: number;
  /** Characters without the description and the contents. */
  readonly ownChars: number;
  /** Characters in total. */
  readonly chars: number;
  readonly description: Text | null;
  /** The definition that it refers to, or null. */
  readonly target: string | null;
  /** True for a reference with nothing but an optional description. */
  readonly isPlainReference: boolean;
  /** Direct children; empty if it is read as one piece. */
  readonly children: readonly Child[];
  /** Names of all definitions that it and its contents refer to, in the order of discovery. */
  readonly names: readonly string[];
}

interface Child {
  readonly node: Node;
  /** The name of a property; null elsewhere. */
  readonly property: string | null;
}

export interface NodeReader {
  nodeOf(schema: Schema): Node;
  textOf(description: string): Text;
  /** Characters of a schema with its definitions, as JSON. */
  charsOf(root: Schema): number;
}

/** A shorter schema without references is read as one piece: `shareParts` makes no definitions of its contents. */
export const PIECE_CHARS = 120;
/** Replaces contents; no schema has this value in place of a subschema. */
const PLACEHOLDER = '\u0000';
const PLACEHOLDER_CHARS = JSON.stringify(PLACEHOLDER).length;

export function createNodeReader(): NodeReader {
  const nodes = new WeakMap<Schema, Node>();
  const frames = new Map<string, number>();
  const texts = new Map<string, Text>();

  const textOf = (text: string): Text =>
    remember(texts, text, () => {
      const chars = `,"description":${JSON.stringify(text)}`.length;
      return { id: texts.size + 1, text, chars };
    });

  const nodeOf = (schema: Schema): Node => remember(nodes, schema, () => readNew(schema));

  const readNew = (given: Schema): Node => {
    const { description: text } = given;
    const schema = withoutDescription(given);
    const children: Child[] = [];
    const framed = mapChildren(schema, (child, [keyword, key]) => {
      children.push({ node: nodeOf(child), property: keyword === 'properties' ? (key ?? null) : null });
      return PLACEHOLDER;
    });
    const frame = JSON.stringify(framed);
    const target = definitionOf(schema);
    const names = namesIn(target, children);
    const ownChars = frame.length - children.length * PLACEHOLDER_CHARS;
    let chars = ownChars;
    for (const { node } of children) chars += node.chars;
    const isPiece = names.length === 0 && chars <= PIECE_CHARS;
    const pieceChars = chars;
    const description = typeof text === 'string' ? textOf(text) : null;
    if (description !== null) chars += description.chars - (frame === '{}' ? 1 : 0);
    return {
      schema,
      frame: numberOf(isPiece && children.length > 0 ? JSON.stringify(schema) : frame),
      ownChars: isPiece ? pieceChars : ownChars,
      chars,
      description,
      target,
      isPlainReference: target !== null && Object.keys(schema).length === 1,
      children: isPiece ? NO_CHILDREN : children,
      names,
    };
  };

  const numberOf = (frame: string): number => remember(frames, frame, () => frames.size + 1);

  const charsOf = (root: Schema): number => {
    const { $defs, ...own } = root;
    if (!isRecord($defs)) return nodeOf(root).chars;
    let chars = nodeOf(own).chars + ',"$defs":{}'.length - 1;
    for (const [name, body] of Object.entries($defs))
      chars += JSON.stringify(name).length + 2 + nodeOf(body as Schema).chars;
    return chars;
  };

  return { nodeOf, textOf, charsOf };
}

const NO_NAMES: readonly string[] = [];
const NO_CHILDREN: readonly Child[] = [];

function namesIn(target: string | null, children: readonly Child[]): readonly string[] {
  if (target === null && children.every(({ node }) => node.names.length === 0)) return NO_NAMES;
  return [...new Set([...(target === null ? [] : [target]), ...children.flatMap(({ node }) => node.names)])];
}

function withoutDescription(schema: Schema): Schema {
  if (typeof schema.description !== 'string') return schema;
  const { description: _, ...rest } = schema;
  return rest;
}
