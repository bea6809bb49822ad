/** Server Objects (OpenAPI 3.1 §4.8.5): every base URL that operations use, under a stable variable. */

import { createHash } from 'node:crypto';
import { toRecord } from '../json.ts';
import { member } from '../json-pointer.ts';
import { remember } from '../remember.ts';
import { childItems, childNode, type DescriptorNode, toText } from './descriptor-node.ts';
import type { ServerModel } from './types.ts';

export interface ServiceServers {
  /** The descriptor's own first, then the others sorted by URL. */
  readonly servers: readonly ServerModel[];
  /** The `url` of an operation's server: its own, its path item's, or the descriptor's. */
  serverOf(levels: OperationLevels): string;
}

/** The levels at which an operation may declare servers. */
export interface OperationLevels {
  readonly pathItem: DescriptorNode;
  readonly operation: DescriptorNode;
}

/** A Server Object; `url` without a final slash, unless it is kept. */
interface DeclaredServer {
  readonly url: string;
  readonly node: DescriptorNode;
}

/**
 * Reads the first server of each level; the others are alternatives that an operator can reach through the variables.
 *
 * A variable belongs to its server (OpenAPI 3.1 §4.8.5). If servers give the same name different defaults, the
 * descriptor's own server keeps the name, and each other server adds its default to it: `{subdomain_logs}`.
 *
 * A URL without variables becomes the variable itself: `{base_url}` for the descriptor's own server, and for every
 * other one a name made of its host and path, `{uploads_example_com_base_url}`, which does not depend on their order.
 *
 * @param options.keepsSlash true for an MCP server, whose URL is used as it is.
 */
export function buildServers(
  root: DescriptorNode,
  operations: readonly OperationLevels[],
  { keepsSlash }: { readonly keepsSlash: boolean },
): ServiceServers {
  const serviceServer = (keepsSlash ? declaredServer(root) : firstServer(root)) ?? { url: '/', node: root };
  const usedServers = operations.flatMap(
    ({ pathItem, operation }) => firstServer(operation) ?? firstServer(pathItem) ?? [],
  );
  const fixedUrls = usedServers
    .filter(({ url }) => url !== serviceServer.url && !hasVariables(url))
    .map(({ url }) => url);
  const names = nameServers([...new Set(fixedUrls)]);
  const nameOf = nameVariables(serviceServer, usedServers);
  const modelOf = (server: DeclaredServer) => buildServer(server, names.get(server.url) ?? 'base_url', nameOf);
  const models = new Map<string, ServerModel>();
  for (const server of [serviceServer, ...usedServers]) {
    const model = modelOf(server);
    if (!models.has(model.url)) models.set(model.url, model);
  }
  const [first, ...rest] = models.values();
  return {
    servers: first === undefined ? [] : [first, ...rest.sort((left, right) => (left.url < right.url ? -1 : 1))],
    serverOf: ({ pathItem, operation }) =>
      modelOf(firstServer(operation) ?? firstServer(pathItem) ?? serviceServer).url,
  };
}

function declaredServer(owner: DescriptorNode): DeclaredServer | null {
  const [serverNode] = childItems(childNode(owner, 'servers'));
  return serverNode === undefined ? null : { url: toText(toRecord(serverNode.value).url), node: serverNode };
}

function firstServer(owner: DescriptorNode): DeclaredServer | null {
  const server = declaredServer(owner);
  return server === null ? null : { ...server, url: server.url.replace(/\/+$/, '') || '/' };
}

function hasVariables(url: string): boolean {
  return /\{[^{}]+\}/.test(url);
}

type VariableNames = (server: DeclaredServer, variable: string) => string;

/** A missing default becomes empty; a relative URL stays as it is. connector.yaml can supply either. */
function buildServer(server: DeclaredServer, name: string, nameOf: VariableNames): ServerModel {
  const { url, node: serverNode } = server;
  if (!hasVariables(url)) return { url: `{${name}}`, variables: [{ name, default: url }], pointer: serverNode.pointer };
  return {
    url: url.replaceAll(/\{([^{}]+)\}/g, (_, variable: string) => `{${nameOf(server, variable)}}`),
    variables: placeholders(url).map((variable) => ({
      name: nameOf(server, variable),
      default: defaultOf(server, variable),
    })),
    pointer: serverNode.pointer,
  };
}

function defaultOf({ node: serverNode }: DeclaredServer, variable: string): string {
  return toText(toRecord(member(toRecord(serverNode.value).variables, variable)).default);
}

function placeholders(url: string): string[] {
  return [...new Set([...url.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1] ?? ''))];
}

/**
 * Names variables so that each name has one default in the whole descriptor: one environment variable replaces one
 * variable.
 */
function nameVariables(serviceServer: DeclaredServer, usedServers: readonly DeclaredServer[]): VariableNames {
  const values = new Map<string, Set<string>>();
  const usedNames = new Set<string>();
  for (const server of [serviceServer, ...usedServers]) {
    for (const variable of placeholders(server.url)) {
      usedNames.add(variable);
      remember(values, variable, () => new Set<string>()).add(defaultOf(server, variable));
    }
  }
  const serviceVariables = new Set(placeholders(serviceServer.url));
  return (server, variable) => {
    const value = defaultOf(server, variable);
    const otherValues = [...(values.get(variable) ?? [])].filter((candidate) => candidate !== value);
    if (otherValues.length === 0 || (serviceVariables.has(variable) && defaultOf(serviceServer, variable) === value))
      return variable;
    const words = toWords(value).replace(/_$/, '');
    const name = `${variable}_${words}`;
    const isClear =
      words !== '' && !usedNames.has(name) && otherValues.every((otherValue) => toWords(otherValue) !== toWords(value));
    return isClear ? name : `${variable}_${digest(value)}`;
  };
}

/** Variable names by URL. If the host and path of two URLs give the same name, a digest of the URL is added. */
function nameServers(urls: readonly string[]): Map<string, string> {
  const byWords = Map.groupBy(urls, toWords);
  return new Map(
    [...byWords].flatMap(([words, group]) =>
      group.map((url) => [url, `${group.length === 1 ? words : `${words}${digest(url)}_`}base_url`] as const),
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
