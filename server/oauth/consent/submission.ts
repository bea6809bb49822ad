/** What the steps of the consent page take: one sent form, and what they work with. */

import type { Kysely } from 'kysely';
import type { BrowserIds } from '../../pages/browser-id.ts';
import type { FormSealer } from '../../pages/form-sealer.ts';
import type { OAuthClient } from '../../store/repositories/oauth-clients.ts';
import type { Database } from '../../store/schema.ts';
import type { FindClient } from '../authorize/check-client.ts';
import type { Transaction } from './transaction.ts';

/** What the steps work with. */
export interface ConsentDependencies {
  /** The gateway's origin, without a final slash. */
  readonly issuer: string;
  readonly db: Kysely<Database>;
  readonly findClient: FindClient;
  readonly browserIds: BrowserIds;
  readonly sealer: FormSealer<Transaction>;
  /** The title of a service, or its name where it has none. */
  titleOf(service: string): string;
  /** Milliseconds since 1970. */
  now(): number;
}

/** One form that was sent from the page, and what came sealed with it. */
export interface Submission {
  readonly form: URLSearchParams;
  readonly transaction: Transaction;
  /** The transaction as the form carried it. */
  readonly sealed: string;
  readonly browserId: string;
  readonly client: OAuthClient;
}
