/** Tells the gateway what a person may use, and ends what a person who is gone could use. */

import { answerOf, type PartnerClient } from '../partner/index.ts';
import type { PortalConfig } from './config.ts';
import type { PersonAccess } from './rules/access.ts';

/**
 * Tells the gateway, which intersects this with every grant of the person, at every call.
 *
 * @param lifetimeSeconds the person may use nothing after this time, unless their access is applied again. Null: it does not expire.
 */
export async function applyAccess(
  partner: PartnerClient,
  userId: string,
  access: PersonAccess,
  lifetimeSeconds: number | null,
): Promise<void> {
  const { allows, approval, catalogue } = access;
  const params = { path: { user_id: userId } };
  const body = {
    allows:
      allows?.map(({ services, effects, tools, accounts }) => ({
        services: services === null ? null : [...services],
        effects: [...effects],
        tools: tools === null ? null : [...tools],
        accounts: Object.fromEntries(Object.entries(accounts).map(([service, names]) => [service, [...names]])),
      })) ?? null,
    approvals: [...approval],
    catalogue,
    expires_in: lifetimeSeconds,
  };
  await answerOf(partner.PUT('/api/partner/users/{user_id}/allowance', { params, body }));
}

/** The gateway does not store a renewal that adds less than a tenth, so an allowance may end this part of its time after the last check. */
const SHORTEST_PART = 0.9;

/**
 * Returns the time for which the gateway keeps the access of a person whom no check confirms: at least the grace, and two checks. So access also
 * ends when no portal runs any more. Null without a provider, where no one is checked.
 */
export function lifetimeOf({ provider, checkSeconds, graceSeconds }: PortalConfig): number | null {
  return provider === null ? null : Math.ceil((graceSeconds + 2 * checkSeconds) / SHORTEST_PART);
}

/** Lets users whose allowance the portal has not set use nothing, however they sign in. */
export async function requireAllowances(partner: PartnerClient): Promise<void> {
  await answerOf(partner.PUT('/api/partner/allowances', { body: { required: true } }));
}

const NOTHING: PersonAccess = { allows: [], approval: [], catalogue: null, admin: false };

/** From now on, no grant of the person reaches a tool. The grants stay. */
export function suspendAccess(partner: PartnerClient, userId: string): Promise<void> {
  return applyAccess(partner, userId, NOTHING, null);
}

/** Revokes every grant, token and connection code of the person. */
export async function revokeEverything(partner: PartnerClient, userId: string): Promise<void> {
  await suspendAccess(partner, userId);
  await answerOf(partner.DELETE('/api/partner/grants', { params: { query: { user_id: userId } } }));
}

/** Returns true if a client, token or code of the person is live. */
export async function hasLiveAccess(partner: PartnerClient, userId: string): Promise<boolean> {
  const query = { user_id: userId, limit: 1 };
  const { live } = await answerOf(partner.GET('/api/partner/grants', { params: { query } }));
  return live.grants + live.tokens + live.connection_codes > 0;
}
