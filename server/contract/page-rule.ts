/** How the lists of an upstream continue: where the next page is named, and which argument asks for it. */

/** What every kind may know. */
interface Pages {
  /** The argument that a call for the next page changes. */
  readonly argument: string;
  /** RFC 6901 pointer to the array of records in the answer. Absent: the gateway follows no pages of this tool. */
  readonly items?: string;
  /** The argument that says how many records a page has at most. Absent: there is none. */
  readonly size?: string;
}

/**
 * The answer holds the cursor of the next page.
 *
 * `next` is an RFC 6901 pointer into the answer. With `queryParameter`, the value there is a URL and the
 * cursor is that parameter of it. With `more`, a pointer to a boolean: false there ends the list.
 * A missing, null or empty cursor ends the list.
 */
export interface CursorPages extends Pages {
  readonly kind?: never;
  readonly next: string;
  readonly queryParameter: string | null;
  readonly more: string | null;
}

/** A header of the answer holds the cursor, or the number, of the next page. Missing or empty, it ends the list. */
export interface HeaderPages extends Pages {
  readonly kind: 'header';
  /** In lower case. */
  readonly header: string;
}

/**
 * The answer links to the next page: in the `Link` header (RFC 8288, `rel="next"`), or at `next`, a pointer into its body.
 *
 * The link is never fetched. Its query is read into the arguments of the tool, and the next page is a call of the tool like any
 * other: a link leads to no other host, path or operation. Without a link the list ends.
 */
export interface LinkPages extends Pages {
  readonly kind: 'link';
  /** Absent: the `Link` header. */
  readonly next?: string;
}

/** The cursor is a member of the last record: `id` points to it from there. A page without records, or `more` of false, ends the list. */
export interface LastRecordPages extends Pages {
  readonly kind: 'last';
  readonly items: string;
  readonly id: string;
  readonly more: string | null;
}

/**
 * The argument counts: `offset` the records before the page, `page` the pages, from `first` on.
 *
 * The list ends where `total` (a pointer to the number of records), `pages` (to that of pages) or `more` says so. Where the answer
 * tells none of them, it ends with a page that has no records, or fewer than a page can have by the schema of `size`.
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

/** How the list of a tool continues. */
export type PageRule = CursorPages | HeaderPages | LinkPages | LastRecordPages | CountedPages;

/** The same in `generated/`: absent are members that are null. */
export type GeneratedPageRule =
  | (Omit<CursorPages, 'queryParameter' | 'more'> & Partial<Pick<CursorPages, 'queryParameter' | 'more'>>)
  | (Omit<LastRecordPages, 'more'> & Partial<Pick<LastRecordPages, 'more'>>)
  | Exclude<PageRule, CursorPages | LastRecordPages>;
