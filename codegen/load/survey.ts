/** One walk over a parsed file: every `$ref` in it, and every value that is not JSON. */

import { toPointer } from '../json-pointer.ts';
import { COMPONENT_KINDS, type ComponentKind, type Kind, kindOfMember } from './keywords.ts';

/** Deeper than any descriptor; shallow enough for every later walk to recurse. */
const MAX_DEPTH = 200;
/** Ten times the largest public descriptor known to us, aliases expanded. */
const MAX_NODES = 10_000_000;

interface FoundReference {
  /** Pointer of the object that holds the `$ref`. */
  readonly pointer: string;
  readonly holder: object;
  readonly ref: string;
  /** The kind of the content at such a place, if known; only for schemas, parameters and other components. */
  readonly kind: ComponentKind | null;
  /** True inside examples, defaults and extensions, where `$ref` is data and is not followed. */
  readonly isData: boolean;
}

export interface Survey {
  readonly references: readonly FoundReference[];
  /** Schemas with an `$id`. */
  readonly ids: readonly { readonly pointer: string; readonly holder: { $id?: unknown } }[];
  readonly faults: readonly { readonly pointer: string; readonly message: string }[];
  /** Numbers that JSON does not have, with the objects that hold them. */
  readonly notNumbers: readonly {
    readonly pointer: string;
    readonly holder: object;
    readonly key: string | number;
    readonly message: string;
  }[];
}

/** Walks the file as a tree. Stops with one fault at a cycle or at excessive nesting. */
export function surveyDocument(root: unknown): Survey {
  const references: FoundReference[] = [];
  const ids: { pointer: string; holder: object }[] = [];
  const faults: { pointer: string; message: string }[] = [];
  const tokens: (string | number)[] = [];
  let nodes = 0;
  let stopped = false;

  const notNumbers: { pointer: string; holder: object; key: string | number; message: string }[] = [];
  const stop = (message: string): void => {
    if (!stopped) faults.push({ pointer: toPointer(tokens), message });
    stopped = true;
  };
  const visit = (value: unknown, position: Kind, kind: ComponentKind | null): void => {
    if (stopped) return;
    nodes += 1;
    if (nodes > MAX_NODES) {
      stop(`The document has more than ${MAX_NODES} values once its aliases are expanded.`);
    } else if (value !== null && typeof value === 'object') {
      if (tokens.length > MAX_DEPTH) stop(`Nested more than ${MAX_DEPTH} levels deep, or an alias contains itself.`);
      else if (Array.isArray(value)) for (const index of value.keys()) descend(value, index, position, kind);
      else visitObject(value as Record<string, unknown>, position, kind);
    }
  };
  const visitObject = (object: Record<string, unknown>, position: Kind, kind: ComponentKind | null): void => {
    const { $ref: ref } = object;
    if (typeof ref === 'string') {
      references.push({ pointer: toPointer(tokens), holder: object, ref, kind, isData: position === 'opaque' });
    }
    if (position === 'node' && typeof object.$id === 'string') {
      ids.push({ pointer: toPointer(tokens), holder: object });
    }
    for (const key of Object.keys(object)) {
      descend(object, key, positionOf(position, key, object[key]), position === 'map' ? kind : kindOf(key));
    }
  };
  const descend = (holder: object, token: string | number, position: Kind, kind: ComponentKind | null): void => {
    const value = (holder as Record<string | number, unknown>)[token];
    tokens.push(token);
    if (typeof value === 'number' && !Number.isFinite(value)) {
      notNumbers.push({ pointer: toPointer(tokens), holder, key: token, message: `${value} is not a JSON number.` });
    }
    visit(value, position, kind);
    tokens.pop();
  };

  visit(root, 'node', null);
  return { references, ids, faults, notNumbers };
}

/** Example Objects have names here, because a file can hold them; the examples of a schema are data. */
function positionOf(position: Kind, key: string, value: unknown): Kind {
  const isOfExamples = position === 'node' && key === 'examples' && !Array.isArray(value);
  return isOfExamples ? 'map' : kindOfMember(position, key, value);
}

function kindOf(key: string): ComponentKind | null {
  return COMPONENT_KINDS.get(key) ?? null;
}
