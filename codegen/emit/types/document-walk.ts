/** Reads and writes nodes of a document that openapi-typescript is given. */

/** Sets an own member. `__proto__` is defined, because assignment would set the prototype. */
export function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

/** A node of a document. */
export type Json = Record<string, unknown>;

/** The node, or an empty one for a value that is not an object, so that members can be read safely. */
export function toObject(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}
