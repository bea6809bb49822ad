/** Members of answers that never leave: the paths that name them, and an output schema without them. */

import { isSchema, type JsonSchema, parsePointer, resolve } from './search/schema-types.ts';

/**
 * By path, what happens to a member: it is left out, or its value becomes `WITHHELD`. A path has dotted names of members, without arrays
 * (`data.owner.taxNumber`); after `**.`, anywhere in the answer.
 */
export type WithheldMembers = Readonly<Record<string, 'drop' | 'replace'>>;

/** The value of a replaced member. */
export const WITHHELD = '[withheld]';

export const WITHHELD_PATH = /^(?:\*\*\.)?[^.\s*]+(?:\.[^.\s*]+)*$/;

/** Returns the members that either of two rules withholds. Where the rules differ, a member is dropped. */
export function mergeWithheld(one: WithheldMembers, other: WithheldMembers): WithheldMembers {
  const dropped = Object.entries(one).filter(([, how]) => how === 'drop');
  return { ...one, ...other, ...Object.fromEntries(dropped) };
}

/** A name on the way to withheld members. */
export class Step {
  readonly path: string;
  /** The treatment of the member itself. Undefined if only members below it are withheld. */
  how?: 'drop' | 'replace';
  readonly below = new Map<string, Step>();
  /** In a schema: the members that the places list to which it leads, and whether one of these lists none. */
  readonly names = new Set<string>();
  isOpen = false;

  constructor(path: string) {
    this.path = path;
  }

  /** The step to a member. */
  to(name: string): Step {
    const next = this.below.get(name) ?? new Step(this.path === '' ? name : `${this.path}.${name}`);
    this.below.set(name, next);
    return next;
  }
}

/** Paths, to be followed from member to member. */
export class WithheldPaths {
  /** The root of an answer. */
  readonly start: readonly Step[] = [new Step(''), new Step('**')];
  /** The state of a walk that has left every path from the root. */
  readonly elsewhere = this.start.slice(1);

  constructor(members: WithheldMembers) {
    for (const [path, how] of Object.entries(members)) {
      const root = this.start[path.startsWith('**.') ? 1 : 0] as Step;
      const names = path.replace('**.', '').split('.');
      names.reduce((step, name) => step.to(name), root).how = how;
    }
  }

  /** Returns the treatment of a member, and the state of the walk below it. */
  enter(at: readonly Step[], name: string): { readonly how?: Step['how']; readonly next: readonly Step[] } {
    const entered = at.flatMap(({ below }) => below.get(name) ?? []);
    if (entered.length === 0) return { next: this.elsewhere };
    const hows = entered.flatMap(({ how }) => how ?? []);
    return { how: hows.includes('drop') ? 'drop' : hows[0], next: [...entered, ...this.elsewhere] };
  }

  /** Returns true if a pointer (RFC 6901) leads to a withheld member, or below one. */
  holds(pointer: string): boolean {
    let at = this.start;
    return parsePointer(pointer).some((token) => {
      const { how, next } = this.enter(at, token);
      // A number may be the place in an array, which the walk does not enter, or the name of a member.
      at = /^\d+$/.test(token) ? [...at, ...next] : next;
      return how !== undefined;
    });
  }
}

/** Returns the pointer that a list needs for its next page and that is withheld, or undefined. */
export function findWithheldPaging(page: object | null | undefined, members: WithheldMembers): string | undefined {
  const { items = '', id = '', next, more, total, pages } = (page ?? {}) as Readonly<Record<string, unknown>>;
  const paths = new WithheldPaths(members);
  return [`${items}${id}`, next, more, total, pages].find(
    (pointer): pointer is string => typeof pointer === 'string' && paths.holds(pointer),
  );
}

/** The filters by other members: an upstream that filters by a member tells its value. */
export function withoutFilters<Filter>(filters: Readonly<Record<string, Filter>>, members: WithheldMembers) {
  const names = Object.keys(members).map((path) => path.split('.').at(-1) ?? '');
  const open = Object.entries(filters).filter(([member]) => !member.split('.').some((name) => names.includes(name)));
  return Object.fromEntries(open);
}

