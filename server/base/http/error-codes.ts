/** Every `error` code of the gateway's HTTP answers: its statuses, its meaning, who can fix it, and what the caller should do. */

export interface ErrorCodeText<Statuses extends readonly number[] = readonly number[]> {
  /** HTTP statuses that the code comes with. */
  readonly statuses: Statuses;
  readonly meaning: string;
  /** The person who can fix it. Default: the caller. `nobody` means that the problem passes without a fix. */
  readonly fixedBy?: 'user' | 'operator' | 'nobody';
  readonly toDo: string;
}

const RETRY = 'Wait for `Retry-After`, then send the same request again.';
const CORRECT = 'Correct the request as `error_description` says.';

/** Types a table by its codes and their statuses; its texts stay `string`, so that rewording one changes no type. */
function defineErrorCodes<const Statuses extends Readonly<Record<string, readonly number[]>>>(
  codes: {
    readonly [Code in keyof Statuses]: ErrorCodeText<Statuses[Code]>;
  },
) {
  return codes;
}

/** The table. OAuth's codes have the meaning of RFC 6749, RFC 6750, RFC 7591 and RFC 8707. */
export const ERROR_CODES = defineErrorCodes({
  invalid_request: {
    statuses: [400, 405, 413, 415],
    meaning: 'Something is missing, wrong, too large (413) or of another media type (415).',
    toDo: CORRECT,
  },
  unsupported_media_type: {
    statuses: [415],
    meaning: 'The body has another `Content-Type` or `Content-Encoding` than the route reads.',
    toDo: CORRECT,
  },
  payload_too_large: {
    statuses: [413],
    meaning: 'The body is larger than the route reads.',
    toDo: 'Send less.',
  },
  not_found: {
    statuses: [404],
    meaning: 'There is no such route, user, connection, grant, endpoint or document; or it was removed meanwhile.',
    toDo: 'Check the path and the names in it.',
  },
  live_secret_required: {
    statuses: [403],
    meaning: 'The request has a test secret, and changes what the partner is to its live users too.',
    toDo: 'Send it with the live secret.',
  },
  test_mode_off: {
    statuses: [403],
    meaning: 'The user belongs to test mode, and the gateway no longer names a sandbox (`TEST_SANDBOX_URL`).',
    fixedBy: 'operator',
    toDo: 'Ask the operator to start the sandbox and to set its address.',
  },
  unauthorized: {
    statuses: [401],
    meaning: 'The request has no access token.',
    toDo: 'Start discovery with the `resource_metadata` of `WWW-Authenticate`.',
  },
  invalid_token: {
    statuses: [401],
    meaning: 'The access token is unknown, expired, revoked or for another resource.',
    toDo: 'Refresh it, or sign in again.',
  },
  invalid_signature: {
    statuses: [401],
    meaning:
      'A call of a service to an address for events is not signed with its secret, or is older than five minutes.',
    fixedBy: 'operator',
    toDo: 'Set the secret that the service shows: `PUT` of the event address in the partner API.',
  },
  insufficient_scope: {
    statuses: [403],
    meaning: 'The access token lacks a scope that the operation needs.',
    fixedBy: 'user',
    toDo: 'Sign in again with the `scope` of `WWW-Authenticate`.',
  },
  invalid_client: {
    statuses: [400, 401],
    meaning: 'The client or partner is unknown, its registration has expired, or its credentials are missing or wrong.',
    toDo: 'Check `client_id` and secret. A client registers again.',
  },
  invalid_grant: {
    statuses: [400],
    meaning: 'The code or refresh token is unknown, used, expired, revoked, or issued to another.',
    fixedBy: 'user',
    toDo: 'Start the sign-in or the connect flow again.',
  },
  unauthorized_client: {
    statuses: [400],
    meaning: 'The client may not use this grant type, or the partner may not offer this service. A code stays valid.',
    fixedBy: 'operator',
    toDo: 'Use another grant type, or ask the operator for the service.',
  },
  unsupported_grant_type: {
    statuses: [400],
    meaning: 'The endpoint does not know this `grant_type`.',
    toDo: CORRECT,
  },
  unsupported_response_type: {
    statuses: [400],
    meaning: '`response_type` is not `code`.',
    toDo: CORRECT,
  },
  invalid_scope: {
    statuses: [400],
    meaning: 'A scope is unknown, or more than what was granted or asserted.',
    toDo: 'Ask for the scopes of the metadata, or for fewer.',
  },
  invalid_target: {
    statuses: [400],
    meaning: '`resource` is not the MCP endpoint of this gateway.',
    toDo: 'Send the `resource` of the protected resource metadata, byte for byte.',
  },
  access_denied: {
    statuses: [403],
    meaning:
      'The gateway does not register such clients (403). At a redirect URI: the user pressed Deny, or did not connect the service.',
    fixedBy: 'user',
    toDo: 'Accept the decision. For a registration, ask the operator about `CLIENT_REGISTRATION`.',
  },
  invalid_redirect_uri: {
    statuses: [400],
    meaning: 'A redirect URI cannot be registered.',
    toDo: 'See [which ones can](../guides/clients.md#which-redirect-uris-a-client-may-register).',
  },
  invalid_client_metadata: {
    statuses: [400],
    meaning: 'A registration holds something that the gateway does not support.',
    toDo: CORRECT,
  },
  user_not_connected: {
    statuses: [400],
    meaning: 'A connection code was asked for a `user_id` that no connect flow has named.',
    fixedBy: 'user',
    toDo: 'Let the user connect a service first.',
  },
  partner_suspended: {
    statuses: [403],
    meaning: 'The operator has suspended the partner.',
    fixedBy: 'operator',
    toDo: 'Ask the operator.',
  },
  issuer_taken: {
    statuses: [409],
    meaning: 'This identity issuer is approved for another partner.',
    fixedBy: 'operator',
    toDo: 'If it is yours, ask the operator to remove the other registration.',
  },
  facts_changed: {
    statuses: [409],
    meaning: 'The tool that was to be allowed has changed since.',
    toDo: 'Show what it does now, and ask again.',
  },
  account_required: {
    statuses: [409],
    meaning: 'The user has several accounts of the service, and the request names none.',
    toDo: 'Name one of those in `error_description` with `account`.',
  },
  channel_not_accepted: {
    statuses: [409],
    meaning: 'The operator does not accept approvals of calls from partners (`APPROVAL_CHANNELS`).',
    fixedBy: 'operator',
    toDo: 'Give the user a link to the own page, or ask the operator.',
  },
  not_decidable: {
    statuses: [409],
    meaning:
      'The call does not wait for approval any more, is another one than `digest` names, is not `complete`, or its grant or connection has ended.',
    toDo: 'Read the approval again, and show the user what it is now. One that is not `complete` is approved at its `page_url`.',
  },
  too_many_webhook_endpoints: {
    statuses: [409],
    meaning: 'The partner has as many webhook endpoints as it may have.',
    toDo: 'Remove one.',
  },
  too_many_requests: {
    statuses: [429],
    meaning: 'Over a [limit](../guides/limits.md) of the address, the partner or the service.',
    fixedBy: 'nobody',
    toDo: RETRY,
  },
  invalid_host: {
    statuses: [403],
    meaning: 'The `Host` of the request is not that of `PUBLIC_URL`.',
    fixedBy: 'operator',
    toDo: 'Use the public address. A proxy in front must pass `Host` on.',
  },
  invalid_origin: {
    statuses: [403],
    meaning: 'A web page of this origin may not call the gateway.',
    fixedBy: 'operator',
    toDo: 'Ask the operator to add the origin to `ALLOWED_ORIGINS`.',
  },
  temporarily_unavailable: {
    statuses: [400, 503],
    meaning:
      "The database cannot be reached, too many large requests are being read, or too many clients have just registered (503). At the token endpoint (400): the user's partner is suspended, or the refresh token was just used by a parallel request.",
    fixedBy: 'nobody',
    toDo: 'Keep the tokens, and try again: after `Retry-After` where there is one. After a parallel refresh, go on with the tokens that it got.',
  },
  server_error: {
    statuses: [500, 503],
    meaning:
      'A defect of the gateway; `error_description` has the request id. With 503: keys of a client or issuer cannot be fetched.',
    fixedBy: 'operator',
    toDo: 'Try again later. Tell the operator the request id.',
  },
});

/** `error` on the wire. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** HTTP statuses that a code comes with. */
export type StatusOf<Code extends ErrorCode> = (typeof ERROR_CODES)[Code]['statuses'][number];
