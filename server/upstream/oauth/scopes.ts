/** Scopes of upstreams: which are asked for, how they are written, and which a tool lacks. */

import type { Connector, OAuth2Rules, Tool } from '../../contract/index.ts';

/**
 * What a connection of all tools needs: the connector's own scopes, then those of its tools, each once. Of a tool's
 * alternatives the first.
 */
export function scopesToAskFor({ tools }: Pick<Connector, 'tools'>, rules: OAuth2Rules): readonly string[] {
  return [...new Set([...rules.scopes, ...tools.flatMap(({ scopes }) => scopes?.[0] ?? [])])];
}

/** As one parameter: the connector's own scopes, and more. */
export function joinScopes({ scopes: own, scopeSeparator }: OAuth2Rules, scopes: readonly string[]): string {
  return [...new Set([...own, ...scopes])].join(scopeSeparator);
}

/**
 * The scopes that a tool needs and that were not granted; of its alternatives those of the one that lacks the fewest.
 * Empty: it may be called.
 */
export function missingScopes({ scopes }: Pick<Tool, 'scopes'>, granted: ReadonlySet<string>): readonly string[] {
  const lacking = (scopes ?? []).map((needed) => needed.filter((scope) => !granted.has(scope)));
  return lacking.reduce((least, each) => (each.length < least.length ? each : least), lacking[0] ?? []);
}
