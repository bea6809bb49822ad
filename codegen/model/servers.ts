/** Server Objects (OpenAPI 3.1 §4.8.5): every base URL that operations use, under a stable variable. */

import { createHash } from 'node:crypto';
import { toRecord } from '../json.ts';
import { member } from '../json-pointer.ts';
import type { ModelContext } from './context.ts';
import { below, itemsBelow, type Place, toText } from './place.ts';
import type { ServerModel } from './types.ts';

export interface ServiceServers {
  /** The descriptor's own first, then the others sorted by URL. */
  readonly servers: readonly ServerModel[];
  /** The `url` of the server that an operation uses: its own, its path item's, or the descriptor's. */
  serverOf(found: OperationLevels): string;
  /** Sentences on what is wrong with that server; empty for most. */
  serverFaults(found: OperationLevels): readonly string[];
}

/** Where an operation may declare servers. */
export interface OperationLevels {
  readonly pathItem: Place;
  readonly operation: Place;
}

/** A Server Object; `url` without a final slash. */
interface Declared {
  readonly url: string;
  readonly place: Place;
}

/**
 * Reads the first server of each level; the others are alternatives that the variables reach as well.
 *
 * A URL without variables becomes the variable itself: `{base_url}` for the descriptor's own server, and for every
 * other one a name made of its host and path, `{uploads_example_com_base_url}`, which no change of order changes.
 */
export function buildServers(
  context: ModelContext,
  root: Place,
  operations: readonly OperationLevels[],
): ServiceServers {
  const own = firstServer(root) ?? { url: '/', place: root };
  const used = operations.flatMap(({ pathItem, operation }) => firstServer(operation) ?? firstServer(pathItem) ?? []);
  const others = used.filter(({ url }) => url !== own.url);
  const names = nameServers([...new Set(others.map(({ url }) => url))].filter((url) => !hasVariables(url)));
  const models = new Map<string, ServerModel>();
  const faults = new Map<string, readonly string[]>();
  const defaults = new Map<string, string>();
  for (const declared of [own, ...used]) {
    const model = buildServer(declared, names.get(declared.url) ?? 'base_url');
    faults.set(declared.place.pointer, checkDefaults(context, model, defaults));
    if (!models.has(declared.url)) models.set(declared.url, model);
  }
  const [first, ...rest] = models.values();
  return {
    servers: first === undefined ? [] : [first, ...rest.sort((left, right) => (left.url < right.url ? -1 : 1))],
    serverOf: ({ pathItem, operation }) => {
      const { url } = firstServer(operation) ?? firstServer(pathItem) ?? own;
      return models.get(url)?.url ?? url;
    },
    serverFaults: ({ pathItem, operation }) => {
      const { place } = firstServer(operation) ?? firstServer(pathItem) ?? own;
      return faults.get(place.pointer) ?? [];
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

/** A default that the descriptor does not give is empty; a relative URL stays as it is. connector.yaml can give either. */
function buildServer({ url, place }: Declared, name: string): ServerModel {
  const declared = toRecord(place.value).variables;
  const variables = hasVariables(url)
    ? placeholders(url).map((variable) => ({
        name: variable,
        default: toText(toRecord(member(declared, variable)).default),
      }))
    : [{ name, default: url }];
  return { url: hasVariables(url) ? url : `{${name}}`, variables, pointer: place.pointer };
}

function placeholders(url: string): string[] {
  return [...new Set([...url.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1] ?? ''))];
}

/** Rule: one variable name has one default in the whole descriptor, because one environment variable replaces it. */
function checkDefaults(context: ModelContext, server: ServerModel, defaults: Map<string, string>): string[] {
  const faults: string[] = [];
  for (const { name, default: value } of server.variables) {
    const before = defaults.get(name);
    if (before === undefined) defaults.set(name, value);
    else if (before !== value) {
      const message = `The server variable {${name}} is ${JSON.stringify(value)} here and ${JSON.stringify(before)} elsewhere.`;
      context.report('server-variable-conflict', server.pointer, message);
      faults.push(message);
    }
  }
  return faults;
}

/** Variable names by URL. Where host and path of two URLs give one name, a digest of the URL tells each apart. */
function nameServers(urls: readonly string[]): Map<string, string> {
  const byWords = Map.groupBy(urls, toWords);
  return new Map(
    [...byWords].flatMap(([words, same]) =>
      same.map((url) => [url, `${same.length === 1 ? words : `${words}${digest(url)}_`}base_url`] as const),
    ),
  );
}

/** `uploads_example_com_v2_` from `https://uploads.example.com/v2`. */
function toWords(url: string): string {
  const words = url
    .replace(/^[a-z]+:\/\//i, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const name = words
    .filter((word) => word !== '')
    .map((word) => `${word}_`)
    .join('');
  return /^[0-9]/.test(name) ? `server_${name}` : name;
}

function digest(url: string): string {
  return createHash('sha256').update(url).digest('hex').slice(0, 8);
}
