/** Removes pinned arguments from the schema that a model reads. */

import type { Pins } from '../../../base/principal/permission.ts';
import type { ObjectSchema } from '../../../contract/index.ts';

/** Removes the arguments from `properties` and from every `required`, including alternatives. */
export function withoutPinned(schema: ObjectSchema, pins: Pins): ObjectSchema {
  const { properties = {} } = schema as { properties?: Readonly<Record<string, unknown>> };
  const left = Object.entries(properties).filter(([name]) => !Object.hasOwn(pins, name));
  return { ...(withoutRequired(schema, pins) as ObjectSchema), properties: Object.fromEntries(left) };
}

const ALTERNATIVES = ['allOf', 'anyOf', 'oneOf'];

function withoutRequired(schema: unknown, pins: Pins): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (keyword === 'required' && Array.isArray(value)) {
        return [keyword, value.filter((name) => !Object.hasOwn(pins, String(name)))];
      }
      if (!ALTERNATIVES.includes(keyword) || !Array.isArray(value)) return [keyword, value];
      return [keyword, value.map((alternative) => withoutRequired(alternative, pins))];
    }),
  );
}
