/** File names and TypeScript identifiers for the emitted code: valid, unique, and the same in every run. */

import { wordSet } from '../word-set.ts';

/** Reserved words of a module, and names that emitted files import or declare. */
const TAKEN = wordSet(
  'arguments async await break case catch class const continue debugger default delete do else enum eval export ' +
    'extends false finally for function if implements import in instanceof interface let new null of package private ' +
    'protected public return static super switch this throw true try type typeof undefined var void while with yield ' +
    'connectors paths',
);

/** `retrieval_get_document` -> `retrieval-get-document`: one to one, so two tools never share a file. */
export function toFileName(toolName: string): string {
  return toolName.replaceAll('_', '-');
}

/**
 * A distinct TypeScript identifier for each of these snake_case or kebab-case names.
 *
 * Identifiers are camelCase; names that would collide in camelCase (`list_v_1`, `list_v1`) keep their underscores.
 *
 * @param taken Names that the same module already has.
 */
export function toIdentifiers(names: readonly string[], taken: readonly string[] = []): ReadonlyMap<string, string> {
  const owners = new Map<string, number>();
  for (const name of names) owners.set(toCamelCase(name), (owners.get(toCamelCase(name)) ?? 0) + 1);
  const used = new Set([...TAKEN, ...taken]);
  const identifiers = new Map<string, string>();
  for (const name of names) {
    const camelCase = toCamelCase(name);
    let identifier = owners.get(camelCase) === 1 ? camelCase : name.replaceAll('-', '_');
    if (/^[0-9]/.test(identifier)) identifier = `_${identifier}`;
    while (used.has(identifier)) identifier += '_';
    used.add(identifier);
    identifiers.set(name, identifier);
  }
  return identifiers;
}

/** Name of the constant that a service's `index.ts` exports. It does not depend on other services. */
export function toServiceIdentifier(service: string): string {
  return toIdentifiers([service]).get(service) ?? service;
}

function toCamelCase(name: string): string {
  return name.replaceAll(/[_-]+([a-zA-Z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