/** An output schema without withheld members, and the paths that lead nowhere, each with what the last place on it lists instead. */
interface WithheldSchema<Schema> {
  readonly schema: Schema;
  readonly unknown: ReadonlyMap<string, readonly string[]>;
}

/** Largest depth of a schema. Only a schema that contains itself without a member in between is deeper. */
const MAX_DEPTH = 64;
const NESTED = ['items', 'anyOf', 'oneOf', 'allOf'];

export function withoutWithheld<Schema extends JsonSchema>(
  root: Schema,
  members: WithheldMembers,
): WithheldSchema<Schema> {
  const paths = new WithheldPaths(members);
  const visit = (schema: unknown, at: readonly Step[], depth: number): unknown => {
    if (Array.isArray(schema)) return schema.map((one) => visit(one, at, depth + 1));
    if (!isSchema(schema) || depth > MAX_DEPTH) return schema;
    if (typeof schema.$ref === 'string') {
      return at === paths.elsewhere ? schema : visit(resolve(root, schema), at, depth + 1);
    }
    const { properties, additionalProperties: others, type } = schema;
    const result: Record<string, unknown> = { ...schema };
    for (const key of NESTED) if (schema[key] !== undefined) result[key] = visit(schema[key], at, depth + 1);
    if (others !== undefined) result.additionalProperties = visit(others, paths.elsewhere, depth + 1);
    if (isSchema(properties)) {
      for (const { names } of at) for (const name of Object.keys(properties)) names.add(name);
      const visibleMembers = Object.entries(properties).flatMap(([name, member]) => {
        const { how, next } = paths.enter(at, name);
        if (how === 'drop') return [];
        return [[name, how === 'replace' ? { description: 'Withheld.' } : visit(member, next, depth + 1)] as const];
      });
      result.properties = Object.fromEntries(visibleMembers);
    } else if (!NESTED.some((key) => schema[key] !== undefined)) {
      const isObject = others !== undefined || String(type).includes('object');
      // Without a type, it is a text or anything at all: a path that leads there means it.
      for (const step of at) step.isOpen ||= isObject || (type === undefined && step.path !== '**');
    }
    return result;
  };
  const { $defs, ...rootSchema } = root;
  const schema = visit(rootSchema, paths.start, 0) as JsonSchema;
  const definitions = Object.entries($defs ?? {}).map(([name, one]) => [name, visit(one, paths.elsewhere, 0)] as const);
  return {
    schema: withDefinitions(schema, definitions) as Schema,
    unknown: new Map(paths.start.flatMap((step) => findUnknown(step))),
  };
}

type Unknown = readonly [path: string, near: readonly string[]];

type Definition = readonly [name: string, schema: unknown];

/** The schema with those of the definitions that something else refers to. */
function withDefinitions(schema: JsonSchema, definitions: readonly Definition[]): JsonSchema {
  const isNeeded = ([name]: Definition) =>
    JSON.stringify([schema, definitions.filter(([other]) => other !== name)]).includes(`"#/$defs/${name}"`);
  const neededDefinitions = definitions.filter(isNeeded);
  return neededDefinitions.length === 0 ? schema : { ...schema, $defs: Object.fromEntries(neededDefinitions) };
}

/** @param above of a place that the schema does not have: what the last one lists that it has. */
function findUnknown({ path, below, names, isOpen }: Step, above?: readonly string[]): Unknown[] {
  if (isOpen) return [];
  const near = above ?? [...names].map((name) => (path === '' ? name : `${path}.${name}`));
  return [...below].flatMap(([name, next]) => {
    if (above === undefined && names.has(name)) return findUnknown(next);
    return [...(next.how === undefined ? [] : [[next.path, near] as const]), ...findUnknown(next, near)];
  });
}
