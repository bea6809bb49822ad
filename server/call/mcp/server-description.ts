/** What the server says about itself, on the fast path and through the SDK. */

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
  /** How long clients may cache a list of tools, in milliseconds. */
  readonly listTtlMs: number;
}

/** Who may cache what, and how long (MCP 2026-07-28, Caching); `listTtlMs` is the time for lists. */
export const CACHE_HINTS = {
  'tools/list': { cacheScope: 'private' },
  'server/discover': { ttlMs: 3_600_000, cacheScope: 'public' },
} as const;
