/** Signs a message as Standard Webhooks 1.0 says, sends it once, and reads the response. */

import { createHmac, randomBytes } from 'node:crypto';
import type { Dispatcher } from 'undici';
import { GuardedFetchError } from '../../../base/guarded-fetch/index.ts';

/** Reason for no answer. `secret_unreadable`: the key that sealed the secret is missing. `event_gone`: the event is no longer stored. */
export type DeliveryProblem = 'timeout' | 'unreachable' | 'address_not_allowed' | 'secret_unreadable' | 'event_gone';

/** The answer to a message, or the reason for none. */
export interface Answer {
  /** HTTP status; null without an answer. */
  readonly status: number | null;
  /** Null with an answer. */
  readonly problem: DeliveryProblem | null;
  readonly durationMs: number;
  /** The beginning of the body. Undefined unless the message has `readsBody`. */
  readonly body?: string;
}

/** A message to a subscriber. */
export interface Message {
  /** The same for every attempt. */
  readonly id: string;
  readonly url: string;
  /** JSON. */
  readonly body: string;
  /** Each signs; during a rotation there are two. */
  readonly secrets: readonly string[];
  /** Headers in addition to those of the signature. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** True if the body of the answer is wanted. Default: false. */
  readonly readsBody?: boolean;
}

interface SendOptions {
  readonly dispatcher: Dispatcher;
  readonly userAgent: string;
  /** Time of the attempt, in milliseconds since 1970. */
  readonly now: number;
  /** Aborts the attempt. */
  readonly signal: AbortSignal;
  /** Default: 15 s. */
  readonly timeoutMs?: number | undefined;
}

/** Beginning of every secret. */
export const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** Standard Webhooks 1.0, "Signature scheme": bytes of a secret. */
const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** Longest time from the connection to the end of the answer. */
const TIMEOUT_MS = 15_000;

/** Most of an answer that is read. A body that is not used is read too, so that the connection can be reused. */
const MAX_ANSWER_BYTES = 16_384;

/** Creates a secret, such as `whsec_...`. */
export function createWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** Returns the key of a secret, with or without its prefix; undefined if it is not of 24 to 64 bytes in base64. */
export function keyOfSecret(secret: string): Buffer | undefined {
  const text = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;
  const key = Buffer.from(BASE64.test(text) ? text : '', 'base64');
  return key.length >= MIN_SECRET_BYTES && key.length <= MAX_SECRET_BYTES ? key : undefined;
}

/**
 * Sends the message and waits for the status. A redirect is not followed, and counts like any other status.
 *
 * @throws the reason of `signal`.
 */
export async function sendSigned(message: Message, options: SendOptions): Promise<Answer> {
  const { origin, pathname, search } = new URL(message.url);
  const timeout = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
  const started = performance.now();
  const durationMs = () => Math.round(performance.now() - started);
  const signed = signatureHeaders(message, options.now);
  try {
    const { statusCode, body } = await options.dispatcher.request({
      origin,
      path: pathname + search,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': options.userAgent, ...message.headers, ...signed },
      body: message.body,
      signal: AbortSignal.any([timeout, options.signal]),
    });
    if (message.readsBody === true) {
      const text = await readBeginning(body);
      return { status: statusCode, problem: null, durationMs: durationMs(), body: text };
    }
    await body.dump({ limit: MAX_ANSWER_BYTES, signal: timeout }).catch(() => {});
    return { status: statusCode, problem: null, durationMs: durationMs() };
  } catch (error) {
    options.signal.throwIfAborted();
    return { status: null, problem: timeout.aborted ? 'timeout' : problemOf(error), durationMs: durationMs() };
  }
}

async function readBeginning(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function problemOf(error: unknown): DeliveryProblem {
  return error instanceof GuardedFetchError && error.reason === 'address' ? 'address_not_allowed' : 'unreachable';
}

/** Returns the headers that authenticate a message: one signature per secret, separated by spaces. */
function signatureHeaders({ id, body, secrets }: Message, now: number): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const sign = (secret: string): string => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  };
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': secrets.map(sign).join(' ') };
}
