/** The target of a request as everything behind it reads it: a path with its query. */

/**
 * Puts a target into origin-form. One in absolute-form must be taken too (RFC 9112 §3.2.2); libraries throw on some of those.
 *
 * @returns null for one that no HTTP request to a gateway has.
 */
export function toOriginForm(target: string): string | null {
  if (target.startsWith('/') || target === '*') return target;
  const url = URL.canParse(target) ? new URL(target) : null;
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.pathname + url.search : null;
}
