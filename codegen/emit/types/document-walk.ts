/** Reads and writes nodes of a document that openapi-typescript is given. */

/** A node of a document. */
export type Json = Record<string, unknown>;

/** The node, or an empty one for a value that is not an object, so that members can be read safely. */
export function toObject(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}
