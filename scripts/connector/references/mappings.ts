/** Files that a discriminator's mapping names: treated like a `$ref` while documents are bundled. */

import { isRecord } from '../../../codegen/json.ts';

type Members = Record<string, unknown>;

/**
 * A value that is also the name of a component means the component (OpenAPI 3.0.4 §4.7.25), and `dog.yaml` is the component `dog`.
 */
const FILE = /[/]|\.(json|ya?ml)(#|$)/i;

/** Returns true if a mapping names a file or an address. */
export function namesFiles(document: unknown): boolean {
  return mappingsOf(document).some(({ holder, key }) => isFile(holder[key], document));
}

/**
 * Writes mapped files as references: `dog: { $ref: ./dog.yaml }`.
 *
 * @param document changed in place
 * @param isDescriptor false: pointers lead into a file other than the descriptor, and are also references
 */
export function liftMappings(document: unknown, isDescriptor: boolean): void {
  for (const { holder, key } of mappingsOf(document)) {
    const target = holder[key];
    const isLocalPointer = !isDescriptor && typeof target === 'string' && target.startsWith('#');
    if (isLocalPointer || isFile(target, document)) holder[key] = { $ref: target };
  }
}

/** Turns these references back into strings. @param document changed in place */
export function lowerMappings(document: unknown): void {
  for (const { holder, key } of mappingsOf(document)) {
    const target = holder[key];
    if (isRecord(target) && typeof target.$ref === 'string') holder[key] = target.$ref;
  }
}

function isFile(target: unknown, document: unknown): boolean {
  if (typeof target !== 'string' || target.startsWith('#') || !FILE.test(target)) return false;
  const components = isRecord(document) && isRecord(document.components) ? document.components.schemas : undefined;
  const names = [target, target.replace(/\.(json|ya?ml)$/i, '')];
  return !(isRecord(components) && names.some((name) => Object.hasOwn(components, name)));
}

interface Mapping {
  readonly holder: Members;
  readonly key: string;
}

function mappingsOf(document: unknown): readonly Mapping[] {
  const mappings: Mapping[] = [];
  // An alias of YAML may contain itself.
  const seen = new Set<unknown>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || seen.has(value)) return;
    seen.add(value);
    if (Array.isArray(value)) for (const item of value) visit(item);
    if (!isRecord(value)) return;
    const { discriminator } = value;
    if (isRecord(discriminator)) {
      const { mapping, defaultMapping } = discriminator;
      if (isRecord(mapping)) for (const key of Object.keys(mapping)) mappings.push({ holder: mapping, key });
      if (defaultMapping !== undefined) mappings.push({ holder: discriminator, key: 'defaultMapping' });
    }
    for (const member of Object.values(value)) visit(member);
  };
  visit(document);
  return mappings;
}
