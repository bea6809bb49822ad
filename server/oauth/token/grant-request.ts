/** What every grant type of the token endpoint is given. */

import type { GrantOutcome } from '../../grants/grant-outcome.ts';
import type { RequestOrigin } from '../../http/request-origin.ts';
import type { Form } from '../../oauth-protocol/form.ts';
import type { OAuthClient } from '../../store/repositories/oauth-clients.ts';
import type { Executor } from '../../store/schema.ts';

export interface GrantRequest {
  /** Authenticated. */
  readonly client: OAuthClient;
  readonly form: Form;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** For audit events. */
  readonly origin: RequestOrigin;
}

/** Exchanges what one grant type brings for tokens, within one transaction. An error rolls everything back. */
export type GrantHandler = (transaction: Executor, request: GrantRequest) => Promise<GrantOutcome>;
