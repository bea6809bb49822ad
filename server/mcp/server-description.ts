/** What the server says of itself, in both of the ways in which it answers. */

/** MCP `Implementation`. */
export interface ServerInfo {
  readonly name: string;
  readonly title?: string;
  readonly version: string;
  readonly websiteUrl?: string;
}

export interface ServerDescription {
  readonly serverInfo: ServerInfo;
  /** How to use this server, for models. */
  readonly instructions: string;
  /** How long clients may keep a list of tools, in milliseconds. */
  readonly listTtlMs: number;
}

/** Who may keep what for how long (MCP 2026-07-28, Caching); of a list, `listTtlMs` says how long. */
export const CACHE_HINTS = {
  'tools/list': { cacheScope: 'private' },
  'server/discover': { ttlMs: 3_600_000, cacheScope: 'public' },
} as const;
