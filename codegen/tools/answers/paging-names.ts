/**
 * Names that published descriptors use for paging. All are written without separators and in lower case: `page_token`,
 * `pageToken` and `Page-Token` are `pagetoken`.
 */

import { wordSet } from '../../word-set.ts';

/** Arguments that take a cursor. */
export const CURSOR_ARGUMENTS = wordSet(
  'after bookmark continuation continuationtoken cursor cursorid marker nextcursor nextpagetoken ' +
    'nexttoken pageafter pagecursor pagetoken paginationtoken pagingtoken scrollid startcursor',
);

/** Arguments that take a member of the last record. */
export const LAST_RECORD_ARGUMENTS: ReadonlySet<string> = new Set(['startingafter']);

/** Arguments that count records. */
export const OFFSET_ARGUMENTS = wordSet('offset pageoffset skip startat startindex');

/** Arguments that count pages. */
export const PAGE_ARGUMENTS: ReadonlySet<string> = new Set(['page', 'pageno', 'pagenum', 'pagenumber']);

/** Arguments for the number of records of a page. */
export const SIZE_ARGUMENTS = wordSet(
  'count first itemsperpage limit maxitems maxresults pagelimit pagesize perpage resultsperpage size ' + 'take top',
);

/** Members that hold the next cursor. */
export const CURSOR_MEMBERS = wordSet(
  'aftercursor continuationtoken endcursor nextcursor nextmarker nextpagecursor nextpagetoken nexttoken ' +
    'paginationtoken',
);

/** Members that hold a cursor inside an object for the next page. */
export const CURSOR_MEMBERS_OF_NEXT: ReadonlySet<string> = new Set(['after', 'cursor', 'next']);
export const NEXT_OBJECTS: ReadonlySet<string> = new Set(['cursors', 'next']);

/** Members that hold the URL of the next page. */
export const LINK_MEMBERS = wordSet(
  'nexthref nextlink nextpagelink nextpageuri nextpageurl nexturi nexturl odatanextlink',
);

/** Objects whose member `next` is a URL. */
export const LINK_OBJECTS: ReadonlySet<string> = new Set(['link', 'links']);

/** Objects of an answer that describe the list. */
export const ENVELOPES = wordSet(
  'cursors links meta metadata next page pageinfo pagination paging pagingmetadata responsemetadata ' + 'resultinfo',
);

/** Flags that say whether there is more. */
export const MORE_MEMBERS = wordSet('hasmore hasmoreitems hasnext hasnextpage more moreavailable');

/** Members that hold the total number of records. */
export const TOTAL_MEMBERS = wordSet('total totalcount totalelements totalitems totalrecords totalresults');

/** Members that hold the total number of pages. */
export const PAGES_MEMBERS: ReadonlySet<string> = new Set(['lastpage', 'numpages', 'pagecount', 'totalpages']);

/** Members that hold the records, the most likely first. */
export const RECORD_MEMBERS: readonly string[] =
  'data items results records entries values value objects elements list rows resources'.split(' ');

/** Headers that hold the cursor or the number of the next page. */
export const NEXT_HEADERS = wordSet(
  'next-cursor next-page-token opc-next-page x-continuation-token x-cursor-next x-next-cursor ' +
    'x-next-page x-next-page-token x-next-token x-pagination-next-cursor',
);

/** A name without separators, in lower case. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
