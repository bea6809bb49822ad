/** Limits callers of the endpoints for machines: addresses by failed requests, partners by all requests. */

import { createLocalLimits, type Limits } from '../../limits/index.ts';
import type { AnonymousEventType } from '../../store/repositories/anonymous-events.ts';
import type { Executor } from '../../store/schema.ts';
import { RequestError } from '../errors.ts';
import { countUse, tooManyRequests } from '../rate-limit.ts';
import type { GatewayMiddleware } from '../state.ts';
import { createAddressLimiter } from './address-limiter.ts';
import { recordAnonymousEvent } from './anonymous-event.ts';

/** Limits per minute. */
interface CallerRates {
  /** Requests of one address that are refused, or have no effect. */
  readonly refusedPerMinute: number;
  /** Authenticated requests of one partner. */
  readonly partnerPerMinute: number;
}

/** The limits that all endpoints share. */
export interface CallerLimits {
  /**
   * Lets a request pass, before its body is read, unless its address sent too many failed ones. A successful request is not
   * counted: one address may belong to a partner, or to a host of clients, with any number of users.
   *
   * Refused credentials, codes and tokens are recorded as anonymous events.
   *
   * @throws {RequestError} `too_many_requests`, status 429.
   */
  readonly ofAddress: GatewayMiddleware;
  /** Counts a request that had no effect like a refused one, although its answer is a success. @throws {RequestError} status 429. */
  countRefused(address: string): Promise<void>;
  /** Counts a request of a partner. @param partnerId row id. @throws {RequestError} status 429. */
  countPartner(partnerId: string): Promise<void>;
}

const DEFAULT_CALLER_RATES: CallerRates = { refusedPerMinute: 600, partnerPerMinute: 6000 };

/** Refusals that are recorded by network. */
const RECORDED: Readonly<Record<string, AnonymousEventType>> = {
  invalid_client: 'credentials_refused',
  invalid_grant: 'grant_refused',
};

/** Statuses of refusals whose sender is known, and of requests that should be repeated. */
const NOT_COUNTED = [404, 409, 503];

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
    points: rates.refusedPerMinute,
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
        if (error instanceof RequestError && NOT_COUNTED.includes(error.status)) use.giveBack();
        throw error;
      }
      use.giveBack();
    },
    countRefused: (address) => countUse(addresses, address),
    countPartner: (partnerId) => countUse(partners, partnerId),
  };
}
