/** An error response of an authorization server. */

import { type PlainAnswer, toJsonAnswer } from '../plain-answer.ts';

/** RFC 6749 §4.1.2.1 and §5.2. */
export class OAuthProblem extends Error {
  override readonly name = 'OAuthProblem';
  readonly code: string;
  readonly status: number;

  constructor(code: string, description: string, status = 400) {
    super(description);
    this.code = code;
    this.status = status;
  }
}

/** RFC 6749 §5.2. */
export function toProblemAnswer({ code, message, status }: OAuthProblem): PlainAnswer {
  const challenge = status === 401 ? { 'www-authenticate': 'Basic realm="sandbox"' } : {};
  return toJsonAnswer(
    status,
    { error: code, error_description: message },
    { 'cache-control': 'no-store', ...challenge },
  );
}
