/** What every part of a user's own page gets, and what it answers with. */

import type { Kysely } from 'kysely';
import type { EncryptionKey } from '../credentials/index.ts';
import type { GatewayContext } from '../http/state.ts';
import type { Limits } from '../limits/index.ts';
import type { Html } from '../pages/html.ts';
import type { Partner } from '../store/repositories/partners.ts';
import type { User } from '../store/repositories/users.ts';
import type { Database } from '../store/schema.ts';
import type { Catalogue } from '../tools/catalogue/catalogue.ts';
import type { Revocations } from '../upstream/lease/revocation.ts';

/** What the page works with. */
export interface UserPageDependencies {
  readonly db: Kysely<Database>;
  /** The gateway's origin, without a final slash. */
  readonly publicUrl: string;
  /** The key ring, whose first key seals what the entry form carries. */
  readonly keys: readonly EncryptionKey[];
  readonly catalogue: Catalogue;
  readonly revocations: Pick<Revocations, 'after'>;
  /** Makes the limits. Default: those of this process. */
  readonly limits?: Limits;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A request of a user who has entered. Everything that it may see and change is the user's own. */
export interface UserRequest {
  readonly ctx: GatewayContext;
  readonly deps: UserPageDependencies;
  readonly user: User;
  readonly partner: Partner;
  /** Milliseconds since 1970; one value for the whole request. */
  readonly now: number;
  /** What every form of the page carries as `csrf`. */
  readonly csrf: string;
  /** A segment of the path, decoded. */
  param(name: string): string;
  /** A parameter of the query; null where it is missing. */
  query(name: string): string | null;
}

/** A form that the user sent from the page. */
export interface UserAction extends UserRequest {
  readonly form: URLSearchParams;
}

/** How a request ends: with a page, or with another address of the page (303). */
export type Outcome =
  | { readonly title: string; readonly content: Html; readonly status?: number }
  | { readonly redirect: string };
