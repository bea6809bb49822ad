/** Limits what `JSON.parse` may be given: one pass over the bytes, before any object is created. */

/** Limits of one JSON text. */
export interface JsonLimits {
  /** Values of all kinds, in total. */
  readonly nodes: number;
  /** Members of one object. */
  readonly keys: number;
  /** Depth of nested objects and arrays. */
  readonly depth: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Says which limit a JSON text exceeds, or null when it exceeds none.
 *
 * Takes time in proportion to the bytes, whatever they are. Text that is not JSON may pass: parsing it is cheap.
 */
export function findBrokenLimit(json: Uint8Array, limits: JsonLimits): string | null {
  // A deeper text has at least two bytes for each level, and the other limits need even more bytes.
  if (json.byteLength <= 2 * limits.depth) return null;
  const keysAtDepth = new Uint32Array(limits.depth + 1);
  let depth = 0;
  let nodes = 1;
  for (let index = 0; index < json.byteLength; index += 1) {
    switch (json[index]) {
      case QUOTE:
        index = endOfString(json, index);
        break;
      case COMMA:
        nodes += 1;
        break;
      case COLON: {
        const keys = (keysAtDepth[depth] ?? 0) + 1;
        if (keys > limits.keys) return `an object has more than ${limits.keys} members`;
        keysAtDepth[depth] = keys;
        break;
      }
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        depth += 1;
        nodes += 1;
        if (depth > limits.depth) return `nested deeper than ${limits.depth} levels`;
        keysAtDepth[depth] = 0;
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        depth = Math.max(0, depth - 1);
        break;
    }
    if (nodes > limits.nodes) return `more than ${limits.nodes} values`;
  }
  return null;
}

/** Where the string that begins at `start` ends; the end of the text if it does not. */
function endOfString(json: Uint8Array, start: number): number {
  let index = start + 1;
  while (index < json.byteLength && json[index] !== QUOTE) index += json[index] === BACKSLASH ? 2 : 1;
  return index;
}
