/** The input of every handler of a user's own page, and its outcome. */

import type { Kysely } from 'kysely';
import type { EncryptionKey } from '../../base/credentials/index.ts';
import type { Limits } from '../../base/limits/index.ts';
import type { UserPageRequest } from '../../base/pages/user-pages.ts';
import type { Database } from '../../base/store/schema.ts';
import type { ApprovalAccess } from '../../call/tools/approvals/decide.ts';
import type { Catalogue } from '../../call/tools/catalogue/catalogue.ts';
import type { QuestionStore } from '../../call/tools/questions/store.ts';
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
  readonly questions: QuestionStore;
  readonly toolConsent: Core['toolConsent'];
  readonly revocations: Core['revocations'];
  readonly leases: Core['leases'];
  readonly limits: Limits;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export type { Outcome } from '../../base/pages/user-pages.ts';

/** A request of one of the pages here. */
export interface UserRequest extends UserPageRequest {
  readonly deps: UserPageDependencies;
  /** True if the partner signed the user in. A connection code, which may be narrowed, proves less. */
  readonly isFromPartner: boolean;
  /** A query parameter. Null if it is missing. */
  query(name: string): string | null;
}

/** A form that the user submitted from the page. */
export interface UserAction extends UserRequest {
  readonly form: URLSearchParams;
}
