/** Finds the schema in a descriptor that describes one place of a response. */

import { isRecord, toRecord } from '../../codegen/json.ts';
import { isKnownMethod, methodKey } from '../../codegen/model/methods.ts';
import { parsePointer, readPointer } from '../../server/call/tools/json.ts';
import type { Tool } from '../../server/contract/index.ts';

/** A value of the descriptor, and the names that lead to it from the root. */
interface Site {
  readonly path: readonly string[];
  readonly value: Readonly<Record<string, unknown>>;
}

const MAX_DEPTH = 32;

/**
 * The sites in the descriptor's own text, through local references: all of them if alternatives or `allOf` describe the place.
 *
 * @param place see `Drift.place`.
 * @returns an empty list if the descriptor does not describe the place, or another file does.
 */
export function findSites(descriptor: unknown, { operation, result }: Tool, place: string): readonly Site[] {
  const tokens = parsePointer(place);
  const inAnswer = result?.wrapItems === true && tokens[0] === 'items' ? tokens.slice(1) : tokens;
  const root: Site = { path: [], value: toRecord(descriptor) };
  const { path, method: name } = operation;
  const keys = isKnownMethod(name) ? [methodKey(name)] : ['additionalOperations', name];
  const method = enter(descriptor, root, ['paths', path, ...keys, 'responses']);
  const bodies = members(method).flatMap(([status, response]) =>
    /^2(\d\d|XX)$/i.test(status) ? jsonSchemas(descriptor, follow(descriptor, response)) : [],
  );
  let sites = bodies.flatMap((body) => branches(descriptor, body));
  for (const [index, token] of inAnswer.entries()) {
    const isWrapped = index === 0 && inAnswer !== tokens;
    sites = sites.flatMap((site) => stepsInto(site, token, isWrapped)).flatMap((site) => branches(descriptor, site));
  }
  const unique = new Map(sites.map((site) => [site.path.join('\0'), site]));
  return [...unique.values()];
}

function jsonSchemas(descriptor: unknown, response: Site): Site[] {
  return members(enter(descriptor, response, ['content'])).flatMap(([type, media]) =>
    /[/+]json\b/i.test(type) && isRecord(media.value.schema) ? [below(media, 'schema')] : [],
  );
}

function stepsInto(site: Site, token: string, isItem: boolean): Site[] {
  const { properties, items, additionalProperties } = site.value;
  if (!isItem && isRecord(properties) && isRecord(properties[token])) return [below(below(site, 'properties'), token)];
  if (token !== '*') return [];
  return [
    ...(isRecord(items) ? [below(site, 'items')] : []),
    ...(isRecord(additionalProperties) ? [below(site, 'additionalProperties')] : []),
  ];
}

/** The schema with its alternatives and parts, with references resolved. */
function branches(descriptor: unknown, site: Site, depth = 0): Site[] {
  if (depth > MAX_DEPTH) return [];
  const target = follow(descriptor, site);
  const inner = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => {
    const parts = target.value[keyword];
    if (!Array.isArray(parts)) return [];
    return parts.flatMap((value: unknown, index): Site[] =>
      isRecord(value) ? [{ path: [...target.path, keyword, String(index)], value }] : [],
    );
  });
  return [target, ...inner.flatMap((part) => branches(descriptor, part, depth + 1))];
}

function follow(descriptor: unknown, site: Site): Site {
  let found = site;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const { $ref } = found.value;
    if (typeof $ref !== 'string') return found;
    if (!$ref.startsWith('#/')) return { path: found.path, value: {} };
    const pointer = decodeURIComponent($ref.slice(1));
    found = { path: parsePointer(pointer), value: toRecord(readPointer(descriptor, pointer)) };
  }
  return { path: found.path, value: {} };
}

function enter(descriptor: unknown, from: Site, names: readonly string[]): Site {
  return names.reduce((site, name) => below(follow(descriptor, site), name), from);
}

function below({ path, value }: Site, name: string): Site {
  return { path: [...path, name], value: toRecord(Object.hasOwn(value, name) ? value[name] : undefined) };
}

function members(site: Site): [string, Site][] {
  return Object.keys(site.value).map((name) => [name, below(site, name)]);
}
