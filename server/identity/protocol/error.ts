/** Errors of the authorization server. */

import type { StatusOf } from '../../base/http/error-codes.ts';
import { RequestError } from '../../base/http/errors.ts';

/** The `error` codes of RFC 6749 §4.1.2.1 and §5.2, RFC 7591 §3.2.2, RFC 8707 §2, and ours for partners. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'access_denied'
  | 'server_error'
  | 'temporarily_unavailable'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'user_not_connected'
  | 'partner_suspended';

/** A request that the authorization server refuses. The description is sent to the client. */
export class OAuthError<Code extends OAuthErrorCode = OAuthErrorCode> extends RequestError<Code> {
  override readonly name = 'OAuthError';
  /** False when the error must not be sent to the redirect URI, because client or redirect URI is not verified. */
  readonly redirectable: boolean;

  constructor(
    status: StatusOf<Code>,
    error: Code,
    description: string,
    options: { redirectable?: boolean; headers?: Readonly<Record<string, string>>; cause?: unknown } = {},
  ) {
    super(status, error, description, options);
    this.redirectable = options.redirectable ?? false;
  }

  /** The machine-readable code, as on the wire. */
  get error(): string {
    return this.code;
  }
}
