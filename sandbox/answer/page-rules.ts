/** How the operations of a service page, according to its connector. */

import type { PageRule } from '../../server/contract/index.ts';

interface Paged {
  /** Wire name of the query parameter that takes the cursor, offset or page number. */
  readonly cursorParameter: string;
  /** Pointer to the records; null: the first array of the answer. */
  readonly records: string | null;
}

/** The next cursor is in the body of the answer. */
interface SandboxCursor extends Paged {
  readonly kind?: never;
  /** RFC 6901 pointer to the next cursor in the answer. */
  readonly next: string;
  /** The query parameter that holds the cursor in the URL at `next`; null: the value at `next` is the cursor itself. */
  readonly queryParameter: string | null;
  /** Pointer to a boolean that is false on the last page, or null. */
  readonly more: string | null;
}

type OtherKind<Rule> = Rule extends { readonly kind: string }
  ? Omit<Rule, 'argument' | 'size' | 'items'> & Paged
  : never;

/** How one operation pages: where requests carry the cursor, and where answers hold the next one. */
export type SandboxPageRule = SandboxCursor | OtherKind<PageRule>;
