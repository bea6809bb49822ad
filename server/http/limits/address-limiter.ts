/** Counts uses per address: per IPv4 address or IPv6 /64, and per IPv6 /48 as well. */

import type { RateRule } from '../../limits/index.ts';
import type { ForgivingRateLimiter, Reservation } from '../../rate-limiter.ts';
import { networkOf, siteOf } from '../network.ts';

/** What a /48 may do, in what a /64 may: a company has many networks, and an attacker 65,536. */
const NETWORKS_PER_SITE = 4;

/** Creates a limiter whose keys are IP addresses. @param create makes each of the two that it consists of. */
export function createAddressLimiter(
  create: (rule: RateRule) => ForgivingRateLimiter,
  rule: RateRule,
): ForgivingRateLimiter {
  const networks = create(rule);
  const sites = create({ ...rule, name: `${rule.name}-site`, points: rule.points * NETWORKS_PER_SITE });
  const reserve = async (address: string): Promise<Reservation> => {
    const [site, network] = [siteOf(address), networkOf(address)];
    if (site === network) return networks.reserve(network);
    // The site first, so that a site over its limit adds no more networks to what is remembered.
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
