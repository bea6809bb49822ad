/** Bounds the callers of the endpoints for machines: addresses by what they send in vain, partners by what they send at all. */

import { createRateLimiter } from '../../rate-limiter.ts';
import type { AnonymousEventType } from '../../store/repositories/anonymous-events.ts';
import type { Executor } from '../../store/schema.ts';
import { RequestError } from '../errors.ts';
import { countUse } from '../rate-limit.ts';
import type { GatewayMiddleware } from '../state.ts';
import { createAddressLimiter } from './address-limiter.ts';
import { recordAnonymousEvent } from './anonymous-event.ts';

/** Per minute, on one gateway. */
export interface CallerRates {
  /** Requests of one address that end in a refusal, or do nothing. */
  readonly inVainPerMinute: number;
  /** Requests of one partner, after it has authenticated. */
  readonly partnerPerMinute: number;
}

/** One budget for all endpoints together. */
export interface CallerLimits {
  /**
   * Lets a request pass whose address did not send too many in vain, before its body is read. It is taken back when it ends well:
   * one address may be that of a partner, or of a host of clients, with any number of users.
   *
   * Refused credentials, codes and tokens are recorded as anonymous events.
   *
   * @throws {RequestError} `too_many_requests`, status 429.
   */
  readonly ofAddress: GatewayMiddleware;
  /** Counts a request that did nothing, although it is answered as if. @throws {RequestError} status 429. */
  countInVain(address: string): Promise<void>;
  /** Counts a request for the partner that sent it. @param partnerId row id. @throws {RequestError} status 429. */
  countPartner(partnerId: string): Promise<void>;
}

export const DEFAULT_CALLER_RATES: CallerRates = { inVainPerMinute: 600, partnerPerMinute: 6000 };

/** What of a refusal is worth counting by network. */
const RECORDED: Readonly<Record<string, AnonymousEventType>> = {
  invalid_client: 'credentials_refused',
  invalid_grant: 'grant_refused',
};

/** Refusals of requests whose sender is known, and of those that are to be sent again. */
const NOT_IN_VAIN = [404, 409, 503];

/** @param deps.now milliseconds since 1970. @param rates default: `DEFAULT_CALLER_RATES`. */
export function createCallerLimits(
  deps: { readonly db: Executor; readonly now: () => number },
  rates: CallerRates = DEFAULT_CALLER_RATES,
): CallerLimits {
  const addresses = createAddressLimiter({ points: rates.inVainPerMinute, durationSeconds: 60 });
  const partners = createRateLimiter({ points: rates.partnerPerMinute, durationSeconds: 60 });
  return {
    async ofAddress(ctx, next) {
      await countUse(addresses, ctx.ip);
      try {
        await next();
      } catch (error) {
        const type = error instanceof RequestError ? RECORDED[error.code] : undefined;
        if (type !== undefined) await recordAnonymousEvent(deps.db, { type, now: deps.now(), address: ctx.ip });
        if (error instanceof RequestError && NOT_IN_VAIN.includes(error.status)) await addresses.giveBack(ctx.ip);
        throw error;
      }
      await addresses.giveBack(ctx.ip);
    },
    countInVain: (address) => countUse(addresses, address),
    countPartner: (partnerId) => countUse(partners, partnerId),
  };
}
