/** Observes the arguments of a call: published names and classes of values, never a value. */

import { type ArgumentNode, OTHER, toValueName } from './argument-tree.ts';

/** Values examined per call. */
const MAX_VALUES = 1000;

/**
 * Returns the facets of one call's arguments, each once: `<place> calls`, `<place> class:<class>`,
 * `<place> member:<value>`, with a tab instead of the space.
 *
 * A name that is not published is `other`, and its content is not examined; a value that its `enum` does not publish is
 * `other` too.
 */
export function observe(root: ArgumentNode, args: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const facets = new Set<string>();
  let valuesLeft = MAX_VALUES;
  const visit = (node: ArgumentNode | null, name: string, value: unknown): void => {
    if (valuesLeft === 0) return;
    valuesLeft -= 1;
    facets.add(`${name}\tcalls`);
    facets.add(`${name}\tclass:${classOf(value)}`);
    if (node === null) return;
    if (Array.isArray(value)) {
      if (node.items !== null) for (const item of value) visit(node.items, node.items.name, item);
    } else if (typeof value === 'object' && value !== null) {
      visitMembers(node, value);
    } else if (node.values !== null) {
      const valueName = toValueName(value);
      facets.add(`${name}\tmember:${node.values.has(valueName) ? valueName : OTHER}`);
    }
  };
  const visitMembers = (node: ArgumentNode, value: object): void => {
    if (node.members.size === 0 && node.name !== '') return;
    for (const [key, member] of Object.entries(value)) {
      if (valuesLeft === 0) return;
      const memberNode = node.members.get(key) ?? null;
      visit(memberNode, memberNode?.name ?? (node.name === '' ? OTHER : `${node.name}.${OTHER}`), member);
    }
  };
  visitMembers(root, args);
  return facets;
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
      const isArray = Array.isArray(value);
      const size = isArray ? value.length : Object.keys(value).length;
      if (size === 0) return 'empty';
      return isArray ? 'array' : 'object';
    }
    default:
      return OTHER;
  }
}
