/** A request as a user types it, and the tools that serve it. */
export type SearchRequest = readonly [typed: string, ...tools: string[]];
