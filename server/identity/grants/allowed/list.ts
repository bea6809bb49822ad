/** Lists the live grants of a user, and the tools that each lets its holder call now. */

import { readLimitedPermission } from '../../../base/principal/allowance.ts';
import { readPermission, toScopes, writePermission } from '../../../base/principal/permission.ts';
import { listConnections } from '../../../base/store/repositories/connections.ts';
import { type LiveGrant, listLiveGrants } from '../../../base/store/repositories/live-access.ts';
import type { GrantAccess } from '../../../base/store/repositories/oauth-grants.ts';
import { mayOffer, type Partner } from '../../../base/store/repositories/partners.ts';
import { listSharedAccounts } from '../../../base/store/repositories/teams.ts';
import type { Executor } from '../../../base/store/schema.ts';
import type { Catalogue } from '../../../call/tools/catalogue/catalogue.ts';
import { type ServiceChoice, toServiceChoices } from './consent-options.ts';

/** Access that one or several grants allow. */
export interface Allowed {
  /** The newest first. */
  readonly grants: readonly LiveGrant[];
  /** By service, without services that are not connected or have no tool that may be called. */
  readonly may: readonly ServiceChoice[];
  /** Number of tools of connected services that the grants would allow if they did not leave them out. */
  readonly leftOut: number;
}

/** One grant, and the access that it allows. */
export interface AllowedGrant extends Allowed {
  readonly grant: LiveGrant;
}

/** One page of a longer list. `next` requests the next page, and is null on the last one. */
interface AllowedGrants {
  readonly grants: readonly AllowedGrant[];
  readonly next: string | null;
}

/** The access of a user that all grants are limited to. */
interface UserAccess {
  /** See `currentAllowance`. */
  readonly allowance: string | null;
  /** The result of `listUsableServices`. */
  readonly connected: readonly string[];
  readonly catalogue: Catalogue;
}

/** Selects the grants, and has what decides about their access. */
interface AllowedFilter extends UserAccess {
  readonly userId: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** `next` of the previous page. Default: the first page. */
  readonly before?: string | undefined;
}

/** Lists the services that the user has connected, or that a team shares with the user, and the partner offers: grants can be used for these now. */
export async function listUsableServices(executor: Executor, userId: string, partner: Partner): Promise<string[]> {
  const connections = await listConnections(executor, userId);
  const shared = await listSharedAccounts(executor, userId, connections);
  const services = new Set([...connections, ...shared].map(({ service }) => service));
  return [...services].filter((service) => mayOffer(partner, service));
}

/** Lists the live grants of the user's clients and, unless `holder` is `client`, of the partner; the newest first, `limit` at a time. */
export async function listAllowed(
  executor: Executor,
  filter: AllowedFilter & { readonly holder?: 'client' },
  limit: number,
): Promise<AllowedGrants> {
  const { connected: _, catalogue: __, allowance: ___, ...rest } = filter;
  const grants = await listLiveGrants(executor, rest, limit + 1);
  const page = grants.slice(0, limit);
  return {
    grants: page.map((grant) => ({ grant, ...toAllowed([grant], filter) })),
    next: grants.length > limit ? (page.at(-1)?.id ?? null) : null,
  };
}

/** Finds one live grant of the user. */
export async function findAllowed(
  executor: Executor,
  filter: AllowedFilter & { id: string },
): Promise<AllowedGrant | undefined> {
  const { connected: _, catalogue: __, allowance: ___, ...rest } = filter;
  const [grant] = await listLiveGrants(executor, rest, 1);
  return grant && { grant, ...toAllowed([grant], filter) };
}

/** Returns the access that the `limit` newest grants of the user's partner itself allow together. */
export async function findPartnersOwn(executor: Executor, filter: AllowedFilter, limit: number): Promise<Allowed> {
  const { connected: _, catalogue: __, allowance: ___, ...rest } = filter;
  return toAllowed(await listLiveGrants(executor, { ...rest, holder: 'partner' }, limit), filter);
}

/** Returns the names of the tools that a grant lets its holder call, in the services that are connected. */
export function namesAllowed(grant: GrantAccess, { connected, catalogue, allowance }: UserAccess): readonly string[] {
  const services = connected.filter((service) => grant.services?.includes(service) ?? true);
  return catalogue.names({
    clientId: null,
    services,
    scopes: toScopes(grant.scopes),
    permission: readLimitedPermission(grant.permission, allowance),
  });
}

function toAllowed(grants: readonly LiveGrant[], access: UserAccess): Allowed {
  const byRights = new Map(
    grants.map((grant) => [JSON.stringify([grant.scopes, grant.services, grant.permission]), grant]),
  );
  const different = [...byRights.values()];
  const namesOf = (accesses: readonly GrantAccess[]) => [
    ...new Set(accesses.flatMap((grant) => namesAllowed(grant, access))),
  ];
  const names = namesOf(different);
  const withoutOmissions = different.map((grant) => ({
    ...grant,
    permission: writePermission({ ...readPermission(grant.permission), without: [] }),
  }));
  return {
    grants,
    may: toServiceChoices(names, access.catalogue),
    leftOut: namesOf(withoutOmissions).length - names.length,
  };
}
