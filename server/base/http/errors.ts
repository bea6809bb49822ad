/** Refusals that HTTP clients and partners receive. */

import type { ErrorCode, StatusOf } from './error-codes.ts';

/** A request that the gateway refuses. Its texts are sent to the caller, so they hold no secret and no internal detail. */
export class RequestError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name: string = 'RequestError';
  /** HTTP status, 400 to 599. */
  readonly status: StatusOf<Code>;
  /** Machine-readable code (`error` on the wire). */
  readonly code: Code;
  /** One sentence for a person (`error_description` on the wire). */
  readonly description: string;
  /** Headers of the answer. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: StatusOf<Code>,
    code: Code,
    description: string,
    options: { headers?: Readonly<Record<string, string>>; cause?: unknown } = {},
  ) {
    super(`${code}: ${description}`, 'cause' in options ? { cause: options.cause } : undefined);
    this.status = status;
    this.code = code;
    this.description = description;
    this.headers = options.headers ?? {};
  }

  /** The JSON body, in the shape of RFC 6749 §5.2. */
  toBody(): { error: string; error_description: string } {
    return { error: this.code, error_description: this.description };
  }
}
