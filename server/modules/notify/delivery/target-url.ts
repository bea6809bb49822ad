/** The address of a webhook that an external party names. */

import { mayReach } from '../../../base/guarded-fetch/networks.ts';
import { isLoopbackHostname } from '../../../base/http/loopback.ts';

const MAX_URL_LENGTH = 1000;

/** Ports of addresses outside the networks that the operator allowed; empty is the port of https. */
const PUBLIC_PORTS = ['', '8443'];

/**
 * Reads an address: https, or http to this machine when the gateway may reach it. What a name resolves to is checked on every
 * delivery.
 *
 * @returns the address, or its problem as the rest of a sentence.
 */
export function readTargetUrl(
  text: string,
  networks: readonly string[],
): { readonly url: string } | { readonly problem: string } {
  const url = text.length <= MAX_URL_LENGTH ? URL.parse(text) : null;
  const isSecure = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHostname(url.hostname));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are refused
  if (url === null || !isSecure || url.username !== '' || url.password !== '' || /[\u0000-\u001f\u007f]/.test(text)) {
    return { problem: 'must be an https URL without a user.' };
  }
  if (url.hash !== '') return { problem: 'must have no fragment.' };
  const isPublic = mayReach(url.hostname, []);
  if (isPublic && !PUBLIC_PORTS.includes(url.port)) return { problem: 'must have the port 443 or 8443.' };
  if (isPublic || mayReach(url.hostname, networks)) return { url: url.href };
  return { problem: 'is an address that this gateway sends nothing to: it must be on the public internet.' };
}
