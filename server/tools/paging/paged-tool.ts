/** What the reading of pages knows of a tool, and what it finds. */

import type { PageRule, ToolFace, ToolRequest } from '../../contract/index.ts';
import type { Arguments } from '../../upstream/index.ts';

/** What a paged result says about the page after it. */
export interface Page {
  /** All arguments of the call for the next page, or null at the end. */
  readonly nextArguments: Arguments | null;
}

/** A tool, as far as its pages go. */
export type PagedTool = Pick<ToolFace, 'inputSchema'> & {
  readonly page?: PageRule | undefined;
  readonly request?: ToolRequest | undefined;
};
