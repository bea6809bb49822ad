/** Counts uses per address: per IPv4 address or IPv6 /64, and per IPv6 /48 as well. */

import { createRateLimiter, type ForgivingRateLimiter } from '../../rate-limiter.ts';
import { networkOf, siteOf } from '../network.ts';

/** What a /48 may do, in what a /64 may: a company has many networks, and an attacker 65,536. */
const NETWORKS_PER_SITE = 4;

/** Creates a limiter whose keys are IP addresses. */
export function createAddressLimiter(options: { points: number; durationSeconds: number }): ForgivingRateLimiter {
  const networks = createRateLimiter(options);
  const sites = createRateLimiter({ ...options, points: options.points * NETWORKS_PER_SITE });
  return {
    // The site first, so that a site over its limit adds no more networks to what is remembered.
    consume: async (address) => (await sites.consume(siteOf(address))) ?? networks.consume(networkOf(address)),
    async giveBack(address) {
      await sites.giveBack(siteOf(address));
      await networks.giveBack(networkOf(address));
    },
  };
}
