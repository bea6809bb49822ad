/** Parses the `wire` addresses of connector.yaml: the place of a value in the request. */

type WireIn = 'path' | 'query' | 'header' | 'cookie' | 'body';

/** One place of a request. `name` is null for a whole body. */
export interface WireSlot {
  readonly in: WireIn;
  readonly name: string | null;
}

/** A key of an object parameter: fixed, or named at run time by another argument. */
export type ParameterKey = { readonly constant: string } | { readonly argument: string };

export interface WireAddress extends WireSlot {
  readonly key: ParameterKey | null;
}

const WIRE_ADDRESS = /^(path|query|header|cookie|body)\.(.+)$/s;
const KEYED = /^(.+)\[([^[\]]+)\]$/s;
const ARGUMENT = /^\{(.+)\}$/s;

/**
 * Reads an address such as `query.page_size`, `body`, `query.filters[ticker]` or `query.filters[{column}]`.
 *
 * A wire name may itself end in brackets (`filter[name]`): if `isKnownSlot` knows the whole text as a name, it is that name,
 * else a key of an object parameter.
 */
export function parseWire(text: string, isKnownSlot: (slot: WireSlot) => boolean): WireAddress | null {
  if (text === 'body') return { in: 'body', name: null, key: null };
  const [, place, rest] = WIRE_ADDRESS.exec(text) ?? [];
  if (place === undefined || rest === undefined) return null;
  const slot = { in: place as WireIn, name: rest };
  const [, name, key] = KEYED.exec(rest) ?? [];
  if (name === undefined || key === undefined || isKnownSlot(slot)) return { ...slot, key: null };
  const argument = ARGUMENT.exec(key)?.[1];
  return { in: slot.in, name, key: argument === undefined ? { constant: key } : { argument } };
}

/** `query.page_size`, or `body` for a whole body. */
export function toWireText(slot: WireSlot): string {
  return slot.name === null ? slot.in : `${slot.in}.${slot.name}`;
}

/** One text for each place of a request: header names ignore case (RFC 9110 §5.1). */
export function wireKey(slot: WireSlot): string {
  return slot.in === 'header' ? toWireText(slot).toLowerCase() : toWireText(slot);
}
