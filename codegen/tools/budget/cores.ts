/** Finds what the tools of one service share: equal schemas are read as one core and written as one object. */

import type { Schema } from '../../model/types.ts';
import { remember } from '../../remember.ts';
import { mapChildren, referenceTo } from '../schema/walk.ts';
import type { Node, Text } from './nodes.ts';

/** A schema without the description at its root; equal ones of a service are one core. */
export interface Core {
  readonly id: number;
  readonly node: Node;
  readonly inside: readonly Inside[];
  /** By description: the most recent result, and what it was made from. */
  readonly written: Map<Text | null, { readonly inner: readonly Result[]; readonly result: Result }>;
}

interface Inside {
  readonly core: Core;
  readonly description: Text | null;
}

export type CoreFinder = (node: Node, inside: readonly Inside[]) => Core;

/** A node usually has the same contents in every tool, so the core of the last tool is tried first. */
export function createCoreFinder(): CoreFinder {
  const byKey = new Map<number | string, Core>();
  const last = new WeakMap<Node, Core>();
  return (node, inside) => {
    const before = last.get(node);
    if (before !== undefined && isInside(before, inside)) return before;
    const key = inside.length === 0 ? node.frame : keyOf(node, inside);
    const core = remember(byKey, key, () => ({ id: byKey.size, node, inside, written: new Map() }));
    last.set(node, core);
    return core;
  };
}

function isInside(before: Core, inside: readonly Inside[]): boolean {
  return before.inside.every(({ core, description }, index) => {
    const part = inside[index];
    return part?.core === core && part.description === description;
  });
}

function keyOf({ frame }: Node, inside: readonly Inside[]): string {
  let key = `${frame}`;
  for (const { core, description } of inside) key += `,${core.id}:${description?.id ?? 0}`;
  return key;
}

export interface Result {
  readonly id: number;
  readonly schema: Schema;
}

/** Writes schemas; equal input gives the same object. */
export interface Results {
  /** The schema of a core with these contents. */
  filled(core: Core, description: Text | null, inner: readonly Result[]): Result;
  reference(name: string, description: Text | null): Result;
}

export function createResults(): Results {
  const byKey = new Map<string, Result>();
  const resultOf = (key: string, make: () => Schema): Result =>
    remember(byKey, key, () => ({ id: byKey.size, schema: make() }));
  return {
    filled({ node, written }, description, inner) {
      const last = written.get(description);
      if (last?.inner.every((part, index) => part === inner[index])) return last.result;
      let key = `${node.frame}:${description?.id ?? 0}`;
      for (const { id } of inner) key += `,${id}`;
      const result = resultOf(key, () => describe(fill(node, inner), description));
      written.set(description, { inner, result });
      return result;
    },
    reference: (name, description) =>
      resultOf(`#${name}:${description?.id ?? 0}`, () => ({
        $ref: referenceTo(name),
        ...(description === null ? {} : { description: description.text }),
      })),
  };
}

function fill({ schema }: Node, inner: readonly Result[]): Schema {
  let next = 0;
  return inner.length === 0 ? schema : mapChildren(schema, () => inner[next++]?.schema ?? {});
}

/** Adds the description where the writer of input schemas puts it: after `type` or `$ref`. */
function describe(schema: Schema, description: Text | null): Schema {
  if (description === null) return schema;
  const { type, $ref, ...rest } = schema;
  return {
    ...(type === undefined ? {} : { type }),
    ...($ref === undefined ? {} : { $ref }),
    description: description.text,
    ...rest,
  };
}
