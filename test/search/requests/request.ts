/** What somebody types, and the tools that serve it. */
export type SearchRequest = readonly [typed: string, ...tools: string[]];
