/** Counts uses per address: per IPv4 address or IPv6 /64, and also per IPv6 /48. */

import type { RateRule } from '../../limits/index.ts';
import type { ForgivingRateLimiter, Reservation } from '../../rate-limiter.ts';
import { networkOf, siteOf } from '../network.ts';

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
    const [site, network] = [siteOf(address), networkOf(address)];
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
