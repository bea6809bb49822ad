/** Server Objects (OpenAPI 3.1 §4.8.5): every base URL that operations use, under a stable variable. */

import { createHash } from 'node:crypto';
import { toRecord } from '../json.ts';
import { member } from '../json-pointer.ts';
import { remember } from '../remember.ts';
import { below, itemsBelow, type Place, toText } from './place.ts';
import type { ServerModel } from './types.ts';

export interface ServiceServers {
  /** The descriptor's own first, then the others sorted by URL. */
  readonly servers: readonly ServerModel[];
  /** The `url` of an operation's server: its own, its path item's, or the descriptor's. */
  serverOf(found: OperationLevels): string;
}

/** The levels at which an operation may declare servers. */
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
 * Reads the first server of each level; the others are alternatives that an operator can reach through the variables.
 *
 * A variable belongs to its server (OpenAPI 3.1 §4.8.5). If servers give the same name different defaults, the
 * descriptor's own server keeps the name, and each other server adds its default to it: `{subdomain_logs}`.
 *
 * A URL without variables becomes the variable itself: `{base_url}` for the descriptor's own server, and for every
 * other one a name made of its host and path, `{uploads_example_com_base_url}`, which does not depend on their order.
 */
export function buildServers(root: Place, operations: readonly OperationLevels[]): ServiceServers {
  const serviceServer = firstServer(root) ?? { url: '/', place: root };
  const used = operations.flatMap(({ pathItem, operation }) => firstServer(operation) ?? firstServer(pathItem) ?? []);
  const plain = used.filter(({ url }) => url !== serviceServer.url && !hasVariables(url)).map(({ url }) => url);
  const names = nameServers([...new Set(plain)]);
  const nameOf = nameVariables(serviceServer, used);
  const modelOf = (declared: Declared) => buildServer(declared, names.get(declared.url) ?? 'base_url', nameOf);
  const models = new Map<string, ServerModel>();
  for (const declared of [serviceServer, ...used]) {
    const model = modelOf(declared);
    if (!models.has(model.url)) models.set(model.url, model);
  }
  const [first, ...rest] = models.values();
  return {
    servers: first === undefined ? [] : [first, ...rest.sort((left, right) => (left.url < right.url ? -1 : 1))],
    serverOf: ({ pathItem, operation }) =>
      modelOf(firstServer(operation) ?? firstServer(pathItem) ?? serviceServer).url,
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

type VariableNames = (declared: Declared, variable: string) => string;

/** A missing default becomes empty; a relative URL stays as it is. connector.yaml can supply either. */
function buildServer(declared: Declared, name: string, nameOf: VariableNames): ServerModel {
  const { url, place } = declared;
  if (!hasVariables(url)) return { url: `{${name}}`, variables: [{ name, default: url }], pointer: place.pointer };
  return {
    url: url.replaceAll(/\{([^{}]+)\}/g, (_, variable: string) => `{${nameOf(declared, variable)}}`),
    variables: placeholders(url).map((variable) => ({
      name: nameOf(declared, variable),
      default: defaultOf(declared, variable),
    })),
    pointer: place.pointer,
  };
}

function defaultOf({ place }: Declared, variable: string): string {
  return toText(toRecord(member(toRecord(place.value).variables, variable)).default);
}

function placeholders(url: string): string[] {
  return [...new Set([...url.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1] ?? ''))];
}

/**
 * Names variables so that each name has one default in the whole descriptor: one environment variable replaces one
 * variable.
 */
function nameVariables(own: Declared, used: readonly Declared[]): VariableNames {
  const values = new Map<string, Set<string>>();
  const taken = new Set<string>();
  for (const declared of [own, ...used]) {
    for (const variable of placeholders(declared.url)) {
      taken.add(variable);
      remember(values, variable, () => new Set<string>()).add(defaultOf(declared, variable));
    }
  }
  const kept = new Set(placeholders(own.url));
  return (declared, variable) => {
    const value = defaultOf(declared, variable);
    const others = [...(values.get(variable) ?? [])].filter((other) => other !== value);
    if (others.length === 0 || (kept.has(variable) && defaultOf(own, variable) === value)) return variable;
    const words = toWords(value).replace(/_$/, '');
    const name = `${variable}_${words}`;
    const isClear = words !== '' && !taken.has(name) && others.every((other) => toWords(other) !== toWords(value));
    return isClear ? name : `${variable}_${digest(value)}`;
  };
}

/** Variable names by URL. If the host and path of two URLs give the same name, a digest of the URL is added. */
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
