/** Walks the descriptor: a value with its pointer, and the way along `$ref`s. */

import { toRecord } from '../json.ts';
import { escapeToken, fragmentPointer, member, pointerTokens } from '../json-pointer.ts';

export interface DescriptorNode {
  readonly value: unknown;
  /** RFC 6901 pointer into the descriptor. */
  readonly pointer: string;
}

/** A longer chain of references is treated as a cycle. */
const MAX_HOPS = 100;

/** The member of a place; its value is undefined if there is none. */
export function childNode(node: DescriptorNode, token: string | number): DescriptorNode {
  return { value: member(node.value, String(token)), pointer: `${node.pointer}/${escapeToken(token)}` };
}

/** Members of an object in the descriptor's order; empty for any other value. */
export function childEntries(node: DescriptorNode): { readonly name: string; readonly node: DescriptorNode }[] {
  return Object.keys(toRecord(node.value)).map((name) => ({ name, node: childNode(node, name) }));
}

/** Items of an array; empty for any other value. */
export function childItems(node: DescriptorNode): DescriptorNode[] {
  return Array.isArray(node.value) ? node.value.map((_, index) => childNode(node, index)) : [];
}

/**
 * The place that a local reference points to. References on the way are followed, but the target may be another
 * reference. Null if it does not resolve.
 */
export function lookUp(document: unknown, ref: string): DescriptorNode | null {
  return walkPointer(document, ref, { hops: 0 });
}

/** The place itself, or the one at the end of its chain of references. */
export function dereference(document: unknown, node: DescriptorNode): DescriptorNode {
  return followReferences(document, node, { hops: 0 }) ?? { value: undefined, pointer: node.pointer };
}

/** The string, or an empty one for any other value. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function walkPointer(document: unknown, ref: string, count: { hops: number }): DescriptorNode | null {
  count.hops += 1;
  const pointer = ref.startsWith('#') ? fragmentPointer(ref) : null;
  if (pointer === null || count.hops > MAX_HOPS) return null;
  let node: DescriptorNode = { value: document, pointer: '' };
  for (const token of pointerTokens(pointer)) {
    const owner = followReferences(document, node, count);
    if (owner === null) return null;
    node = childNode(owner, token);
    if (node.value === undefined) return null;
  }
  return node;
}

function followReferences(document: unknown, node: DescriptorNode, count: { hops: number }): DescriptorNode | null {
  const ref = toRecord(node.value).$ref;
  if (typeof ref !== 'string') return node;
  const next = walkPointer(document, ref, count);
  return next === null ? null : followReferences(document, next, count);
}
