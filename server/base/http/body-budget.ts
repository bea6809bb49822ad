/** The memory that the bodies of requests may take at once, in this process, by partner and by user. */

import type { IncomingMessage } from 'node:http';
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { RequestError } from './errors.ts';

/** Whom the body of a request counts for. */
export interface BodySender {
  readonly budget: BodyBudget;
  /** Row id; empty for a request whose sender is not authenticated before its body is read. */
  readonly partner: string;
  /** Row id, or the network of the address. */
  readonly user: string;
  /** Bytes that count now. */
  held: number;
}

/** The senders of requests that are being answered. Bodies of other requests do not count. */
export const BODY_SENDERS = new WeakMap<IncomingMessage, BodySender>();

/** Shares of the budget: one partner leaves half of it to others, and so do requests without credentials. */
const PARTNER_SHARE = 1 / 2;
const USER_SHARE = 1 / 8;
/** A body takes about three times its bytes while its tool is called, and the rest of the gateway needs room, too. */
const SHARE_OF_MEMORY = 1 / 8;
const RETRY_AFTER_SECONDS = 2;

/** Counts the bytes of bodies from when they arrive until their requests are answered and their calls have ended. */
export class BodyBudget {
  #bytes: number;
  readonly #bytesByKey = new Map<string, number>();

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Divides it among so many processes. */
  divide(processes: number): void {
    this.#bytes /= processes;
  }

  /**
   * Counts bytes that have arrived.
   *
   * @param atLeast bytes that a sender may always hold: those of one request.
   * @throws {RequestError} `temporarily_unavailable`, status 503 with `Retry-After`, when a share would be exceeded.
   */
  take(sender: BodySender, bytes: number, atLeast: number): void {
    const shares = toShares(sender);
    for (const [key, share] of shares) {
      const maxBytes = Math.max(share * this.#bytes, atLeast);
      if ((this.#bytesByKey.get(key) ?? 0) + bytes > maxBytes) throw overloaded();
    }
    for (const [key] of shares) this.#bytesByKey.set(key, (this.#bytesByKey.get(key) ?? 0) + bytes);
    sender.held += bytes;
  }

  /** Gives back all bytes of a request. */
  giveBack(sender: BodySender): void {
    for (const [key] of toShares(sender)) {
      const remainingBytes = (this.#bytesByKey.get(key) ?? 0) - sender.held;
      if (remainingBytes > 0) this.#bytesByKey.set(key, remainingBytes);
      else this.#bytesByKey.delete(key);
    }
    sender.held = 0;
  }
}

/** The budget of this process. Unless it is told otherwise, V8 uses at most half of a container's memory as its heap. */
export const PROCESS_BODIES = new BodyBudget(
  SHARE_OF_MEMORY *
    Math.min(process.constrainedMemory() || totalmem(), totalmem(), 2 * getHeapStatistics().heap_size_limit),
);

function toShares({ partner, user }: BodySender): readonly (readonly [key: string, share: number])[] {
  return [
    ['process', 1],
    [`partner ${partner}`, PARTNER_SHARE],
    [`user ${partner} ${user}`, USER_SHARE],
  ];
}

function overloaded(): RequestError {
  const description = `Too many large requests are being read at once. Try again in ${RETRY_AFTER_SECONDS} seconds.`;
  const headers = { 'Retry-After': String(RETRY_AFTER_SECONDS), 'Cache-Control': 'no-store' };
  return new RequestError(503, 'temporarily_unavailable', description, { headers });
}
