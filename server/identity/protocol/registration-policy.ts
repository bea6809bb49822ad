/** Decides which clients may register: all, those of listed redirect hosts, or none. */

import { isLoopbackRedirectUri } from './redirect-uri.ts';

/** `open`, `off`, or the hosts and schemes that redirect URIs may have, lower case: `app.example.com`, `localhost`, `cursor:`. */
export type RegistrationPolicy = 'open' | 'off' | readonly string[];

const HOST = /^(?:localhost|(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)$/;
const SCHEME = /^[a-z][a-z0-9+.-]{1,63}:$/;

/** Reads `open`, `off`, or hosts and schemes separated by commas. @throws {Error} what is wrong, to follow the setting's name. */
export function parseRegistrationPolicy(text: string): RegistrationPolicy {
  const entries = text.split(',').map((entry) => entry.trim().toLowerCase());
  const [first, ...others] = entries;
  if ((first === 'open' || first === 'off') && others.length === 0) return first;
  const wrong = entries.find((entry) => !HOST.test(entry) && !SCHEME.test(entry));
  if (wrong === undefined && !entries.includes('open') && !entries.includes('off')) return entries;
  throw new Error('must be open, off, or hosts of redirect URIs separated by commas, without port and path');
}

/**
 * Returns true if a client may register this redirect URI. A host is compared exactly, without its port; `localhost` means this machine under any of
 * its names.
 *
 * @param uri well-formed (see `checkRegistrableRedirectUri`).
 */
export function mayRegister(policy: RegistrationPolicy, uri: string): boolean {
  if (policy === 'open' || policy === 'off') return policy === 'open';
  if (isLoopbackRedirectUri(uri)) return policy.includes('localhost');
  const { protocol, hostname } = new URL(uri);
  return policy.includes(protocol === 'https:' ? hostname : protocol);
}
