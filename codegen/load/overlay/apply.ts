/** Applies an overlay to a document (OpenAPI Overlay 1.1.0, section 4; 1.0.0 documents mean the same). */

import { type JSONPathNode, jsonpath } from 'json-p3';
import { isRecord, setMember } from '../../json.ts';
import { member } from '../../json-pointer.ts';
import type { Overlay, OverlayAction } from './read.ts';

/** An action that changed nothing, with its place in the overlay and the reason. */
export interface UnusedAction {
  readonly index: number;
  readonly why: string;
}

type JsonDocument = Parameters<typeof jsonpath.query>[1];

/** Changes `document` in place, one action after another, so that each action sees the changes of earlier ones. */
export function applyOverlay(document: unknown, { actions }: Overlay): readonly UnusedAction[] {
  return actions.flatMap((action, index) => {
    const why = applyAction(document, action);
    return why === null ? [] : [{ index, why }];
  });
}

function applyAction(document: unknown, { target, update, copy, remove }: OverlayAction): string | null {
  const nodes = jsonpath.query(target, document as JsonDocument).nodes;
  if (nodes.length === 0) return `Nothing in the descriptor is at ${target}.`;
  if (remove === true) return removeNodes(document, nodes);
  if (copy === undefined) return update === undefined ? null : updateNodes(document, nodes, update);
  const [source, ...others] = jsonpath.query(copy, document as JsonDocument).nodes;
  if (source === undefined || others.length > 0)
    return `${copy} is ${others.length + (source ? 1 : 0)} places, not one.`;
  return updateNodes(document, nodes, source.value);
}

/** Removes from the end, so that the places of earlier nodes stay valid. */
function removeNodes(document: unknown, nodes: readonly JSONPathNode[]): string | null {
  for (const { location } of nodes.toReversed()) {
    const key = location.at(-1);
    if (key === undefined) return 'The whole descriptor cannot be removed.';
    const parent = at(document, location.slice(0, -1));
    if (Array.isArray(parent)) parent.splice(Number(key), 1);
    else if (isRecord(parent)) Reflect.deleteProperty(parent, String(key));
  }
  return null;
}

function updateNodes(document: unknown, nodes: readonly JSONPathNode[], value: unknown): string | null {
  for (const { location } of nodes) {
    const node = at(document, location);
    if (Array.isArray(node)) node.push(...structuredClone(Array.isArray(value) ? value : [value]));
    else if (isRecord(node)) {
      if (!isRecord(value)) return 'It updates an object with a value that is not one.';
      merge(node, value);
    } else {
      const parent = at(document, location.slice(0, -1));
      const key = location.at(-1);
      if (isRecord(value) || Array.isArray(value)) return 'It updates a plain value with an object or an array.';
      if (Array.isArray(parent)) parent[Number(key)] = value;
      else if (isRecord(parent)) setMember(parent, String(key), value);
    }
  }
  return null;
}

function merge(into: Record<string, unknown>, value: Readonly<Record<string, unknown>>): void {
  for (const [key, added] of Object.entries(value)) {
    const before = Object.hasOwn(into, key) ? into[key] : undefined;
    if (isRecord(before) && isRecord(added)) merge(before, added);
    else if (Array.isArray(before) && Array.isArray(added)) before.push(...structuredClone(added));
    else setMember(into, key, structuredClone(added));
  }
}

function at(document: unknown, location: readonly (string | number)[]): unknown {
  return location.map(String).reduce(member, document);
}
