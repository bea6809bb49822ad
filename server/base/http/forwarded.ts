/** Reads where a request came from, with the help of trusted proxies. */

import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Logger } from 'pino';
import { createNetworkCheck, parseNetworks } from '../guarded-fetch/networks.ts';

/** Returns the client's address of a request. */
export type AddressReader = (request: IncomingMessage) => string;

/** Headers that proxies add. Only the first one is ever trusted. */
export const FORWARDED_HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'x-forwarded-host', 'x-forwarded-proto'];

/**
 * Reads which proxies are trusted: addresses and CIDR ranges, separated by commas; `none` or `0` for no proxy.
 *
 * @throws {Error} with a message that completes a sentence after the setting's name.
 */
export function parseTrustedProxies(text: string): string[] {
  try {
    return text === '0' ? [] : parseNetworks(text);
  } catch (cause) {
    const problem =
      'must be none, or the addresses or CIDR ranges of proxies, separated by commas; a number of proxies is not enough';
    throw new Error(problem, { cause });
  }
}

/**
 * Reads client addresses from `X-Forwarded-For`, last entry first: a trusted proxy vouches for the address that it added, so the
 * first address that is no trusted proxy is the client's. The header is ignored unless the socket belongs to a trusted proxy;
 * the log reports that once.
 *
 * @param trustedProxies as `parseTrustedProxies` returns them.
 */
export function createAddressReader(trustedProxies: readonly string[], log: Logger): AddressReader {
  const isTrusted = createNetworkCheck(trustedProxies);
  let isReported = false;
  const reportOnce = ({ headers }: IncomingMessage, peer: string): void => {
    const header = isReported ? undefined : FORWARDED_HEADERS.find((name) => headers[name] !== undefined);
    if (header === undefined) return;
    isReported = true;
    log.warn(
      { peer, header },
      'a forwarded header is ignored, because TRUST_PROXY does not name its sender: if that is a proxy of yours, add its address there',
    );
  };
  return (request) => {
    const peer = toAddress(request.socket.remoteAddress) ?? '';
    if (trustedProxies.length === 0 || !isTrusted(peer)) {
      reportOnce(request, peer);
      return peer;
    }
    const hops = String(request.headers['x-forwarded-for'] ?? '').split(',');
    let client = peer;
    while (isTrusted(client)) {
      const before = toAddress(hops.pop());
      if (before === null) break;
      client = before;
    }
    return client;
  };
}

/** An address without port, brackets, zone, and the prefix of IPv4 in IPv6; null for any other text. */
function toAddress(text: string | undefined): string | null {
  const [, inBrackets, ipv4] = /^(?:\[([^\]]*)\](?::\d+)?|(\d+(?:\.\d+){3}):\d+)$/.exec(text?.trim() ?? '') ?? [];
  const address = (inBrackets ?? ipv4 ?? text?.trim() ?? '').replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '');
  return isIP(address) === 0 ? null : address;
}
