/** Draws values that a schema with circles might accept. Most of them do fit; who needs that asks a validator. */

import type { Schema } from '../../../../codegen/model/types.ts';

const MAX_DEPTH = 5;

/** The same seed draws the same value. */
export function drawValue(schema: Schema, definitions: Readonly<Record<string, Schema>>, seed: number): unknown {
  let state = seed >>> 0;
  const pick = (count: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
  const draw = (given: Schema, depth: number): unknown => {
    const named = typeof given.$ref === 'string' ? definitions[given.$ref.slice('#/$defs/'.length)] : undefined;
    if (named !== undefined) return depth > MAX_DEPTH * 2 ? {} : draw(named, depth + 1);
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const list = given[keyword] as readonly Schema[] | undefined;
      if (list !== undefined) return draw(list[pick(list.length)] ?? {}, depth + 1);
    }
    if (Array.isArray(given.allOf)) return Object.assign({}, ...given.allOf.map((part: Schema) => draw(part, depth)));
    if (Array.isArray(given.enum)) return given.enum[pick(given.enum.length)];
    const types = [given.type].flat();
    const type = types[pick(types.length)];
    if (type === 'array') {
      return Array.from({ length: depth > MAX_DEPTH ? 0 : pick(3) }, () =>
        draw((given.items ?? {}) as Schema, depth + 1),
      );
    }
    if (type === 'object') return drawObject(given, depth);
    return type === 'string'
      ? ['', 'a', 'ab c'][pick(3)]
      : type === 'integer'
        ? pick(9)
        : type === 'boolean'
          ? pick(2) === 1
          : null;
  };
  const drawObject = (given: Schema, depth: number): unknown => {
    const required = Array.isArray(given.required) ? given.required : [];
    const members = Object.entries((given.properties ?? {}) as Readonly<Record<string, Schema>>).filter(
      ([name]) => required.includes(name) || (depth <= MAX_DEPTH && pick(3) > 0),
    );
    const values = members.map(([name, member]) => [name, draw(member, depth + 1)]);
    const others = typeof given.additionalProperties === 'object' ? given.additionalProperties : null;
    const free = given.additionalProperties === undefined ? [['free', 1]] : [];
    const extra = others === null ? (pick(4) === 0 ? free : []) : [['extra', draw(others as Schema, depth + 1)]];
    return Object.fromEntries([...values, ...extra]);
  };
  return draw(schema, 0);
}
