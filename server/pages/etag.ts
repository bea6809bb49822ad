/** Answers that are not sent again to those who have them (RFC 9110 §13.1.2). */

import { createHash } from 'node:crypto';

/** A strong validator of a text, in its quotes. */
export function etagOf(text: string): string {
  return `"${createHash('sha256').update(text, 'utf8').digest('base64url')}"`;
}

/**
 * Whether `If-None-Match` names the validator.
 *
 * Weak comparison (RFC 9110 §8.8.3.2), whatever `Cache-Control` the request has: `fetch` adds one to every conditional request.
 */
export function isKnown(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
