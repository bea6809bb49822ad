/** Scopes of upstreams: those that are requested, their written form, and those that a tool lacks. */

import type { Connector, CredentialKind, OAuth2Part, OAuth2Rules, ToolFace } from '../../../contract/index.ts';

/**
 * Returns the scopes that a connection needs for all tools: the connector's own scopes, then those of its tools, sorted.
 *
 * Of a tool's alternatives, it takes the alternative that adds the fewest scopes to those needed anyway, or the first of several such alternatives.
 * Codegen shows reviewers the same scopes.
 */
export function scopesToAskFor(
  { tools }: { readonly tools: readonly ToolFace[] },
  { scopes }: { readonly scopes: readonly string[] },
): readonly string[] {
  const always = [...new Set(scopes)];
  const needed = new Set(always);
  const needs = tools.map((tool) => tool.scopes ?? []).filter((alternatives) => alternatives.length > 0);
  const added = (alternative: readonly string[]) => alternative.filter((scope) => !needed.has(scope)).length;
  for (const alternatives of needs.toSorted((a, b) => a.length - b.length)) {
    const least = alternatives.reduce((best, each) => (added(each) < added(best) ? each : best));
    for (const scope of least) needed.add(scope);
  }
  const ofTools = [...needed].filter((scope) => !always.includes(scope));
  return [...always, ...ofTools.sort()];
}

/** Returns the scopes that a kind of credential requests: those of the tools that are called with it. */
export function scopesOf(
  { tools, credential }: Connector,
  { oauth2 }: OAuth2Part,
  { label }: CredentialKind,
): readonly string[] {
  const extra = credential.extras?.find((kind) => kind.label === label)?.label;
  return scopesToAskFor({ tools: tools.filter((tool) => tool.extra === extra) }, oauth2);
}

/** The value of one parameter: the connector's own scopes, and these. */
export function joinScopes({ scopes: own, scopeSeparator }: OAuth2Rules, scopes: readonly string[]): string {
  return [...new Set([...own, ...scopes])].join(scopeSeparator);
}

/**
 * Returns the scopes that a tool needs and that were not granted, of the alternative that lacks the fewest. The tool may be called if there are none.
 */
export function missingScopes({ scopes }: ToolFace, granted: ReadonlySet<string>): readonly string[] {
  const lacking = (scopes ?? []).map((needed) => needed.filter((scope) => !granted.has(scope)));
  return lacking.reduce((least, each) => (each.length < least.length ? each : least), lacking[0] ?? []);
}
