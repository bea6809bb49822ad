/** Base URLs of a connector: the descriptor's server templates, filled in. */

import { fillServerUrl, fillVariables } from '../../shared/server-urls.ts';
import type { ServerTemplate, ServerVariable } from '../contract/index.ts';

/** A server URL that cannot be called. */
export class BaseUrlError extends Error {
  override readonly name = 'BaseUrlError';
  /** The environment variable to correct, or null where the template has none. */
  readonly env: string | null;

  constructor(env: string | null, message: string) {
    super(message);
    this.env = env;
  }
}

/**
 * Fills in every template. Variables that each connection fills stay, as `https://{tenant}.example.com`.
 *
 * @param values by environment variable, as the operator set them.
 * @param options.keepsSlash true for an MCP endpoint, whose address is the whole URL. Default: a path follows, so a final slash is removed.
 * @returns base URLs by template (`ToolOperation.server`).
 * @throws {BaseUrlError} when one is not an absolute http or https URL without user, query and fragment, or a value leaves its place in it.
 */
export function resolveBaseUrls(
  servers: readonly ServerTemplate[],
  values: Readonly<Record<string, string | undefined>>,
  { keepsSlash = false }: { readonly keepsSlash?: boolean } = {},
): ReadonlyMap<string, string> {
  const variables = new Map(servers.flatMap((server) => server.variables).map((variable) => [variable.name, variable]));
  return new Map(
    servers.map((server) => {
      const valueFor = (name: string) => {
        const variable = variables.get(name);
        return variable?.asked === true ? undefined : fill(variable, variables, values);
      };
      const url = fillServerUrl(server.url, valueFor);
      if (url !== null) return [server.url, keepsSlash ? url : url.replace(/\/+$/, '')];
      const { env = null } = server.variables.find(({ asked }) => asked !== true) ?? {};
      const problem = problemOf(fillVariables(server.url, valueFor), server.url);
      throw new BaseUrlError(env, `${env ?? 'the server URL'} ${problem}`);
    }),
  );
}

function fill(
  variable: ServerVariable | undefined,
  variables: ReadonlyMap<string, ServerVariable>,
  values: Readonly<Record<string, string | undefined>>,
): string {
  if (variable === undefined) return '';
  const set = values[variable.env];
  if (set !== undefined && set !== '') return set;
  if (variable.derive === null) return variable.default;
  const source = variables.get(variable.derive.from);
  // One step only: variables that derive from derived ones could form a cycle.
  const text = source === undefined ? variable.default : fill({ ...source, derive: null }, variables, values);
  const trimmed = text.replace(/\/+$/, '');
  const suffix = variable.derive.removeSuffix.replace(/\/+$/, '');
  return trimmed.endsWith(suffix) ? trimmed.slice(0, trimmed.length - suffix.length) : trimmed;
}

function problemOf(text: string, template: string): string {
  const url = URL.parse(text);
  if (url === null) return `is not an absolute URL: ${text}`;
  const { protocol, username, password, search, hash } = url;
  if (!/^https?:$/.test(protocol)) return 'must begin with https:// or http://';
  if (username + password + search + hash !== '') return 'must have no user, query or fragment';
  return `leaves its place in ${template}: it gives ${text}`;
}
