/** Input of the grant type `authorization_code`. */

import type { RequestOrigin } from '../../../base/http/request-origin.ts';
import type { OAuthClient } from '../../../base/store/repositories/oauth-clients.ts';
import type { Form } from '../../protocol/form.ts';

export interface GrantRequest {
  /** Authenticated. */
  readonly client: OAuthClient;
  readonly form: Form;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** For audit events. */
  readonly origin: RequestOrigin;
}
