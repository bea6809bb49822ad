/** How the operations of a service page, as its connector tells it. */

import type { PageRule } from '../../server/contract/index.ts';

interface Paged {
  /** Query parameter that takes the cursor, or counts, by its wire name. */
  readonly cursorParameter: string;
  /** Pointer to the records; null: the first array of the answer. */
  readonly records: string | null;
}

/** The body of the answer keeps the next cursor. */
interface SandboxCursor extends Paged {
  readonly kind?: never;
  /** RFC 6901 pointer to the next cursor in the answer. */
  readonly next: string;
  /** The value at `next` is a URL, and the cursor is this query parameter of it; null: it is the cursor itself. */
  readonly queryParameter: string | null;
  /** Pointer to a boolean that is false on the last page, or null. */
  readonly more: string | null;
}

type OtherKind<Rule> = Rule extends { readonly kind: string }
  ? Omit<Rule, 'argument' | 'size' | 'items'> & Paged
  : never;

/** How one operation pages: where the cursor travels and where the answer keeps the next one. */
export type SandboxPageRule = SandboxCursor | OtherKind<PageRule>;
