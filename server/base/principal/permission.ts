/** The permission of a grant and its tokens: scopes, and the limits that the user or the partner set. */

import { z } from 'zod';

const PINS = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).readonly();
const NAMES = z.array(z.string()).readonly();

/**
 * The modes of a list of tools. `lean`: with the names of the members of their answers; `full`: with output schemas; `compact`: by first sentence,
 * argument names and types; `search`: by tools that find and call the others; `code`: by the tools that modules have for programs, and as `search` if
 * there are none.
 */
export const CATALOGUE_MODES = ['lean', 'full', 'compact', 'search', 'code'] as const;
export type CatalogueMode = (typeof CATALOGUE_MODES)[number];

/** One entry of a user's allowance: tools that the user may call. */
export const ALLOW = z.strictObject({
  services: NAMES.nullable(),
  effects: z.array(z.enum(['reads', 'writes', 'destroys'])).readonly(),
  tools: NAMES.nullable(),
  accounts: z.record(z.string(), NAMES).readonly(),
});

/**
 * Tools of these services (null for all) with one of these effects and, unless `tools` is null, one of these names. By service, `accounts` are
 * the only accounts that they may use, by their names in lower case.
 */
export type Allow = Readonly<z.output<typeof ALLOW>>;

const SCHEMA = z.strictObject({
  destructive: z.boolean().default(true),
  without: NAMES.default([]),
  only: NAMES.nullable().default(null),
  pins: z.record(z.string(), PINS).readonly().default({}),
  accounts: z.record(z.string(), z.string()).readonly().default({}),
  seen: z.string().nullable().default(null),
  accepted: z.record(z.string(), z.string()).readonly().default({}),
  agreed: z.strictObject({ writes: NAMES, destroys: NAMES }).readonly().nullable().default(null),
  catalogue: z.enum(CATALOGUE_MODES).nullable().default(null),
  resultTokens: z.int().positive().nullable().default(null),
  allows: z.array(ALLOW).readonly().nullable().default(null),
});

/**
 * A permission as a grant's row keeps it.
 *
 * - `destructive`: whether tools with `destructiveHint` may be called.
 * - `without`: names of tools that the user left out, and `everyToolOf` each service that was left out.
 * - `only`: the only tools that a frozen grant allows. Null for every tool, later ones too.
 * - `pins`: by service, arguments that the gateway sets and no caller can change.
 * - `accounts`: by service, row id of the only connection that may be used. A row id is never used again: once that connection was removed,
 *   the client cannot use the service. A gateway of a version without this member refuses the grant.
 * - `seen`: hash of the tool facts that were current at consent (`tool_facts`). Null if there is nothing to compare with.
 * - `accepted`: by tool, facts that the user has allowed since.
 * - `agreed`: by effect, services in which the user agreed to tools of that effect (`CONSENT=need`). In all other services, such a tool
 *   waits for its user. Null if no tool waits for that.
 * - `catalogue`: how the list shows its tools, without restricting calls. Null for the operator's setting.
 * - `resultTokens`: estimated tokens of text that a result may have, without restricting calls. Null for the operator's setting.
 * - `allows`: the allowance of the user (`allowance.ts`), which belongs to the user's row: no row of a grant has it. Null for every tool.
 */
export type Permission = Readonly<z.output<typeof SCHEMA>>;

/** Arguments of one service's tools that the gateway sets, by name. */
export type Pins = Permission['pins'][string];
export type PinnedValue = Pins[string];

/** The entry of `without` for every tool of a service, later ones too. No tool has such a name. */
export function everyToolOf(service: string): string {
  return `${service}/*`;
}

/** The permission that restricts nothing. */
export const FULL_PERMISSION: Permission = Object.freeze(SCHEMA.parse({}));

/** Limit of the cache. A permission that names a thousand tools has tens of thousands of characters. */
const MAX_CACHED_CHARACTERS = 16 * 1024 * 1024;
const permissionCache = new Map<string, Permission>();
let cachedCharacters = 0;

