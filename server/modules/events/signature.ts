/** Verifies that a call comes from the service: an HMAC over the raw body, in constant time, before anything in it is read. */

import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { HmacSignature, ServiceEvents } from '../../contract/index.ts';

interface Call {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Standard Webhooks 1.0: what is older or newer is refused. */
const TOLERANCE_MS = 300_000;

/** The signatures of one header that are tried. */
const MAX_SIGNATURES = 10;

/** Standard Webhooks 1.0: the letters of a secret after its prefix, and its bytes. */
const STANDARD_SECRET = /^(?:whsec_)?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?)$/;
const STANDARD_BYTES = { min: 24, max: 64 };
const MIN_SECRET_CHARS = 8;

/** Why a secret cannot sign, as a clause; null: it can. A key that anyone can guess would let anyone call. */
export function secretProblem(rule: ServiceEvents['signature'], secret: string): string | null {
  if (rule !== 'standard-webhooks') {
    return secret.trim().length < MIN_SECRET_CHARS
      ? 'must have at least 8 characters besides spaces at its ends'
      : null;
  }
  const bytes = Buffer.from(STANDARD_SECRET.exec(secret)?.[1] ?? '', 'base64').length;
  const isLongEnough = bytes >= STANDARD_BYTES.min && bytes <= STANDARD_BYTES.max;
  return isLongEnough ? null : 'must be whsec_ and 24 to 64 bytes in base64, as the service shows it';
}

/**
 * Verifies a call of a service.
 *
 * @param secret as the service shows it. @param now milliseconds since 1970.
 * @returns the id of what was signed: `webhook-id`, or a hash; null: the signature is missing, wrong, or of another time.
 */
export function verifyCall(rule: ServiceEvents['signature'], secret: string, call: Call, now: number): string | null {
  const { key, given, timestamp, signed, id, encoding } =
    rule === 'standard-webhooks' ? readStandard(secret, call) : readHmac(rule, secret, call);
  if (secretProblem(rule, secret) !== null) return null;
  if (timestamp !== null && !(Math.abs(timestamp - now) <= TOLERANCE_MS)) return null;
  const expected = createHmac('sha256', key).update(signed).digest();
  const isRight = given.slice(0, MAX_SIGNATURES).some((text) => {
    const bytes = Buffer.from(text, encoding);
    return bytes.length === expected.length && timingSafeEqual(bytes, expected);
  });
  return isRight ? (id ?? hash('sha256', signed, 'base64url')) : null;
}

interface Signed {
  readonly key: Buffer;
  readonly given: readonly string[];
  /** Milliseconds since 1970; NaN: it is missing; null: the rule has none. */
  readonly timestamp: number | null;
  readonly signed: Buffer;
  readonly id?: string;
  readonly encoding: 'hex' | 'base64';
}

function readStandard(secret: string, { headers, body }: Call): Signed {
  const [id, timestamp] = [headerOf(headers, 'webhook-id'), headerOf(headers, 'webhook-timestamp')];
  return {
    key: Buffer.from(secret.replace(/^whsec_/, ''), 'base64'),
    given: withPrefix(headerOf(headers, 'webhook-signature').split(/\s+/), 'v1,'),
    timestamp: id === '' ? Number.NaN : toTime(timestamp),
    signed: Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]),
    id,
    encoding: 'base64',
  };
}

function readHmac(rule: HmacSignature, secret: string, { headers, body }: Call): Signed {
  const { header, prefix = '', timestampHeader, timestampPrefix, signed, encoding } = rule;
  const parts = headerOf(headers, header).split(/[,\s]+/);
  const [ofHeader, ofPart] = [timestampHeader, timestampPrefix].map((place) => place !== undefined);
  const timestamp = ofHeader ? headerOf(headers, timestampHeader ?? '') : withPrefix(parts, timestampPrefix ?? '')[0];
  const [before = '', ...after] = signed.replaceAll('{timestamp}', () => timestamp ?? '').split('{body}');
  return {
    key: Buffer.from(secret),
    given: withPrefix(parts, prefix),
    timestamp: ofHeader || ofPart ? toTime(timestamp ?? '') : null,
    signed: Buffer.concat([Buffer.from(before), body, Buffer.from(after.join('{body}'))]),
    encoding,
  };
}

function withPrefix(parts: readonly string[], prefix: string): string[] {
  return parts.filter((part) => part.startsWith(prefix)).map((part) => part.slice(prefix.length));
}

/** The value of a header; empty if it is missing or repeated in a list. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name.toLowerCase()];
  return typeof value === 'string' ? value : '';
}

/** Seconds since 1970, a date-time or an HTTP date, in milliseconds since 1970; NaN for anything else. */
export function toTime(text: string): number {
  if (/^\d{1,12}(?:\.\d+)?$/.test(text)) return Math.floor(Number(text) * 1000);
  return Date.parse(text);
}
