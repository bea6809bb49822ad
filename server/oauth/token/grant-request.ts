/** Input of the grant type `authorization_code`. */

import type { RequestOrigin } from '../../http/request-origin.ts';
import type { Form } from '../../oauth-protocol/form.ts';
import type { OAuthClient } from '../../store/repositories/oauth-clients.ts';

export interface GrantRequest {
  /** Authenticated. */
  readonly client: OAuthClient;
  readonly form: Form;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** For audit events. */
  readonly origin: RequestOrigin;
}
