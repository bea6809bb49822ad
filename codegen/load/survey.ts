/** One walk over a parsed file: every `$ref` in it, and every value that is not JSON. */

import { toPointer } from '../json-pointer.ts';

/** Deeper than any descriptor; shallow enough for every later walk to recurse. */
const MAX_DEPTH = 200;
/** Ten times the largest public descriptor known to us, aliases expanded. */
const MAX_NODES = 10_000_000;

export interface FoundReference {
  /** Pointer of the object that holds the `$ref`. */
  readonly pointer: string;
  readonly holder: object;
  readonly ref: string;
  /** True inside examples, defaults and extensions, where `$ref` is data and stays as it is. */
  readonly isData: boolean;
}

export interface Survey {
  readonly references: readonly FoundReference[];
  /** Schemas with an `$id`. */
  readonly ids: readonly { readonly pointer: string; readonly holder: { $id?: unknown } }[];
  readonly faults: readonly { readonly pointer: string; readonly message: string }[];
}

/** `keywords`: keys have the meaning that OpenAPI gives them. `names`: keys were chosen by the author. `data`: no meaning. */
type Position = 'keywords' | 'names' | 'data';

const NAME_MAPS = new Set([
  '$defs',
  'callbacks',
  'content',
  'definitions',
  'dependentSchemas',
  'encoding',
  'examples',
  'headers',
  'links',
  'parameters',
  'pathItems',
  'paths',
  'patternProperties',
  'properties',
  'requestBodies',
  'responses',
  'schemas',
  'securitySchemes',
  'variables',
  'webhooks',
]);
const DATA_KEYWORDS = new Set(['const', 'default', 'enum', 'example', 'value']);

/** Walks the file as a tree. Stops with one fault at a cycle or at bottomless nesting. */
export function surveyDocument(root: unknown): Survey {
  const references: FoundReference[] = [];
  const ids: { pointer: string; holder: object }[] = [];
  const faults: { pointer: string; message: string }[] = [];
  const tokens: (string | number)[] = [];
  let nodes = 0;
  let stopped = false;

  const fault = (message: string): void => {
    faults.push({ pointer: toPointer(tokens), message });
  };
  const stop = (message: string): void => {
    if (!stopped) fault(message);
    stopped = true;
  };
  const visit = (value: unknown, position: Position): void => {
    if (stopped) return;
    nodes += 1;
    if (nodes > MAX_NODES) {
      stop(`The document has more than ${MAX_NODES} values once its aliases are expanded.`);
    } else if (typeof value === 'number') {
      if (!Number.isFinite(value)) fault(`${value} is not a JSON number.`);
    } else if (value !== null && typeof value === 'object') {
      if (tokens.length > MAX_DEPTH) stop(`Nested more than ${MAX_DEPTH} levels deep, or an alias contains itself.`);
      else visitObject(value, position);
    }
  };
  const visitObject = (value: object, position: Position): void => {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) descend(index, item, position);
      return;
    }
    const object = value as Record<string, unknown>;
    if (typeof object.$ref === 'string') {
      references.push({ pointer: toPointer(tokens), holder: object, ref: object.$ref, isData: position === 'data' });
    }
    if (position === 'keywords' && typeof object.$id === 'string') {
      ids.push({ pointer: toPointer(tokens), holder: object });
    }
    for (const key of Object.keys(object)) descend(key, object[key], positionBelow(position, key, object[key]));
  };
  const descend = (token: string | number, value: unknown, position: Position): void => {
    tokens.push(token);
    visit(value, position);
    tokens.pop();
  };

  visit(root, 'keywords');
  return { references, ids, faults };
}

function positionBelow(position: Position, key: string, value: unknown): Position {
  if (position === 'data') return 'data';
  if (position === 'names') return 'keywords';
  if (key.startsWith('x-') || DATA_KEYWORDS.has(key)) return 'data';
  if (key === 'examples' && Array.isArray(value)) return 'data';
  return NAME_MAPS.has(key) && !Array.isArray(value) ? 'names' : 'keywords';
}
