/** What an access token may do: the scopes of the gateway. */

/** Every scope, in the order in which metadata and challenges name them. */
export const SCOPES = ['tools:read', 'tools:write'] as const;

/** `tools:read` lists and calls tools that only read, `tools:write` all. */
export type Scope = (typeof SCOPES)[number];

/** The scopes as OAuth writes them: separated by one space (RFC 6749 §3.3). */
export const ALL_SCOPES = SCOPES.join(' ');

/** The scopes among these names: unknown ones are left out, duplicates count once, the order is that of `SCOPES`. */
export function toScopes(names: readonly string[]): Scope[] {
  return SCOPES.filter((scope) => names.includes(scope));
}

/** Whether the scopes allow tools that only read. `tools:write` includes `tools:read`; no scope at all allows nothing. */
export function mayRead(scopes: readonly Scope[]): boolean {
  return scopes.includes('tools:read') || mayWrite(scopes);
}

/** Whether the scopes allow tools that write. */
export function mayWrite(scopes: readonly Scope[]): boolean {
  return scopes.includes('tools:write');
}
