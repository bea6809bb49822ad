/** Reads from a generated connector: paging, OAuth 2.0, credentials, and the settings that point at the sandbox. */

import type {
  Connector,
  CredentialMembers,
  NestedMembers,
  OAuth2Part,
  Tool,
  ToolRequest,
} from '../server/contract/index.ts';
import type { SandboxPageRule } from './answer/pages.ts';
import type { ConnectorCredential } from './check/credential.ts';
import type { ConnectorOAuth } from './oauth/rules.ts';

/** Returns the paging of each operation, by `METHOD /path` in the descriptor. */
export function buildPageRules(connector: Connector): Record<string, SandboxPageRule> {
  const rules = connector.tools.flatMap((tool) => {
    if (tool.page === undefined) return [];
    const cursorParameter = findCursorParameter(tool, tool.page.argument);
    if (cursorParameter === null) return [];
    const { argument: _, size: __, items, ...rule } = tool.page;
    const records = tool.result?.rows?.rows ?? (rule.kind === undefined ? null : (items ?? null));
    return [[`${tool.operation.method} ${tool.operation.path}`, { ...rule, cursorParameter, records }]];
  });
  return Object.fromEntries(rules) as Record<string, SandboxPageRule>;
}

/** The wire name of the query parameter that a tool's cursor argument becomes, or null. */
function findCursorParameter({ request }: Tool, argument: string): string | null {
  const cursorEntry = Object.entries(request.query ?? {}).find(([, binding]) =>
    typeof binding === 'string' ? binding === argument : 'argument' in binding && binding.argument === argument,
  );
  return cursorEntry?.[0] ?? null;
}

/** Returns the OAuth 2.0 rules of the connector's service, or null if its credential does not use it. */
export function buildConnectorOAuth({ credential, tools }: Connector): ConnectorOAuth | null {
  const parts = [credential, ...(credential.alternatives ?? [])].flatMap((kind) => kind.parts);
  const rules = parts.filter((part): part is OAuth2Part => part.type === 'oauth2').map(({ oauth2 }) => oauth2);
  if (rules.length === 0) return null;
  const scopes = tools.map((tool) => [`${tool.operation.method} ${tool.operation.path}`, tool.scopes ?? [[]]]);
  return { rules, scopes: Object.fromEntries(scopes), takesKeys: parts.some(({ type }) => type === 'bearer') };
}

/** Returns the places in which requests carry the connector's credential, in addition to the descriptor's security schemes. */
export function buildConnectorCredential({ credential, tools }: Connector): ConnectorCredential {
  const kinds = [credential, ...(credential.alternatives ?? [])];
  const parts = kinds.flatMap((kind) => kind.parts);
  const isAlwaysThere = (id: string) => kinds.every((kind) => kind.parts.some((part) => part.id === id));
  const publicPartIds = new Set(
    parts.flatMap((part) => ('isPublic' in part && part.isPublic === true ? [part.id] : [])),
  );
  const commonTargets = parts.flatMap((part): PartTarget[] =>
    (part.type === 'query' || part.type === 'header') && isAlwaysThere(part.id)
      ? [{ id: part.id, in: part.type, name: part.name }]
      : [],
  );
  const headers = parts.filter((part) => part.type === 'header');
  return {
    prefixes: Object.fromEntries(headers.map(({ name, prefix = '' }) => [name.toLowerCase(), prefix])),
    targets: Object.fromEntries(
      tools.map(({ operation, request }) => [
        `${operation.method} ${operation.path}`,
        [...commonTargets, ...pathTargets(request), ...bodyTargets(request, isAlwaysThere)].map(
          ({ id, ...target }) => ({
            ...target,
            ...(publicPartIds.has(id) ? { isPublic: true } : {}),
          }),
        ),
      ]),
    ),
  };
}

/** With the id of the credential's part. */
type PartTarget = { readonly id: string } & (
  | { readonly in: 'path' | 'query' | 'header'; readonly name: string }
  | { readonly in: 'body'; readonly path: readonly string[] }
);

function pathTargets({ path = {} }: ToolRequest): PartTarget[] {
  return Object.entries(path).flatMap(([name, binding]) =>
    typeof binding === 'object' && 'credential' in binding
      ? [{ id: binding.credential, in: 'path' as const, name }]
      : [],
  );
}

function bodyTargets({ body }: ToolRequest, isAlwaysThere: (id: string) => boolean): PartTarget[] {
  const ofField = (field: string | CredentialMembers | undefined, path: readonly string[]): PartTarget[] => {
    if (typeof field === 'string') return isAlwaysThere(field) ? [{ id: field, in: 'body', path }] : [];
    return Object.entries(field ?? {}).flatMap(([name, inner]) => ofField(inner, [...path, name]));
  };
  const ofMembers = (members: NestedMembers, path: readonly string[]): PartTarget[] =>
    Object.entries(members).flatMap(([name, source]) => {
      if (typeof source === 'string') return [];
      const memberPath = [...path, name];
      if ('credential' in source) return ofField(source.credential, memberPath);
      return 'members' in source ? ofMembers(source.members, memberPath) : ofField(credentialsIn(source), memberPath);
    });
  if (body === undefined) return [];
  return 'members' in body ? ofMembers(body.members, []) : ofField(credentialsIn(body), []);
}

function credentialsIn(source: object): CredentialMembers | undefined {
  return 'credentials' in source ? (source.credentials as CredentialMembers) : undefined;
}

/** Defaults of the connector's server variables, by name; they determine the base path of each operation. */
export function buildServerVariables(connector: Connector): Record<string, string> {
  const variables = connector.servers.flatMap((server) => server.variables);
  return Object.fromEntries(variables.map((variable) => [variable.name, variable.default]));
}

/** The setting that moves the authorization server of a service to another origin. */
export function oauthOriginVariable(service: string): string {
  return `${service.toUpperCase().replaceAll('-', '_')}_OAUTH_ORIGIN`;
}

/**
 * The environment variables that point the gateway at the sandbox, such as
 * `RETRIEVAL_BASE_URL=http://127.0.0.1:3001/retrieval`.
 *
 * Only a server URL that is one variable can be pointed elsewhere; derived variables follow it.
 */
export function buildEnvironment(connector: Connector, origin: string): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const { url, variables } of connector.servers) {
    const variable = variables.find(({ name, derive }) => url === `{${name}}` && derive === null);
    if (variable === undefined) continue;
    const basePath = new URL(variable.default, 'http://sandbox.invalid').pathname.replace(/\/+$/, '');
    environment[variable.env] = `${origin}/${connector.name}${basePath}`;
  }
  return environment;
}