/**
 * Reads the column. The same text gives the same object, so that values derived from it can be kept in a `WeakMap`.
 *
 * @throws {Error} for a text that `writePermission` did not write: a permission that cannot be read allows nothing.
 */
export function readPermission(text: string | null): Permission {
  if (text === null) return FULL_PERMISSION;
  const cached = permissionCache.get(text);
  if (cached !== undefined) return cached;
  const permission = Object.freeze(SCHEMA.parse(JSON.parse(text)));
  cachedCharacters += text.length;
  if (cachedCharacters > MAX_CACHED_CHARACTERS) {
    permissionCache.clear();
    cachedCharacters = text.length;
  }
  permissionCache.set(text, permission);
  return permission;
}

/** Writes the column, without `allows`: null for a permission that narrows nothing and has seen nothing. */
export function writePermission(permission: Permission): string | null {
  const members = Object.entries(permission).filter(
    ([name, value]) =>
      name !== 'allows' && JSON.stringify(value) !== JSON.stringify(FULL_PERMISSION[name as keyof Permission]),
  );
  return members.length === 0 ? null : JSON.stringify(Object.fromEntries(members));
}

/**
 * Returns the intersection of two permissions. Where both pin an argument or an account, or set how things are shown, the second wins; `seen`,
 * `accepted` and `agreed` are those of the first.
 */
export function intersectPermissions(first: Permission, second: Permission): Permission {
  const services = [...new Set([...Object.keys(first.pins), ...Object.keys(second.pins)])];
  return {
    ...first,
    destructive: first.destructive && second.destructive,
    without: [...new Set([...first.without, ...second.without])].sort(),
    only: first.only === null ? second.only : first.only.filter((name) => second.only?.includes(name) ?? true),
    pins: Object.fromEntries(services.map((name) => [name, { ...first.pins[name], ...second.pins[name] }])),
    accounts: { ...first.accounts, ...second.accounts },
    catalogue: second.catalogue ?? first.catalogue,
    resultTokens: second.resultTokens ?? first.resultTokens,
  };
}

/** The access of a token: its scopes, its connected services, and the permission of its grant. */
export interface Access {
  /** The OAuth client that has the token, and can ask its user for more access. Null for a partner or an operator. */
  readonly clientId: string | null;
  readonly scopes: readonly Scope[];
  /** Connected services that the token may use, sorted by name (code units). */
  readonly services: readonly string[];
  /** By service, the short names of its connected accounts, for services with several accounts. */
  readonly accounts?: ReadonlyMap<string, readonly string[]> | null;
  readonly permission: Permission;
}

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

/**
 * Returns the scopes that a client asks for. `tools:write` includes `tools:read`.
 *
 * Other scopes, such as `openid` and `offline_access`, are ignored, because clients request them from every server. Without a scope of the gateway
 * a client asks for everything.
 *
 * @param scope space-separated.
 */
export function readRequestedScopes(scope: string): readonly Scope[] {
  const scopes = toScopes(scope.split(' '));
  return scopes.length === 1 && scopes[0] === 'tools:read' ? scopes : SCOPES;
}

/** True for a client that may never be granted a tool that writes. @param registered scopes with which it registered; null for all. */
export function isRegisteredForReading(registered: string | null): boolean {
  return registered !== null && !mayWrite(toScopes(registered.split(' ')));
}

/** Returns the part of some scopes that a client may be granted. @param registered with which it registered; null for all. */
export function withinRegistered(scopes: readonly Scope[], registered: string | null): readonly Scope[] {
  return isRegisteredForReading(registered) ? ['tools:read'] : scopes;
}

/** Returns true if the scopes allow tools that only read. `tools:write` includes `tools:read`; no scope at all allows nothing. */
export function mayRead(scopes: readonly Scope[]): boolean {
  return scopes.includes('tools:read') || mayWrite(scopes);
}

/** Returns true if the scopes allow tools that write. */
export function mayWrite(scopes: readonly Scope[]): boolean {
  return scopes.includes('tools:write');
}
