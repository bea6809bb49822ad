/** Responses that clients do not download again if they have them (RFC 9110 §13.1.2). */

import { createHash } from 'node:crypto';
import type { GatewayContext } from '../http/state.ts';

/** A text that is the same for everyone, ready to be sent. */
export interface PublicText {
  readonly text: string;
  /** Media type. */
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A strong validator, including its quotes. */
  readonly etag: string;
}

/** Prepares a text that may be cached for five minutes. */
export function toPublicText(text: string, type: string, headers: Readonly<Record<string, string>> = {}): PublicText {
  const etag = `"${createHash('sha256').update(text, 'utf8').digest('base64url')}"`;
  return { text, type, headers: { ...headers, ETag: etag, 'Cache-Control': 'public, max-age=300' }, etag };
}

/** Answers with the text, or with 304 if the client has it. */
export function sendPublicText(ctx: GatewayContext, { text, type, headers, etag }: PublicText): void {
  ctx.set(headers);
  ctx.type = type;
  if (isKnown(ctx.get('If-None-Match'), etag)) ctx.status = 304;
  else ctx.body = text;
}

/**
 * Returns true if `If-None-Match` names the validator. The comparison is weak (RFC 9110 §8.8.3.2), whatever `Cache-Control` the request has: `fetch`
 * adds one to every conditional request.
 */
function isKnown(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
