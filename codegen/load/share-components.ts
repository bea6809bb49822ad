/** Gives content that several files share a name under `components`, so that bundling puts it there. */

import { member, pointerTokens, toPointer } from '../json-pointer.ts';
import type { ServiceFiles } from './files.ts';
import type { ComponentKind } from './keywords.ts';
import { readReference } from './reference.ts';

/** One added component. */
export interface SharedComponent {
  /** Pointer of the component in the descriptor. */
  readonly pointer: string;
  /** The origin of its content; `file` is relative to the service folder. */
  readonly origin: { readonly file: string; readonly pointer: string };
  /** Pointer of the descriptor's first own reference to it, or null. */
  readonly reference: string | null;
}

interface Target {
  readonly file: string;
  readonly pointer: string;
  readonly kind: ComponentKind;
}

/**
 * Adds `components.<kind>.<name>: {$ref: <file>#<pointer>}` to the descriptor for every schema, parameter, body, response, header and example of
 * another file that has no such entry yet.
 *
 * Bundling writes shared content to the place nearest to the root. Without these entries, that would be inside an operation, under a pointer that has
 * no separate type and that changes when operations are reordered.
 */
export function shareComponents(descriptor: string, files: ServiceFiles): SharedComponent[] {
  const added: SharedComponent[] = [];
  const root = files.get(descriptor);
  if (root === undefined || root.value === null || typeof root.value !== 'object') return added;
  const referencedKeys = new Set(
    root.survey.references
      .filter(({ pointer }) => /^\/(components\/[^/]+|definitions|parameters|responses)\/[^/]+$/.test(pointer))
      .map(({ ref }) => keyOf(readReference(ref, descriptor))),
  );
  for (const target of findTargets(descriptor, files)) {
    if (referencedKeys.has(keyOf(target))) continue;
    const path = pathOf(root.value, target.kind);
    const document = root.value as Record<string, unknown>;
    const section = path.reduce<typeof document | null>((parent, key) => parent && objectBelow(parent, key), document);
    if (section === null || path.length === 0) continue;
    const name = unusedName(section, target);
    section[name] = { $ref: `${encode(target.file)}#${encode(target.pointer)}` };
    const first = root.survey.references.find(({ ref }) => keyOf(readReference(ref, descriptor)) === keyOf(target));
    added.push({
      pointer: toPointer([...path, name]),
      origin: { file: target.file, pointer: target.pointer },
      reference: first?.pointer ?? null,
    });
  }
  return added;
}

/** Targets in other files, sorted by file and pointer, without those inside another target. */
function findTargets(descriptor: string, files: ServiceFiles): Target[] {
  const targets = new Map<string, Target>();
  for (const [name, { survey }] of files) {
    for (const { ref, kind, isData } of survey.references) {
      const target = readReference(ref, name);
      if (isData || kind === null || 'refused' in target || target.pointer === null || target.file === descriptor)
        continue;
      targets.set(keyOf(target), { file: target.file, pointer: target.pointer, kind });
    }
  }
  const sorted = [...targets].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, target]) => target);
  return sorted.filter(
    (inner) => !sorted.some((outer) => outer.file === inner.file && inner.pointer.startsWith(`${outer.pointer}/`)),
  );
}

function keyOf(
  target: { readonly file: string; readonly pointer: string | null } | { readonly refused: string },
): string {
  return 'refused' in target ? '' : `${target.file}#${target.pointer}`;
}

/** Sections of Swagger 2.0, which has fewer of them. */
const SWAGGER_2: Partial<Record<ComponentKind, string>> = {
  schemas: 'definitions',
  parameters: 'parameters',
  responses: 'responses',
};

/** Returns the path at which a document keeps its components of a kind. Empty if it has no such path. */
function pathOf(document: object, kind: ComponentKind): readonly string[] {
  if (!Object.hasOwn(document, 'swagger')) return ['components', kind];
  return SWAGGER_2[kind] === undefined ? [] : [SWAGGER_2[kind]];
}

/** The object under a key, created if it is missing; null if the descriptor keeps it elsewhere. */
function objectBelow(parent: object, key: string): Record<string, unknown> | null {
  const object = member(parent, key) ?? {};
  if (typeof object !== 'object' || Array.isArray(object) || Object.hasOwn(object, '$ref')) return null;
  (parent as Record<string, unknown>)[key] = object;
  return object as Record<string, unknown>;
}

/** The last segment of the place, such as `Author` from `common.yaml#/schemas/Author` or `author.yaml`. */
function unusedName(section: Readonly<Record<string, unknown>>, { file, pointer }: Target): string {
  const fileName =
    file
      .split('/')
      .at(-1)
      ?.replace(/\.[^.]*$/, '') ?? '';
  const baseName = (pointerTokens(pointer).at(-1) ?? fileName).replaceAll(/[^a-zA-Z0-9._-]+/g, '_');
  let name = baseName;
  for (let number = 2; Object.hasOwn(section, name); number += 1) name = `${baseName}${number}`;
  return name;
}

function encode(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
