/** What a user has allowed: each live grant, and what it lets its holder call now. */

import { readPermission, toScopes, writePermission } from '../../../base/principal/permission.ts';
import { listConnections } from '../../../base/store/repositories/connections.ts';
import { type LiveGrant, listLiveGrants } from '../../../base/store/repositories/live-access.ts';
import { mayOffer, type Partner } from '../../../base/store/repositories/partners.ts';
import type { Executor } from '../../../base/store/schema.ts';
import type { Catalogue } from '../../../call/tools/catalogue/catalogue.ts';
import { type ServiceChoice, toServiceChoices } from './choice.ts';

/** What one or several grants allow. */
export interface Allowed {
  /** The newest first. */
  readonly grants: readonly LiveGrant[];
  /** By service, without services that are not connected or have no tool that may be called. */
  readonly may: readonly ServiceChoice[];
  /** Tools of connected services that the grants would allow, if no one had left them out. */
  readonly leftOut: number;
}

/** One grant, and what it allows. */
export interface AllowedGrant extends Allowed {
  readonly grant: LiveGrant;
}

/** One page of a longer list. `next` requests the next page; null: there is none. */
interface AllowedGrants {
  readonly grants: readonly AllowedGrant[];
  readonly next: string | null;
}

/** Which grants to list, and what decides what they allow. */
interface AllowedFilter {
  readonly userId: string;
  /** The result of `listUsableServices`. */
  readonly connected: readonly string[];
  readonly catalogue: Catalogue;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** `next` of the previous page. Default: the first page. */
  readonly before?: string;
}

/** Services that the user has connected and the partner offers: grants can be used for these now. */
export async function listUsableServices(
  executor: Executor,
  userId: string,
  partner: Pick<Partner, 'services'>,
): Promise<string[]> {
  const connections = await listConnections(executor, userId);
  const services = new Set(connections.map(({ service }) => service));
  return [...services].filter((service) => mayOffer(partner, service));
}

/** The live grants of the user's clients and, unless `holder` is `client`, of the partner; the newest first, `limit` at a time. */
export async function listAllowed(
  executor: Executor,
  filter: AllowedFilter & { readonly holder?: 'client' },
  limit: number,
): Promise<AllowedGrants> {
  const { connected, catalogue, ...rest } = filter;
  const grants = await listLiveGrants(executor, rest, limit + 1);
  const shown = grants.slice(0, limit);
  return {
    grants: shown.map((grant) => ({ grant, ...toAllowed([grant], connected, catalogue) })),
    next: grants.length > limit ? (shown.at(-1)?.id ?? null) : null,
  };
}

/** One live grant of the user. */
export async function findAllowed(
  executor: Executor,
  filter: Omit<AllowedFilter, 'before'> & { id: string },
): Promise<AllowedGrant | undefined> {
  const { connected, catalogue, ...rest } = filter;
  const [grant] = await listLiveGrants(executor, rest, 1);
  return grant && { grant, ...toAllowed([grant], connected, catalogue) };
}

/** What the user's partner itself may do with its `limit` newest grants together; there may be none. */
export async function findPartnersOwn(
  executor: Executor,
  filter: Omit<AllowedFilter, 'before'>,
  limit: number,
): Promise<Allowed> {
  const { connected, catalogue, ...rest } = filter;
  return toAllowed(await listLiveGrants(executor, { ...rest, holder: 'partner' }, limit), connected, catalogue);
}

/** Names of the tools that a grant lets its holder call, in the services that are connected. */
export function namesAllowed(
  grant: Pick<LiveGrant, 'scopes' | 'services' | 'permission'>,
  connected: readonly string[],
  catalogue: Catalogue,
): readonly string[] {
  const services = connected.filter((service) => grant.services?.includes(service) ?? true);
  return catalogue.names({
    clientId: null,
    services,
    scopes: toScopes(grant.scopes),
    permission: readPermission(grant.permission),
  });
}

function toAllowed(grants: readonly LiveGrant[], connected: readonly string[], catalogue: Catalogue): Allowed {
  const different = [...new Map(grants.map((grant) => [rightsOf(grant), grant])).values()];
  const namesOf = (held: readonly Parameters<typeof namesAllowed>[0][]) => [
    ...new Set(held.flatMap((grant) => namesAllowed(grant, connected, catalogue))),
  ];
  const names = namesOf(different);
  const whole = different.map((grant) => ({
    ...grant,
    permission: writePermission({ ...readPermission(grant.permission), without: [] }),
  }));
  return { grants, may: toServiceChoices(names, catalogue), leftOut: namesOf(whole).length - names.length };
}

function rightsOf({ scopes, services, permission }: LiveGrant): string {
  return JSON.stringify([scopes, services, permission]);
}
