/**
 * Defaults that a tool file leaves out (`GeneratedTool` of the contract), so that tools compare equal with and without
 * them.
 */

import { isRecord } from '../../json.ts';

type Members = Readonly<Record<string, unknown>>;

/** The server of tools that name none. @param service members of the connector */
export function firstServerOf({ servers }: Members): string {
  const first: unknown = Array.isArray(servers) ? servers[0] : undefined;
  return isRecord(first) ? String(first.url) : '';
}

/** @param server the server of a tool that names none */
export function withDefaults({ operation, page, ...members }: Members, server: string): Record<string, unknown> {
  return {
    ...members,
    ...(operation === undefined ? {} : { operation: isRecord(operation) ? { server, ...operation } : operation }),
    ...(page === undefined ? {} : { page: isRecord(page) ? withPageDefaults(page) : page }),
  };
}

function withPageDefaults(page: Members): Members {
  const { argument, next, queryParameter = null, more = null, ...places } = page;
  if (page.kind === undefined) return { argument, next, queryParameter, more, ...places };
  return page.kind === 'last' ? { ...page, more } : page;
}
