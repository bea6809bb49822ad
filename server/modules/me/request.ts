/** The input of every handler of a user's own page, and its outcome. */

import type { Kysely } from 'kysely';
import type { EncryptionKey } from '../../base/credentials/index.ts';
import type { GatewayContext } from '../../base/http/state.ts';
import type { Limits } from '../../base/limits/index.ts';
import type { Html } from '../../base/pages/html.ts';
import type { Partner } from '../../base/store/repositories/partners.ts';
import type { User } from '../../base/store/repositories/users.ts';
import type { Database } from '../../base/store/schema.ts';
import type { ApprovalAccess } from '../../call/tools/approvals/decide.ts';
import type { Catalogue } from '../../call/tools/catalogue/catalogue.ts';
import type { Core } from '../../module.ts';

/** The dependencies of the page. */
export interface UserPageDependencies {
  readonly db: Kysely<Database>;
  /** The gateway's origin, without a trailing slash. */
  readonly publicUrl: string;
  /** The key ring. Its first key seals the state in the entry form. */
  readonly keys: readonly EncryptionKey[];
  readonly catalogue: Catalogue;
  readonly approvals: ApprovalAccess;
  readonly toolConsent: Core['toolConsent'];
  readonly revocations: Core['revocations'];
  readonly leases: Core['leases'];
  readonly limits: Limits;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A request in a user's session. It may see and change only what belongs to the user. */
export interface UserRequest {
  readonly ctx: GatewayContext;
  readonly deps: UserPageDependencies;
  readonly user: User;
  readonly partner: Partner;
  /** Milliseconds since 1970; one value for the whole request. */
  readonly now: number;
  /** The value of the field `csrf` in every form of the page. */
  readonly csrf: string;
  /** True if the partner signed the user in. A connection code, which may be narrowed, proves less. */
  readonly isFromPartner: boolean;
  /** A segment of the path, decoded. */
  param(name: string): string;
  /** A query parameter. Null if it is missing. */
  query(name: string): string | null;
}

/** A form that the user submitted from the page. */
export interface UserAction extends UserRequest {
  readonly form: URLSearchParams;
}

/** The outcome of a request: a page, or a redirect to another URL of the page (303). */
export type Outcome =
  | { readonly title: string; readonly content: Html; readonly status?: number }
  | { readonly redirect: string };
