/** Helpers for JSON values from a descriptor or from the wire. */

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Splits an RFC 6901 pointer (with or without the `#` of a reference) into decoded segments. */
function toSegments(pointer: string): string[] {
  const path = pointer.startsWith('#') ? decodeURIComponent(pointer.slice(1)) : pointer;
  return path
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value at an RFC 6901 pointer, or undefined. */
export function readPointer(value: unknown, pointer: string): unknown {
  let current = value;
  for (const segment of toSegments(pointer)) {
    if (Array.isArray(current)) current = current[Number(segment)];
    else if (isObject(current) && Object.hasOwn(current, segment)) current = current[segment];
    else return undefined;
  }
  return current;
}

/** Sets the value at an RFC 6901 pointer in place, if its parent exists; undefined removes the member. */
export function writePointer(value: unknown, pointer: string, next: unknown): void {
  const segments = toSegments(pointer);
  const last = segments.pop();
  if (last === undefined) return;
  const parent = readPointer(value, segments.map((segment) => `/${escapeSegment(segment)}`).join(''));
  if (Array.isArray(parent)) parent[Number(last)] = next;
  else if (isObject(parent) && next === undefined) delete parent[last];
  else if (isObject(parent)) parent[last] = next;
}

function escapeSegment(segment: string): string {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The value at names joined by dots, or undefined. */
export function valueAt(record: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce((value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined), record);
}
