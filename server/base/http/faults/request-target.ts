/** Normalises the target of a request to a path with its query. */

/**
 * Converts a target to origin-form. Absolute-form must be accepted too (RFC 9112 §3.2.2); libraries throw on some of those.
 *
 * @returns null for a target that no HTTP request to a gateway has.
 */
export function toOriginForm(target: string): string | null {
  if (target.startsWith('/') || target === '*') return target;
  const url = URL.canParse(target) ? new URL(target) : null;
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.pathname + url.search : null;
}
