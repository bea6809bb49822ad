/** Minimal answers: keeps only the members of a response that connector.yaml lists. */

import { pointerTokens } from '../../json-pointer.ts';
import type { Schema } from '../../model/types.ts';
import { nearest } from '../../nearest.ts';
import { type Reporter, suggest } from '../problems.ts';
import type { ShapeReader } from '../schema/relax.ts';
import type { PageRule } from '../types.ts';

interface Context {
  readonly tool: string;
  readonly keep: readonly string[] | undefined;
  readonly answers: readonly Schema[];
  readonly page: PageRule | null;
  readonly read: ShapeReader;
  readonly report: Reporter;
}

/** The kept members by name, each with the members that are kept below it, or null for everything. */
type MemberTree = Map<string, MemberTree | null>;

/** An answer that is an array is published as the member `items` of an object. */
const WRAPPED = 'items';

/**
 * The schemas of a tool's shortened answers: the members on the paths of `keep`, and those that continue a list.
 *
 * A path is dotted and leaves out arrays on the way: `data.owner.name`. Reports a path that an answer does not have;
 * below a place that lists no members, any name is accepted.
 */
export function keepMembers({ tool, keep, answers, page, read, report }: Context): readonly Schema[] {
  if (keep === undefined) return answers;
  const memberTree: MemberTree = new Map();
  for (const [index, path] of keep.entries()) {
    const problem = findProblem(path.split('.'), answers, read);
    if (problem === null) addPath(memberTree, path.split('.'));
    else {
      const { parentPath, name, names } = problem;
      const near = nearest(name, names);
      const suggestions = (near.length > 0 ? near : names).map((memberName) => [...parentPath, memberName].join('.'));
      const message = `The answer of ${tool} has no ${path}: there is no ${name}.`;
      report.config(
        'config-keep',
        ['tools', tool, 'keep', index],
        message,
        suggest('', suggestions, 'It has no members.'),
      );
    }
  }
  if (memberTree.size === 0) return answers;
  const rule: Readonly<Record<string, unknown>> = { ...page };
  for (const key of ['next', 'more', 'total', 'pages']) {
    const pointer = rule[key];
    if (typeof pointer === 'string') addPath(memberTree, pointerTokens(pointer));
  }
  return answers.map((answer) => {
    const shape = read(answer);
    const itemTree = memberTree.get(WRAPPED);
    if (shape.kind !== 'array') return project(answer, memberTree, read);
    return itemTree === undefined || itemTree === null ? answer : project(answer, itemTree, read);
  });
}

interface UnknownMember {
  readonly parentPath: readonly string[];
  readonly name: string;
  readonly names: readonly string[];
}

function findProblem(path: readonly string[], answers: readonly Schema[], read: ShapeReader): UnknownMember | null {
  let schemas: readonly Schema[] = answers.map((answer) =>
    read(answer).kind === 'array' ? { type: 'object', properties: { [WRAPPED]: answer } } : answer,
  );
  for (const [index, name] of path.entries()) {
    const shapes = schemas.map((schema) => elementOf(schema, read));
    const objects = shapes.flatMap((shape) => (shape.kind === 'object' ? [shape] : []));
    const isOpen =
      shapes.length === 0 ||
      shapes.some((shape) => shape.kind === 'any' || (shape.kind === 'object' && shape.properties.length === 0));
    const next = objects.flatMap(({ properties }) => properties.filter(([propertyName]) => propertyName === name));
    if (next.length > 0) schemas = next.map(([, schema]) => schema);
    else if (isOpen) return null;
    else {
      const names = objects.flatMap(({ properties }) => properties.map(([propertyName]) => propertyName));
      return { parentPath: path.slice(0, index), name, names: [...new Set(names)] };
    }
  }
  return null;
}

/** The shape of a place; for an array, of its elements. */
function elementOf(schema: Schema, read: ShapeReader): ReturnType<ShapeReader> {
  const shape = read(schema);
  return shape.kind === 'array' ? elementOf(shape.items, read) : shape;
}

function project(schema: Schema, memberTree: MemberTree, read: ShapeReader): Schema {
  const shape = read(schema);
  const text = shape.description === '' ? {} : { description: shape.description };
  if (shape.kind === 'array') return { type: 'array', items: project(shape.items, memberTree, read), ...text };
  if (shape.kind !== 'object') return schema;
  const { properties, values } = shape;
  const listedProperties =
    properties.length > 0 || values === null
      ? properties
      : [...memberTree.keys()].map((name): readonly [string, Schema] => [name, values]);
  const members = listedProperties.flatMap(([name, member]) => {
    const subtree = memberTree.get(name);
    if (subtree === undefined) return [];
    return [[name, subtree === null ? member : project(member, subtree, read)] as const];
  });
  return { type: 'object', properties: Object.fromEntries(members), ...text };
}

function addPath(memberTree: MemberTree, [name, ...rest]: readonly string[]): void {
  if (name === undefined) return;
  const subtree = memberTree.get(name);
  if (rest.length === 0) memberTree.set(name, null);
  else if (subtree !== null) {
    const inner: MemberTree = subtree ?? new Map();
    memberTree.set(name, inner);
    addPath(inner, rest);
  }
}
