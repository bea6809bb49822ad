/** How the list of a tool continues; the contract's `PageRule` explains the fields. */

interface Pages {
  readonly argument: string;
  /** Pointer to the records; missing: unknown. */
  readonly items?: string;
  /** Argument for the page size; missing: there is none. */
  readonly size?: string;
}

export interface CursorPages extends Pages {
  readonly kind?: never;
  readonly next: string;
  readonly queryParameter: string | null;
  readonly more: string | null;
}

export interface HeaderPages extends Pages {
  readonly kind: 'header';
  readonly header: string;
}

export interface LinkPages extends Pages {
  readonly kind: 'link';
  /** Missing: the `Link` header. */
  readonly next?: string;
}

export interface LastRecordPages extends Pages {
  readonly kind: 'last';
  readonly items: string;
  readonly id: string;
  readonly more: string | null;
}

export interface CountedPages extends Pages {
  readonly kind: 'offset' | 'page';
  readonly items: string;
  readonly first: number;
  readonly total?: string;
  readonly pages?: string;
  readonly more?: string;
}

export type PageRule = CursorPages | HeaderPages | LinkPages | LastRecordPages | CountedPages;
