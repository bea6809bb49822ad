/** Checks the registration of a client at an upstream, for the partner API and the command line. */

import { SettingError } from './setting-error.ts';

const MAX_LENGTH = 2048;

/** RFC 6749 appendix A.1 and A.2: printable ASCII. */
const PRINTABLE = /^[\x20-\x7e]+$/;

/** A registration as typed. */
export interface TypedUpstreamClient {
  readonly clientId: string;
  /** Null for a public client. */
  readonly clientSecret: string | null;
}

/** @throws {SettingError} for the first invalid setting. */
export function parseUpstreamClient(typed: TypedUpstreamClient): TypedUpstreamClient {
  const { clientId, clientSecret } = typed;
  if (!isUsable(clientId)) throw new SettingError<keyof TypedUpstreamClient>('clientId', PROBLEM);
  if (clientSecret !== null && !isUsable(clientSecret))
    throw new SettingError<keyof TypedUpstreamClient>('clientSecret', PROBLEM);
  return { clientId, clientSecret };
}

const PROBLEM = `must be 1 to ${MAX_LENGTH} characters of printable ASCII, without spaces around them`;

function isUsable(text: string): boolean {
  return text.length <= MAX_LENGTH && PRINTABLE.test(text) && text.trim() === text;
}
