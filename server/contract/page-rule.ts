/** The paging of an upstream's lists: where an answer names the next page, and which argument asks for it. */

/** Members of every kind. */
interface Pages {
  /** The argument that a call for the next page sets. */
  readonly argument: string;
  /** RFC 6901 pointer to the array of records in the answer. Without it the gateway follows no pages of this tool. */
  readonly items?: string;
  /** The argument for the maximum number of records on a page, if there is one. */
  readonly size?: string;
}

/**
 * The answer holds the cursor of the next page.
 *
 * `next` is an RFC 6901 pointer into the answer. With `queryParameter`, the value there is a URL, and the
 * cursor is that query parameter. With `more`, a pointer to a boolean: false ends the list.
 * A missing, null or empty cursor ends the list.
 */
export interface CursorPages extends Pages {
  readonly kind?: never;
  readonly next: string;
  readonly queryParameter: string | null;
  readonly more: string | null;
}

/** A header of the answer holds the cursor, or the number, of the next page. The list ends when it is missing or empty. */
export interface HeaderPages extends Pages {
  readonly kind: 'header';
  /** Name of the header, in lower case. */
  readonly header: string;
}

/**
 * The answer links to the next page: in the `Link` header (RFC 8288, `rel="next"`), or at `next`, a pointer into its body.
 *
 * The link is never fetched. Its query is read into the tool's arguments, and the next page is a normal call of the tool: a link
 * cannot lead to another host, path or operation. Without a link the list ends.
 */
export interface LinkPages extends Pages {
  readonly kind: 'link';
  /** RFC 6901 pointer to the link. Default: the `Link` header. */
  readonly next?: string;
}

/** The cursor is a member of the last record: `id` points to it from there. An empty page, or `more` being false, ends the list. */
export interface LastRecordPages extends Pages {
  readonly kind: 'last';
  readonly items: string;
  readonly id: string;
  readonly more: string | null;
}

/**
 * The argument counts: with `offset` the records before the page, with `page` the pages, starting at `first`.
 *
 * The list ends where `total` (a pointer to the number of records), `pages` (to the number of pages) or `more` says so. If the answer
 * has none of them, the list ends with a page that is empty, or shorter than the schema of `size` allows.
 */
export interface CountedPages extends Pages {
  readonly kind: 'offset' | 'page';
  readonly items: string;
  /** The value for the first page. */
  readonly first: number;
  readonly total?: string;
  readonly pages?: string;
  readonly more?: string;
}

/** The paging of one tool's list. */
export type PageRule = CursorPages | HeaderPages | LinkPages | LastRecordPages | CountedPages;

/** The same in `generated/`, where null members are absent. */
export type GeneratedPageRule =
  | (Omit<CursorPages, 'queryParameter' | 'more'> & Partial<Pick<CursorPages, 'queryParameter' | 'more'>>)
  | (Omit<LastRecordPages, 'more'> & Partial<Pick<LastRecordPages, 'more'>>)
  | Exclude<PageRule, CursorPages | LastRecordPages>;
