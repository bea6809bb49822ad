/** Limits how often callers use a route: by key, by address, or by partner. */

import { createLocalLimits, type Limits } from '../limits/index.ts';
import type { ForgivingRateLimiter, RateLimiter, RateRule, Reservation } from '../limits/limiter.ts';
import { type AnonymousEventType, emitAnonymous } from '../store/events.ts';
import type { Executor } from '../store/schema.ts';
import { RequestError } from './errors.ts';
import { networkOf, siteOf } from './network.ts';
import type { GatewayContext, GatewayMiddleware } from './state.ts';

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
    name: 'refused',
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

/** Limit of a /48, as a multiple of a /64's: a company has many networks, but an attacker has 65,536. */
const NETWORKS_PER_SITE = 4;

/** Creates a limiter whose keys are IP addresses. @param create creates each of its two limiters. */
export function createAddressLimiter(
  create: (rule: RateRule) => ForgivingRateLimiter,
  rule: RateRule,
): ForgivingRateLimiter {
  const networks = create(rule);
  const sites = create({ ...rule, name: `${rule.name}-site`, points: rule.points * NETWORKS_PER_SITE });
  const reserve = async (address: string): Promise<Reservation> => {
    const site = siteOf(address);
    const network = networkOf(address);
    if (site === network) return networks.reserve(network);
    // The site first, so that a site over its limit adds no more networks to the counts.
    const ofSite = await sites.reserve(site);
    if (ofSite.waitSeconds !== null) return ofSite;
    const ofNetwork = await networks.reserve(network);
    if (ofNetwork.waitSeconds !== null) return ofNetwork;
    return {
      waitSeconds: null,
      giveBack() {
        ofSite.giveBack();
        ofNetwork.giveBack();
      },
    };
  };
  return { consume: async (address) => (await reserve(address)).waitSeconds, reserve };
}

/**
 * Counts an event by hour and network.
 *
 * It is for everything that a caller can cause without credentials, or repeatedly with the same ones: the cost of such events does not grow with
 * their number, they expire after days, and they are not part of the audit trail.
 *
 * @param event.now milliseconds since 1970.
 * @param event.address IP address of the request, or null if it has none.
 */
export async function recordAnonymousEvent(
  executor: Executor,
  event: { readonly type: AnonymousEventType; readonly now: number; readonly address: string | null },
): Promise<void> {
  const { type, now, address } = event;
  await emitAnonymous(executor, { type, now, network: address === null ? 'unknown' : siteOf(address) });
}

/**
 * Limits a route.
 *
 * @throws {RequestError} `too_many_requests`, status 429 with `Retry-After`.
 */
export function rateLimit(limiter: RateLimiter, keyOf: (ctx: GatewayContext) => string): GatewayMiddleware {
  return async (ctx, next) => {
    await countUse(limiter, keyOf(ctx as GatewayContext));
    await next();
  };
}

/** Counts one use. @throws {RequestError} `too_many_requests`, status 429 with `Retry-After`, when the limit is exceeded. */
export async function countUse(limiter: RateLimiter, key: string): Promise<void> {
  const waitSeconds = await limiter.consume(key);
  if (waitSeconds !== null) throw tooManyRequests(waitSeconds);
}

/** The refusal: status 429 with `Retry-After`. */
export function tooManyRequests(waitSeconds: number): RequestError {
  return new RequestError(429, 'too_many_requests', `Too many requests. Try again in ${waitSeconds} seconds.`, {
    headers: { 'Retry-After': String(waitSeconds) },
  });
}
