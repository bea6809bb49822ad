/** What a tool file leaves out (`GeneratedTool` of the contract), so that tools compare alike whether it is written or not. */

import { isRecord } from '../../json.ts';

type Members = Readonly<Record<string, unknown>>;

/** Where tools are called that do not say it. @param service members of the connector */
export function firstServerOf({ servers }: Members): string {
  const first: unknown = Array.isArray(servers) ? servers[0] : undefined;
  return isRecord(first) ? String(first.url) : '';
}

/** @param server where the tool is called if it does not say it */
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
