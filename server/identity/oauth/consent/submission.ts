/** Input of the consent page's steps: one submitted form, and their dependencies. */

import type { Kysely } from 'kysely';
import type { SealedForm } from '../../../base/pages/sealed-form.ts';
import type { OAuthClient } from '../../../base/store/repositories/oauth-clients.ts';
import type { Database } from '../../../base/store/schema.ts';
import type { Catalogue } from '../../../call/tools/catalogue/catalogue.ts';
import type { ClientLookup } from '../client-documents.ts';
import type { ConsentPageState } from './page-state.ts';

export interface ConsentDependencies {
  /** The gateway's origin, without a final slash. */
  readonly issuer: string;
  readonly db: Kysely<Database>;
  readonly clients: Pick<ClientLookup, 'forAuthorization'>;
  readonly sealedForm: SealedForm<ConsentPageState>;
  readonly catalogue: Catalogue;
  /** Longest lifetime of a grant, in milliseconds; null: each refresh extends it. */
  readonly maxGrantMs: number | null;
  /** Milliseconds since 1970. */
  now(): number;
}

/** One form submitted from the page, and its sealed state. */
export interface Submission {
  readonly form: URLSearchParams;
  readonly pageState: ConsentPageState;
  readonly client: OAuthClient;
}
