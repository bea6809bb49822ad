/** Verifies that a call comes from the service: an HMAC over the raw body, in constant time, before anything in it is read. */

import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { HmacSignature, ServiceEvents } from '../../../contract/index.ts';
import { keyOfSecret } from '../delivery/send.ts';

/** A call with its raw body. */
export interface SignedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Longest difference between the time of a call and now (Standard Webhooks 1.0). */
const TOLERANCE_MS = 300_000;

/** Maximum of signatures of one header that are tried. */
const MAX_SIGNATURES = 10;

const MIN_SECRET_CHARS = 8;

/** Returns why a secret cannot sign, as a clause, or null if it can. A key that anyone can guess would let anyone call. */
export function secretProblem(rule: ServiceEvents['signature'], secret: string): string | null {
  if (rule !== 'standard-webhooks') {
    return secret.trim().length < MIN_SECRET_CHARS
      ? 'must have at least 8 characters, not counting spaces at its ends'
      : null;
  }
  return keyOfSecret(secret) === undefined
    ? 'must be whsec_ and 24 to 64 bytes in base64, as the service shows it'
    : null;
}

/**
 * Verifies the signature of a call.
 *
 * @param secret as the service shows it.
 * @param now milliseconds since 1970.
 * @returns the id of the signed text: `webhook-id`, or a hash. Null if the signature is missing or wrong, or its time is too far from now.
 */
export function verifySignature(
  rule: ServiceEvents['signature'],
  secret: string,
  request: SignedRequest,
  now: number,
): string | null {
  const { key, signatures, timestamp, signedText, id, encoding } =
    rule === 'standard-webhooks' ? readStandard(secret, request) : readHmac(rule, secret, request);
  if (secretProblem(rule, secret) !== null) return null;
  if (timestamp !== null && !(Math.abs(timestamp - now) <= TOLERANCE_MS)) return null;
  const expected = createHmac('sha256', key).update(signedText).digest();
  const isSigned = signatures.slice(0, MAX_SIGNATURES).some((text) => {
    const bytes = Buffer.from(text, encoding);
    return bytes.length === expected.length && timingSafeEqual(bytes, expected);
  });
  return isSigned ? (id ?? hash('sha256', signedText, 'base64url')) : null;
}

interface Signature {
  readonly key: Buffer;
  /** Signatures of the header. A single match is enough. */
  readonly signatures: readonly string[];
  /** Milliseconds since 1970. NaN if the time is missing, and null if the rule has no time. */
  readonly timestamp: number | null;
  readonly signedText: Buffer;
  /** Id of the call. By default, the call has no id. */
  readonly id?: string;
  readonly encoding: 'hex' | 'base64';
}

function readStandard(secret: string, { headers, body }: SignedRequest): Signature {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  return {
    key: keyOfSecret(secret) ?? Buffer.alloc(0),
    signatures: withoutPrefix(headerOf(headers, 'webhook-signature').split(/\s+/), 'v1,'),
    timestamp: id === '' ? Number.NaN : toTime(timestamp),
    signedText: Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]),
    id,
    encoding: 'base64',
  };
}

function readHmac(rule: HmacSignature, secret: string, { headers, body }: SignedRequest): Signature {
  const { header, prefix = '', timestampHeader, timestampPrefix, signed, encoding } = rule;
  const values = headerOf(headers, header).split(/[,\s]+/);
  let timestamp: string | undefined;
  if (timestampHeader !== undefined) timestamp = headerOf(headers, timestampHeader);
  else if (timestampPrefix !== undefined) timestamp = withoutPrefix(values, timestampPrefix)[0] ?? '';
  const [before = '', ...after] = signed.replaceAll('{timestamp}', () => timestamp ?? '').split('{body}');
  return {
    key: Buffer.from(secret),
    signatures: withoutPrefix(values, prefix),
    timestamp: timestamp === undefined ? null : toTime(timestamp),
    signedText: Buffer.concat([Buffer.from(before), body, Buffer.from(after.join('{body}'))]),
    encoding,
  };
}

/** Returns the values that have a prefix, without it. */
function withoutPrefix(values: readonly string[], prefix: string): string[] {
  return values.filter((value) => value.startsWith(prefix)).map((value) => value.slice(prefix.length));
}

/** Returns the value of a header; empty if it is missing or repeated in a list. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name.toLowerCase()];
  return typeof value === 'string' ? value : '';
}

/** Reads seconds since 1970, a date-time or an HTTP date as milliseconds since 1970. Returns NaN for anything else. */
export function toTime(text: string): number {
  if (/^\d{1,12}(?:\.\d+)?$/.test(text)) return Math.floor(Number(text) * 1000);
  return Date.parse(text);
}
