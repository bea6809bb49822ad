/** Observes the arguments of a call: published names and classes of values, never a value. */

import { OTHER, toValueName, type UsagePlace } from './places.ts';

/** Values examined per call. */
const MAX_VALUES = 1000;

/**
 * Returns the facets of one call's arguments, each once: `<place> calls`, `<place> class:<class>`,
 * `<place> member:<value>`, with a tab instead of the space.
 *
 * A name that is not published is `other`, and its content is not examined; a value that its `enum` does not publish is
 * `other` too.
 */
export function observe(places: UsagePlace, args: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const seen = new Set<string>();
  let left = MAX_VALUES;
  const visit = (place: UsagePlace | null, name: string, value: unknown): void => {
    if (left === 0) return;
    left -= 1;
    seen.add(`${name}\tcalls`);
    seen.add(`${name}\tclass:${classOf(value)}`);
    if (place === null) return;
    if (Array.isArray(value)) {
      if (place.items !== null) for (const item of value) visit(place.items, place.items.name, item);
    } else if (typeof value === 'object' && value !== null) {
      visitMembers(place, value);
    } else if (place.values !== null) {
      const named = toValueName(value);
      seen.add(`${name}\tmember:${place.values.has(named) ? named : OTHER}`);
    }
  };
  const visitMembers = (place: UsagePlace, value: object): void => {
    if (place.members.size === 0 && place.name !== '') return;
    for (const [key, member] of Object.entries(value)) {
      if (left === 0) return;
      const known = place.members.get(key) ?? null;
      visit(known, known?.name ?? (place.name === '' ? OTHER : `${place.name}.${OTHER}`), member);
    }
  };
  visitMembers(places, args);
  return seen;
}

/** Returns the only class that fits. See `shared/usage-file.ts`. */
function classOf(value: unknown): string {
  if (value === null) return 'null';
  switch (typeof value) {
    case 'string':
      return value === '' ? 'empty' : 'text';
    case 'number':
      return Number.isInteger(value) ? 'integer' : 'number';
    case 'boolean':
      return 'boolean';
    case 'object': {
      const size = Array.isArray(value) ? value.length : Object.keys(value).length;
      return size === 0 ? 'empty' : Array.isArray(value) ? 'array' : 'object';
    }
    default:
      return OTHER;
  }
}
