/** Server Objects (OpenAPI 3.1 §4.8.5): every base URL that operations use, under a stable variable. */

import { createHash } from 'node:crypto';
import type { ModelContext } from './context.ts';
import { below, entriesBelow, itemsBelow, type Place, toRecord, toText } from './place.ts';
import type { ServerModel } from './types.ts';

/** The servers of one descriptor, collected while its operations are read. */
export interface ServerCollector {
  /** The `url` of the server that an operation uses: its own, its path item's, or the descriptor's. */
  serverOf(pathItem: Place, operation: Place): string;
  /** The descriptor's own first, then the others sorted by URL. */
  servers(): ServerModel[];
}

interface Declared {
  readonly url: string;
  readonly place: Place;
}

/**
 * Reads the first server of each level; the others are alternatives that a user chooses by the variable.
 *
 * A URL without variables becomes the variable itself: `{base_url}` for the descriptor's own server, and for every
 * other one a name made of its host and path, `{uploads_example_com_base_url}`, which no change of order changes.
 */
export function createServerCollector(
  context: ModelContext,
  root: Place,
  pathItems: readonly Place[],
): ServerCollector {
  const own = firstServer(root) ?? { url: '/', place: root };
  const others = new Map<string, Declared>();
  for (const server of pathItems.map(firstServer)) {
    if (server !== null && server.url !== own.url && !others.has(server.url)) others.set(server.url, server);
  }
  const names = nameServers([...others.keys()].filter((url) => !hasVariables(url)));
  const models = new Map([[own.url, buildServer(context, own, 'base_url')]]);
  for (const [url, declared] of others) models.set(url, buildServer(context, declared, names.get(url) ?? ''));
  const urlOf = (declared: Declared): string => models.get(declared.url)?.url ?? '';
  return {
    serverOf: (pathItem, operation) => urlOf(firstServer(operation) ?? firstServer(pathItem) ?? own),
    servers: () => {
      const [first, ...rest] = models.values();
      return first === undefined ? [] : [first, ...rest.sort((left, right) => (left.url < right.url ? -1 : 1))];
    },
  };
}

function firstServer(owner: Place): Declared | null {
  const [place] = itemsBelow(below(owner, 'servers'));
  if (place === undefined) return null;
  return { url: toText(toRecord(place.value).url).replace(/\/+$/, '') || '/', place };
}

function hasVariables(url: string): boolean {
  return /\{[^{}]+\}/.test(url);
}

function buildServer(context: ModelContext, { url, place }: Declared, name: string): ServerModel {
  if (!hasVariables(url)) {
    const isAbsolute = /^https?:\/\/./i.test(url);
    if (!isAbsolute) {
      const message = `The server URL ${JSON.stringify(url)} is relative to an address that codegen does not know.`;
      context.report(
        'server-url-relative',
        place.pointer,
        message,
        `Set serverVariables.${name}.default in connector.yaml.`,
      );
    }
    const description = toText(toRecord(place.value).description);
    const variable = { name, default: isAbsolute ? url : '', description: place.pointer === '' ? '' : description };
    return { url: `{${name}}`, variables: [variable], pointer: place.pointer };
  }
  const declared = new Map(
    entriesBelow(below(place, 'variables')).map((entry) => [entry.name, toRecord(entry.place.value)]),
  );
  const used = [...new Set([...url.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1] ?? ''))];
  const variables = used.map((variable) => {
    const source = declared.get(variable);
    if (source === undefined || toText(source.default) === '') {
      const message = `The variable {${variable}} of the server URL has no default.`;
      const fix = `Set serverVariables.${variable}.default in connector.yaml.`;
      context.report('server-variable-undeclared', place.pointer, message, fix);
    }
    return { name: variable, default: toText(source?.default), description: toText(source?.description) };
  });
  return { url, variables, pointer: place.pointer };
}

/** Variable names by URL. Where host and path of two URLs give one name, each is told apart by a digest of its URL. */
function nameServers(urls: readonly string[]): Map<string, string> {
  const byName = Map.groupBy(urls, (url) => `${toSnake(url)}base_url`);
  const names = new Map<string, string>();
  for (const [name, same] of byName) {
    for (const url of same) names.set(url, same.length === 1 ? name : `${toSnake(url)}${digest(url)}_base_url`);
  }
  return names;
}

/** `uploads_example_com_v2_` from `https://uploads.example.com/v2`. */
function toSnake(url: string): string {
  const words = url
    .replace(/^[a-z]+:\/\//i, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const name = words.map((word) => `${word}_`).join('');
  return /^[0-9]/.test(name) ? `server_${name}` : name;
}

function digest(url: string): string {
  return createHash('sha256').update(url).digest('hex').slice(0, 8);
}
