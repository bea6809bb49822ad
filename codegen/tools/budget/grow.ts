/** Writes an input schema level by level while there is room, and leaves open what does not fit. */

import { charsOf, isRecord } from '../../json.ts';
import type { Schema } from '../../model/types.ts';
import { requiredOf } from '../schema/readers.ts';
import { loosenChoices } from './loosen.ts';
import { toStub } from './stub.ts';
import { definitionOf, definitionsOf, forEachChild, mapKeyword, type Step } from './walk.ts';

/** A list of values that is longer than this can be left out, in characters of JSON. */
const LONG_ENUM_CHARS = 600;
/** What is at most this long and refers to nothing is written with what it stands in. */
const SMALL_CHARS = 160;
/** Keywords under which a looser schema would refuse more, or whose meaning hangs on the whole of it. */
const CONDITIONS: ReadonlySet<string> = new Set(['not', 'if', 'contains', 'propertyNames']);
/** Keywords that mean nothing without a condition that was dropped. */
const AFTER: Readonly<Record<string, readonly string[]>> = {
  if: ['then', 'else'],
  contains: ['minContains', 'maxContains'],
};

interface GrowOptions {
  /** Longest result in characters of JSON. */
  readonly maxChars: number;
  /** Objects inside one another, the root counted. */
  readonly maxLevel: number;
  /** Arguments that are written whole. */
  readonly whole: ReadonlySet<string>;
}

export interface Grown {
  readonly schema: Schema;
  /** Parts that were left open, such as `order.items[].discounts`, in the order in which they were met. */
  readonly open: readonly string[];
}

/** A part that is not written yet: `target` holds its stub. */
interface Bud {
  readonly schema: Schema;
  readonly target: Record<string, unknown>;
  readonly place: string;
  readonly isRequired: boolean;
  /** Objects around it. */
  readonly level: number;
}

/** A part with the buds in it. */
interface Content {
  readonly schema: Record<string, unknown>;
  readonly buds: readonly Bud[];
}

/**
 * The same schema, its deepest parts left open where the whole has no room.
 *
 * The arguments are always there. Then, level by level: first what is required, then from the smallest to the largest,
 * then by name. What stays open is a stub. The result accepts every value that the schema accepts: `oneOf` with an open
 * alternative becomes `anyOf`, and a condition (`not`, `if`, `contains`, `propertyNames`) that refers to a definition goes.
 */
