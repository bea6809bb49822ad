/** Which requests may change the sandbox: those of its own page and of programs, not those of other sites' pages. */

const LOCAL_HOSTS: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * True without an `Origin`, which browsers send with every POST and DELETE, and for the origin that was asked if it is this
 * machine: a foreign host name that resolves to this machine would also be its own origin.
 *
 * @param headers lower-case names.
 */
export function isOwnRequest({ origin, host }: Readonly<Record<string, string>>): boolean {
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  return url.protocol === 'http:' && url.host === host && LOCAL_HOSTS.includes(url.hostname);
}
