/** The input and output types of paging. */

import type { PageRule, ToolFace, ToolRequest } from '../../../contract/index.ts';
import type { Arguments } from '../../upstream/index.ts';

/** What a paged result says about the next page. */
export interface Page {
  /** All arguments of the call for the next page, or null at the end. */
  readonly nextArguments: Arguments | null;
}

/** The parts of a tool that paging needs. */
export type PagedTool = Pick<ToolFace, 'inputSchema'> & {
  readonly page?: PageRule | undefined;
  readonly request?: ToolRequest | undefined;
};