export function growWithin(root: Schema, { maxChars, maxLevel, whole }: GrowOptions): Grown {
  const definitions = definitionsOf(root);
  const written = new Map<string, Record<string, unknown>>();
  /** Objects of the result that accept more than what they stand for. */
  const loose = new Set<unknown>();
  const lengths = new WeakMap<Schema, number>();
  const lengthOf = (schema: Schema): number => {
    const known = lengths.get(schema) ?? JSON.stringify(schema).length;
    lengths.set(schema, known);
    return known;
  };

  const isBud = (schema: Schema, level: number): boolean => {
    if (definitionOf(schema) !== null) return true;
    if (Array.isArray(schema.enum) && JSON.stringify(schema.enum).length > LONG_ENUM_CHARS) return true;
    const isObject =
      isRecord(schema.properties) || isRecord(schema.patternProperties) || isRecord(schema.additionalProperties);
    return isObject && (level >= maxLevel || lengthOf(schema) > SMALL_CHARS || hasReference(schema));
  };

  /** A definition with nothing inside is written out: its stub would be as long. */
  const leafOf = (schema: Schema): Schema | null => {
    const name = definitionOf(schema);
    const body = name === null ? undefined : definitions.get(name);
    if (body === undefined || hasReference(body) || isBud(body, 0) || lengthOf(body) > LONG_ENUM_CHARS) return null;
    const { $ref: _, ...beside } = schema;
    return { ...body, ...beside };
  };

  const read = (given: Schema, place: string, isRequired: boolean, level: number, buds: Bud[]): Schema => {
    const schema = leafOf(given) ?? given;
    if (!isBud(schema, level)) return expand(schema, place, isRequired, level, buds);
    const target = { ...toStub(schema, definitions) };
    buds.push({ schema, target, place, isRequired, level });
    return target;
  };

  /** The keywords of a schema, with stubs for what is inside. */
  const expand = (schema: Schema, place: string, isRequired: boolean, level: number, buds: Bud[]) => {
    const result: Record<string, unknown> = {};
    const inner = level + (isRecord(schema.properties) ? 1 : 0);
    const required = requiredOf(schema);
    const dropped = new Set<string>();
    for (const keyword of CONDITIONS) {
      const condition = schema[keyword];
      if (!isRecord(condition) || !hasReference(condition)) continue;
      for (const gone of [keyword, ...(AFTER[keyword] ?? [])]) dropped.add(gone);
      loose.add(result);
    }
    for (const [keyword, value] of Object.entries(schema)) {
      if (dropped.has(keyword)) continue;
      result[keyword] = CONDITIONS.has(keyword)
        ? value
        : mapKeyword(keyword, value, (child, step) => {
            const isNeeded = keyword === 'properties' ? isRequired && required.includes(step[1] ?? '') : isRequired;
            return read(child, `${place}${toPlace(step)}`, isNeeded, inner, buds);
          });
    }
    return result;
  };

  /** What a bud becomes, and what it costs beyond its stub. */
  const contentOf = ({
    schema,
    target,
    place,
    isRequired,
    level,
  }: Bud): Content & { cost: number; name: string | null } => {
    const name = definitionOf(schema);
    const buds: Bud[] = [];
    if (name === null) {
      const content = expand(schema, place, isRequired, level, buds);
      return { schema: content, buds, name, cost: charsOf(content) - charsOf(target) };
    }
    const own = charsOf(schema) - charsOf(target);
    if (written.has(name)) return { schema: { ...schema }, buds, name: null, cost: own };
    const definition = definitions.get(name) ?? {};
    const body = expand(
      definitionOf(definition) === null ? definition : { allOf: [definition] },
      place,
      isRequired,
      level,
      buds,
    );
    return { schema: body, buds, name, cost: own + charsOf(body) + name.length + 4 };
  };

  const fits = ({ schema, level }: Bud): boolean => {
    const name = definitionOf(schema);
    if (name !== null && written.has(name)) return true;
    const target = name === null ? schema : definitions.get(name);
    return level < maxLevel || !isRecord(target?.properties);
  };

  const buds: Bud[] = [];
  const args = isRecord(root.properties) ? root.properties : {};
  const required = requiredOf(root);
  const { $defs: _, ...frame } = root;
  const schema: Record<string, unknown> = {
    ...frame,
    properties: Object.fromEntries(
      Object.entries(args).map(([name, argument]) => {
        const isWhole = whole.has(name) && !hasReference(argument as Schema);
        return [name, isWhole ? argument : read(argument as Schema, name, required.includes(name), 1, buds)];
      }),
    ),
  };
  let room = maxChars - charsOf(schema) - charsOf({ $defs: {} });
  let waiting: readonly Bud[] = buds;
  const closed: Bud[] = [];
  while (waiting.length > 0) {
    const level = Math.min(...waiting.map((bud) => bud.level));
    const next: Bud[] = waiting.filter((bud) => bud.level > level);
    for (const bud of inOrder(
      waiting.filter((one) => one.level === level),
      contentOf,
    )) {
      const content = fits(bud) ? contentOf(bud) : null;
      if (content === null || content.cost > room) {
        closed.push(bud);
        loose.add(bud.target);
        continue;
      }
      room -= content.cost;
      replace(bud.target, content.name === null ? content.schema : bud.schema, loose, content.schema);
      if (content.name !== null) written.set(content.name, content.schema);
      next.push(...content.buds);
    }
    waiting = next;
  }
  const $defs = Object.fromEntries([...written].sort(([a], [b]) => (a < b ? -1 : 1)));
  const result = written.size === 0 ? schema : { ...schema, $defs };
  loosenChoices(result, loose);
  return { schema: result, open: closed.map(({ place }) => place) };
}

function inOrder(buds: readonly Bud[], contentOf: (bud: Bud) => { readonly cost: number }): readonly Bud[] {
  return buds
    .map((bud) => ({ bud, cost: contentOf(bud).cost }))
    .sort(
      (a, b) =>
        Number(b.bud.isRequired) - Number(a.bud.isRequired) ||
        a.cost - b.cost ||
        (a.bud.place < b.bud.place ? -1 : Number(a.bud.place > b.bud.place)),
    )
    .map(({ bud }) => bud);
}

/** Makes the stub what it stands for. */
function replace(target: Record<string, unknown>, schema: Schema, loose: Set<unknown>, content: Schema): void {
  for (const keyword of Object.keys(target)) delete target[keyword];
  Object.assign(target, schema);
  if (schema === content && loose.has(content)) loose.add(target);
}

function hasReference(schema: Schema): boolean {
  if (definitionOf(schema) !== null) return true;
  let found = false;
  forEachChild(schema, (child) => {
    found ||= hasReference(child);
  });
  return found;
}

/** `order.items[].price` names the parts that a person would follow; alternatives add nothing. */
function toPlace([keyword, key]: Step): string {
  if (keyword === 'properties') return `.${key}`;
  if (keyword === 'items' || keyword === 'prefixItems') return '[]';
  return keyword === 'additionalProperties' || keyword === 'patternProperties' ? '{}' : '';
}
