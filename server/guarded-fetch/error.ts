/** Why a guarded request gave nothing. */

/**
 * `url`: not https at its default port, or with a user. `address`: not on the public internet. `unresolvable`: no address.
 * `unreachable`: no connection, or no valid certificate. `busy`: too many requests, to this host or at all.
 * `media_type`: neither JSON nor without a content coding.
 */
export type GuardedFetchReason =
  | 'url'
  | 'address'
  | 'unresolvable'
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
 * that nobody can ask which names an internal network has; and so does a port that does not answer.
 */
const DESCRIPTIONS: Readonly<Record<GuardedFetchReason, string>> = {
  url: 'is not at an https address with the default port',
  address: 'could not be fetched from a public address',
  unresolvable: 'could not be fetched from a public address',
  unreachable: 'could not be fetched from a public address',
  timeout: 'did not arrive in time',
  redirect: 'was answered with a redirect, which is not followed',
  status: 'was not answered with status 200',
  too_large: 'is too large',
  media_type: 'is not served as JSON, without compression',
  not_json: 'is not valid JSON',
  busy: 'cannot be fetched at the moment, because too many others are',
};

/** A request that gave nothing usable. Message and description hold nothing of the address or the answer. */
export class GuardedFetchError extends Error {
  override readonly name = 'GuardedFetchError';
  readonly reason: GuardedFetchReason;

  constructor(reason: GuardedFetchReason, options?: ErrorOptions) {
    super(`guarded fetch refused (${reason})`, options);
    this.reason = reason;
  }

  /** Continues the sentence that begins with "The document". */
  get description(): string {
    return DESCRIPTIONS[this.reason];
  }
}
