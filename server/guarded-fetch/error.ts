/** Why a guarded request gave nothing. */

/**
 * `url`: not https at its default port, or with a user. `address`: not on the public internet, as far as can be said.
 * `unresolvable`: no address. `proxy`: the way out through the proxy fails.
 * `unreachable`: no connection, or no valid certificate. `busy`: too many requests, to this host or at all.
 * `media_type`: neither JSON nor without a content coding.
 */
export type GuardedFetchReason =
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
 * For people outside, after "The document". A name that does not resolve and one of an internal address get the same text, so
 * that no one can ask which names an internal network has; and so does a port that does not answer.
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
  /** Default: where there is a detail. */
  readonly isOfGateway?: boolean;
}

/** A request that gave nothing usable. Message and description hold nothing of the address or the answer. */
export class GuardedFetchError extends Error {
  override readonly name = 'GuardedFetchError';
  readonly reason: GuardedFetchReason;
  /** What the operator can do, for the log; null: nothing is known. */
  readonly detail: string | null;
  /** Whether the other side has no part in it. */
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
