/** The questions that several pages ask the gateway. The gateway knows a person once they connected something: until then, there is nothing. */

import { answerOf, answerOrNull, type PartnerClient, type Schemas } from '../../partner/index.ts';
import type { PortalOutcome, PortalRequest } from '../request.ts';

export type Service = Schemas['Service'];
export type Connection = Schemas['Connection'];

/** Services change when the gateway starts again, or its operator changes what may be offered. */
const SERVICES_TTL_MS = 60_000;

interface CachedServices {
  readonly readAt: number;
  readonly services: Promise<readonly Service[]>;
}

const cache = new WeakMap<PartnerClient, CachedServices>();

/** Returns the services that the portal may offer, by title. They are up to a minute old. */
export function listServices({ partner, now }: PortalRequest): Promise<readonly Service[]> {
  const cached = cache.get(partner);
  if (cached !== undefined && now - cached.readAt < SERVICES_TTL_MS) return cached.services;
  const services = readServices(partner);
  cache.set(partner, { readAt: now, services });
  services.catch(() => cache.delete(partner));
  return services;
}

/** Reads all pages of the services that the portal may offer. */
export async function readServices(partner: PartnerClient): Promise<readonly Service[]> {
  const services: Service[] = [];
  let cursor: string | null = null;
  do {
    const params = { query: pageQuery(cursor, MAX_LIMIT) };
    const page: Page = await answerOf(partner.GET('/api/partner/services', { params }));
    services.push(...page.services);
    cursor = page.next;
  } while (cursor !== null);
  return services.toSorted((a, b) => a.title.localeCompare(b.title, 'en'));
}

interface Page {
  readonly services: readonly Service[];
  readonly next: string | null;
}

/** Members of a page that the gateway accepts at most. */
const MAX_LIMIT = 200;

/** @param cursor `next` of the previous page. Null: the first page. */
export function pageQuery(cursor: string | null, limit: number): { cursor?: string; limit: number } {
  return cursor === null ? { limit } : { cursor, limit };
}

export async function listConnections({ partner, person }: PortalRequest): Promise<readonly Connection[]> {
  const params = { path: { user_id: person.userId } };
  const answer = await answerOrNull(partner.GET('/api/partner/users/{user_id}/connections', { params }));
  return answer?.connections ?? [];
}

/** Calls that wait for the person, the oldest first: at most 200. */
export async function listWaiting({ partner, person }: PortalRequest): Promise<readonly Schemas['Approval'][]> {
  const params = { query: { user_id: person.userId, limit: MAX_LIMIT } };
  const answer = await answerOrNull(partner.GET('/api/partner/approvals', { params }));
  return answer?.approvals ?? [];
}

/**
 * Sends the browser to a page of this person at the gateway, where they are then signed in.
 *
 * @param target address of the page. Null for the first page.
 * @throws {PartnerApiError} 400 for an address of another page, 404 if the gateway does not know the person.
 */
export async function openOwnPage({ partner, person }: PortalRequest, target: string | null): Promise<PortalOutcome> {
  const params = { path: { user_id: person.userId } };
  const { url } = await answerOf(partner.POST('/api/partner/users/{user_id}/links', { params, body: { target } }));
  return { redirect: url };
}
