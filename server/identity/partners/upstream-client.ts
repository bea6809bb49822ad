/** Checks the registration of a client at an upstream, for the partner API and the command line. */

const MAX_LENGTH = 2048;

/** RFC 6749 appendix A.1 and A.2: printable ASCII. */
const PRINTABLE = /^[\x20-\x7e]+$/;

/** A registration as typed. */
export interface TypedUpstreamClient {
  readonly clientId: string;
  /** Null: a public client. */
  readonly clientSecret: string | null;
}

/** A registration is invalid. */
export class UpstreamClientError extends Error {
  override readonly name = 'UpstreamClientError';
  readonly setting: keyof TypedUpstreamClient;
  /** Continues the sentence that begins with the setting's name. */
  readonly problem: string;

  constructor(setting: keyof TypedUpstreamClient, problem: string) {
    super(`${setting} ${problem}.`);
    this.setting = setting;
    this.problem = problem;
  }
}

/** @throws {UpstreamClientError} for the first invalid setting. */
export function parseUpstreamClient(typed: TypedUpstreamClient): TypedUpstreamClient {
  const { clientId, clientSecret } = typed;
  if (!isUsable(clientId)) throw new UpstreamClientError('clientId', PROBLEM);
  if (clientSecret !== null && !isUsable(clientSecret)) throw new UpstreamClientError('clientSecret', PROBLEM);
  return { clientId, clientSecret };
}

const PROBLEM = `must be 1 to ${MAX_LENGTH} characters of printable ASCII, without spaces around them`;

function isUsable(text: string): boolean {
  return text.length <= MAX_LENGTH && PRINTABLE.test(text) && text.trim() === text;
}
