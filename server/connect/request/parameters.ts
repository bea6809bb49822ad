/** Reads the parameters of a connect request, and defines its refusal. */

/**
 * The only value of a parameter.
 *
 * @returns null when it is missing, empty or repeated.
 */
export function readParameter(parameters: URLSearchParams, name: string): string | null {
  const values = parameters.getAll(name);
  return values.length === 1 && values[0] !== undefined && values[0] !== '' ? values[0] : null;
}

/** A connect request that is refused after partner and redirect URI were verified: the partner receives the refusal. */
export class ConnectRefusal extends Error {
  override readonly name = 'ConnectRefusal';
  /** `error` of the answer, as in RFC 6749 §4.1.2.1. */
  readonly error: 'invalid_request' | 'unauthorized_client';
  /** `error_description` of the answer: ASCII. */
  readonly description: string;

  constructor(error: ConnectRefusal['error'], description: string) {
    super(`${error}: ${description}`);
    this.error = error;
    this.description = description;
  }
}
