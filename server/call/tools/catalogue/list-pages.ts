/** Splits a tool list into pages. A cursor names the tool after which the next page continues. */

import type { Logger } from 'pino';
import type { CatalogueMode } from '../../../base/principal/permission.ts';
import { estimateListTokensOf } from '../json.ts';
import { InvalidCallError, type ToolList } from '../provider.ts';

/** A listed tool: its name, and its entry as JSON. */
export type ListedTool = readonly [name: string, json: string];

/**
 * Default number of tools per page. 1,000 tools have about 5 MB and 300,000 tokens, more than a model accepts: a client
 * that reads more pages does so for a search. Smaller lists stay on one page, because some clients never ask for a
 * second.
 */
export const DEFAULT_PAGE_TOOLS = 1000;

/** The pages of one list, cached together. */
export interface ListPages {
  readonly bytes: number;
  /** Pages by the name after which they continue. The key of the first page is `null`. */
  readonly byStart: ReadonlyMap<string | null, ToolList>;
}

const CURSOR = /^1[A-Za-z0-9_-]{1,64}$/;

/** A cursor that no gateway issues (MCP, Pagination: -32602). */
class InvalidCursorError extends InvalidCallError {
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
 * The page that continues after a name, even if no page of this list begins there: another gateway, or this one with
 * other tools, may have issued the cursor.
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
  const hasNextPage = last !== undefined && start + size < tools.length;
  return {
    json: Buffer.from(`[${page.map(([, json]) => json).join(',')}]`, 'utf8'),
    nextCursor: hasNextPage ? toCursor(last) : undefined,
  };
}

/** A cursor holds only a tool name from its page: nothing secret, and valid at any gateway. */
function toCursor(name: string): string {
  return Buffer.from(`1${name}`, 'utf8').toString('base64url');
}

/** @returns the name that a page continues after. @throws {InvalidCursorError} if no gateway issued the cursor. */
export function readCursor(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!CURSOR.test(text) || toCursor(text.slice(1)) !== cursor) throw new InvalidCursorError();
  return text.slice(1);
}

/** Lists with more estimated tokens are reported. */
export const LARGE_LIST_TOKENS = 50_000;

/** Estimates, from its bytes, the tokens of the list of a user with all services and rights, in the operator's mode. */
export function estimateListTokens({ listBytes }: { readonly listBytes: number }): number {
  return estimateListTokensOf(listBytes);
}

/** Call it once, at the start. */
export function reportLargeList(
  catalogue: { readonly listBytes: number; readonly mode: CatalogueMode },
  log: { readonly warn: Logger['warn'] },
): void {
  const tokens = estimateListTokens(catalogue);
  if (tokens <= LARGE_LIST_TOKENS) return;
  log.warn(
    { tokens, mode: catalogue.mode },
    'the list of all tools is large for a model: CATALOGUE_MODE makes it smaller, and a connection code can ask for a smaller one',
  );
}
