/** Why a guarded request failed. */

/**
 * `url`: not https at its default port, or with a user. `address`: not on the public internet, as far as the gateway
 * can tell. `unresolvable`: no address. `proxy`: the proxy could not be used. `unreachable`: no connection, or no valid
 * certificate. `busy`: too many requests, to this host or at all. `media_type`: not JSON, or with a content coding.
 */
type GuardedFetchReason =
  | 'url'
  | 'address'
  | 'unresolvable'
  | 'proxy'
  | 'unreachable'
  | 'timeout'
  | 'redirect'
  | 'status'
  | 'too_large'
  | 'media_type'
  | 'not_json'
  | 'busy';

/**
 * Reasons for external callers, after "The document". A name that does not resolve, a name of an internal address and a port that does not answer get
 * the same text, so that a caller cannot probe an internal network.
 */
const DESCRIPTIONS: Readonly<Record<GuardedFetchReason, string>> = {
  url: 'is not at an https address with the default port',
  address: 'could not be fetched from a public address',
  unresolvable: 'could not be fetched from a public address',
  proxy: 'could not be fetched from a public address',
  unreachable: 'could not be fetched from a public address',
  timeout: 'did not arrive in time',
  redirect: 'was answered with a redirect, which is not followed',
  status: 'was not answered with status 200',
  too_large: 'is too large',
  media_type: 'is not served as JSON, without compression',
  not_json: 'is not valid JSON',
  busy: 'cannot be fetched now, because too many others are being fetched',
};

interface GuardedFetchFacts extends ErrorOptions {
  readonly detail?: string;
  /** Default: true when there is a detail. */
  readonly isOfGateway?: boolean;
}

/** A request without a usable response. Message and description repeat nothing of the address or the response. */
export class GuardedFetchError extends Error {
  override readonly name = 'GuardedFetchError';
  readonly reason: GuardedFetchReason;
  /** The way out for the operator, for the log, or null if it is unknown. */
  readonly detail: string | null;
  /** True if the cause is the gateway's own network or proxy, not the other server. */
  readonly isOfGateway: boolean;

  constructor(
    reason: GuardedFetchReason,
    { detail, isOfGateway = detail !== undefined, ...options }: GuardedFetchFacts = {},
  ) {
    super(`guarded fetch refused (${detail ?? reason})`, options);
    this.reason = reason;
    this.detail = detail ?? null;
    this.isOfGateway = isOfGateway;
  }

  /** Continues the sentence that begins with "The document". */
  get description(): string {
    return DESCRIPTIONS[this.reason];
  }
}
