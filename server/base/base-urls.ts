/** Base URLs of a connector: the descriptor's server templates, filled in. */

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
 * Fills in every template.
 *
 * @param values by environment variable, as the operator set them.
 * @returns base URLs without a final slash, by template (`ToolOperation.server`).
 * @throws {BaseUrlError} when one is not an absolute http or https URL without user, query and fragment.
 */
export function resolveBaseUrls(
  servers: readonly ServerTemplate[],
  values: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, string> {
  const variables = new Map(servers.flatMap((server) => server.variables).map((variable) => [variable.name, variable]));
  return new Map(
    servers.map((server) => {
      const filled = server.url.replace(/\{([^{}]+)\}/g, (_, name: string) =>
        fill(variables.get(name), variables, values),
      );
      return [server.url, checkBaseUrl(filled, server.variables[0]?.env ?? null)];
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

function checkBaseUrl(text: string, env: string | null): string {
  const named = env === null ? 'the server URL' : env;
  if (!URL.canParse(text)) throw new BaseUrlError(env, `${named} is not an absolute URL: ${text}`);
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new BaseUrlError(env, `${named} must begin with https:// or http://`);
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new BaseUrlError(env, `${named} must have no user, query or fragment`);
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
