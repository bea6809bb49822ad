/** Bounds the callers of the endpoints for machines: addresses by their failed requests, partners by all of theirs. */

import { createLocalLimits, type Limits } from '../../limits/index.ts';
import type { AnonymousEventType } from '../../store/repositories/anonymous-events.ts';
import type { Executor } from '../../store/schema.ts';
import { RequestError } from '../errors.ts';
import { countUse, tooManyRequests } from '../rate-limit.ts';
import type { GatewayMiddleware } from '../state.ts';
import { createAddressLimiter } from './address-limiter.ts';
import { recordAnonymousEvent } from './anonymous-event.ts';

/** Per minute. */
export interface CallerRates {
  /** Requests of one address that end in a refusal, or do nothing. */
  readonly inVainPerMinute: number;
  /** Requests of one partner, after it has authenticated. */
  readonly partnerPerMinute: number;
}

/** One budget for all endpoints together. */
export interface CallerLimits {
  /**
   * Lets a request pass whose address did not send too many failed ones, before its body is read. Success takes it off the count:
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

/**
 * @param deps.now milliseconds since 1970. @param deps.limits default: those of this process. @param rates default:
 * `DEFAULT_CALLER_RATES`.
 */
export function createCallerLimits(
  deps: { readonly db: Executor; readonly now: () => number; readonly limits?: Limits },
  rates: CallerRates = DEFAULT_CALLER_RATES,
): CallerLimits {
  const { limits = createLocalLimits() } = deps;
  const addresses = createAddressLimiter(limits.exact, {
    name: 'in-vain',
    points: rates.inVainPerMinute,
    durationSeconds: 60,
  });
  const partners = limits.reconciled({ name: 'partner', points: rates.partnerPerMinute, durationSeconds: 60 });
  return {
    async ofAddress(ctx, next) {
      const use = await addresses.reserve(ctx.ip);
      if (use.waitSeconds !== null) throw tooManyRequests(use.waitSeconds);
      try {
        await next();
      } catch (error) {
        const type = error instanceof RequestError ? RECORDED[error.code] : undefined;
        if (type !== undefined) await recordAnonymousEvent(deps.db, { type, now: deps.now(), address: ctx.ip });
        if (error instanceof RequestError && NOT_IN_VAIN.includes(error.status)) use.giveBack();
        throw error;
      }
      use.giveBack();
    },
    countInVain: (address) => countUse(addresses, address),
    countPartner: (partnerId) => countUse(partners, partnerId),
  };
}
