/** What an access token may do: the scopes of the gateway. */

/** Every scope, in the order in which metadata and challenges name them. */
export const SCOPES = ['tools:read', 'tools:write'] as const;

/** `tools:read` lists and calls tools that only read, `tools:write` all others. */
export type Scope = (typeof SCOPES)[number];

/** The scopes as OAuth writes them: separated by one space (RFC 6749 §3.3). */
export const ALL_SCOPES = SCOPES.join(' ');

/**
 * Reads a space-separated scope string.
 *
 * Unknown scopes are left out, duplicates count once, and the order is that of `SCOPES`.
 */
export function parseScopes(text: string): Scope[] {
  const named = new Set(text.split(' '));
  return SCOPES.filter((scope) => named.has(scope));
}

/** Whether the scopes allow tools that write. */
export function mayWrite(scopes: readonly Scope[]): boolean {
  return scopes.includes('tools:write');
}
