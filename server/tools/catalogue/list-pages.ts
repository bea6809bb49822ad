/** Cuts a list of tools into pages, whose cursors say after which name the next one continues. */

import { InvalidCallError, type ToolList } from '../provider.ts';

/** A tool of a list: its name, and what the list says of it as JSON. */
export type ListedTool = readonly [name: string, json: string];

/**
 * Tools of a page by default. A list of 1,000 tools has about 5 MB and 300,000 tokens, which no model takes: a client that reads on after that
 * reads for a search. Everything smaller stays on one page, because some clients never ask for a second.
 */
export const DEFAULT_PAGE_TOOLS = 1000;

/** The pages of one list, kept together. */
export interface ListPages {
  readonly bytes: number;
  /** By the name that the page continues after; `null`: the first page. */
  readonly byStart: ReadonlyMap<string | null, ToolList>;
}

const CURSOR = /^1[A-Za-z0-9_-]{1,64}$/;

/** The answer for a cursor that no gateway gives (MCP, Pagination: -32602). */
export class InvalidCursorError extends InvalidCallError {
  override readonly name = 'InvalidCursorError';

  constructor() {
    super('Invalid cursor');
  }
}

/** @param tools sorted by name. */
export function toPages(tools: readonly ListedTool[], size: number): ListPages {
  const byStart = new Map<string | null, ToolList>();
  let bytes = 0;
  for (let at = 0; at === 0 || at < tools.length; at += size) {
    const page = toPage(tools, at, size);
    byStart.set(tools[at - 1]?.[0] ?? null, page);
    bytes += page.json.byteLength;
  }
  return { bytes, byStart };
}

/**
 * The page that continues after a name, wherever the pages of this list begin: another gateway, or this one with other tools, may have given
 * the cursor.
 *
 * @param tools sorted by name.
 */
export function toPageAfter(tools: readonly ListedTool[], after: string, size: number): ToolList {
  const start = tools.findIndex(([name]) => name > after);
  return toPage(tools, start < 0 ? tools.length : start, size);
}

function toPage(tools: readonly ListedTool[], start: number, size: number): ToolList {
  const page = tools.slice(start, start + size);
  const last = page.at(-1)?.[0];
  const goesOn = last !== undefined && start + size < tools.length;
  return {
    json: Buffer.from(`[${page.map(([, json]) => json).join(',')}]`, 'utf8'),
    ...(goesOn ? { nextCursor: toCursor(last) } : {}),
  };
}

/** Nothing but a name that its page has: it is worth nothing to anyone else, and any gateway understands it. */
function toCursor(name: string): string {
  return Buffer.from(`1${name}`, 'utf8').toString('base64url');
}

/** @returns the name that a page continues after. @throws {InvalidCursorError} for what is no cursor of ours. */
export function readCursor(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!CURSOR.test(text) || toCursor(text.slice(1)) !== cursor) throw new InvalidCursorError();
  return text.slice(1);
}
