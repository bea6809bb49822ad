/** What a user can allow: the currently connected services and tools that code and request permit, with their effects. */

import { kindsOf, oauth2PartOf } from '../../../base/credentials/kinds.ts';
import { serviceLogoPathOf } from '../../../base/pages/brand.ts';
import { everyToolOf, type Permission, WHOLE_PERMISSION } from '../../../base/principal/permission.ts';
import type { Scope } from '../../../base/principal/scopes.ts';
import type { Catalogue } from '../../../call/tools/catalogue/catalogue.ts';
import { EFFECTS, type Effect, effectOf } from '../../../call/tools/catalogue/facts.ts';
import { isPermitted } from '../../../call/tools/catalogue/permitted.ts';
import { scopesToAskFor } from '../../../call/upstream/oauth/scopes.ts';
import type { Connector } from '../../../contract/index.ts';
import type { FoundConnectionCode } from '../connection-codes.ts';

/** A tool as the page shows it. */
interface OfferedTool {
  readonly name: string;
  readonly title: string;
  readonly effect: Effect;
}

/** A connected service. */
export interface OfferedService {
  readonly name: string;
  readonly title: string;
  /** Path of its logo, or null. */
  readonly logoPath: string | null;
  /** Sorted by name. */
  readonly tools: readonly OfferedTool[];
  /** Scopes requested at the service's own sign-in; empty when the user typed a key. */
  readonly upstreamScopes: readonly string[];
}

/** How much a user lets a client do. `no-delete`: without the tools that can delete or overwrite. */
export type AccessChoice = 'write' | 'no-delete' | 'read';

/** What a user can allow. */
export interface Offer {
  /** Sorted by title. */
  readonly services: readonly OfferedService[];
  /** The first is suggested. Never more than the tools of the services can do. */
  readonly access: readonly AccessChoice[];
  /** Why only reading is offered; null when it is not. */
  readonly readOnlyBecause: 'code' | 'request' | 'tools' | null;
  /** Whether tools can be chosen one by one. */
  readonly listsTools: boolean;
  /** The services that the code is narrowed to; null: services that are connected later join. */
  readonly narrowedTo: readonly string[] | null;
}

/** What a user chose. */
export interface Consented {
  readonly scopes: readonly Scope[];
  /** Services that the grant is narrowed to; null: all of the user's, except those that `permission` leaves out. */
  readonly services: readonly string[] | null;
  readonly permission: Permission;
}

/** No one can choose among more check boxes, and the form would be large. */
const MAX_LISTED_TOOLS = 2000;

/** Builds the offer of a code for a request. */
export function buildOffer(
  found: Pick<FoundConnectionCode, 'services' | 'signedInAt' | 'narrowedTo' | 'readOnly' | 'permission'>,
  asked: readonly Scope[],
  catalogue: Catalogue,
): Offer {
  const limit = asked.includes('tools:write') ? (found.readOnly ? 'code' : null) : 'request';
  const services = found.services.map((name) => ({
    ...toOffered(name, catalogue, { readOnly: limit !== null, permission: found.permission }),
    upstreamScopes: found.signedInAt.includes(name) ? upstreamScopesOf(catalogue.findConnector(name)) : [],
  }));
  const has = (effect: Effect) => services.some(({ tools }) => tools.some((tool) => tool.effect === effect));
  const access = EFFECTS.filter(has);
  // Without services, their effects are unknown: the request is for services that are connected later.
  const writes = services.length === 0 || access.includes('writes') || access.includes('destroys');
  const readOnlyBecause = limit ?? (writes ? null : 'tools');
  const choices: AccessChoice[] =
    access.includes('writes') && access.includes('destroys') ? ['write', 'no-delete'] : ['write'];
  return {
    services: services.sort((a, b) => (a.title < b.title ? -1 : 1)),
    access: readOnlyBecause === null ? [...choices, 'read'] : ['read'],
    readOnlyBecause,
    listsTools: services.reduce((sum, { tools }) => sum + tools.length, 0) <= MAX_LISTED_TOOLS,
    narrowedTo: found.narrowedTo,
  };
}

function toOffered(
  name: string,
  catalogue: Catalogue,
  { readOnly, permission }: { readOnly: boolean; permission: Permission },
): Omit<OfferedService, 'upstreamScopes'> {
  const connector = catalogue.findConnector(name);
  const served = connector === undefined ? [] : catalogue.toolsOf(connector).map((tool) => ({ connector, tool }));
  const tools = served
    .filter((entry) => isPermitted(entry, permission))
    .map(({ tool }) => ({ name: tool.name, title: tool.title, effect: effectOf(tool) }))
    .filter(({ effect }) => effect === 'reads' || !readOnly);
  const logoPath = connector === undefined ? null : serviceLogoPathOf(connector);
  return { name, title: connector?.title ?? name, logoPath, tools };
}

function upstreamScopesOf(connector: Connector | undefined): readonly string[] {
  if (connector === undefined) return [];
  const parts = kindsOf(connector.credential).flatMap((kind) => oauth2PartOf(kind) ?? []);
  return [...new Set(parts.flatMap(({ oauth2 }) => scopesToAskFor(connector, oauth2)))];
}

/**
 * Reads what a user chose from an offer.
 *
 * @returns null for a form that the page cannot produce; `nothing` when no tool is left for the client to call.
 */
export function readChoice(form: URLSearchParams, offer: Offer): Consented | 'nothing' | null {
  const [only, other] = offer.access;
  const access = other === undefined ? only : offer.access.find((one) => one === (form.get('access') ?? only));
  const later = form.get('later') ?? 'join';
  if (access === undefined || (later !== 'join' && later !== 'freeze')) return null;

  const ticked = new Set(form.getAll('tool'));
  const isTicked = ({ name }: OfferedTool) => !offer.listsTools || ticked.has(name);
  const isChosen = ({ name, tools }: OfferedService) =>
    form.getAll('service').includes(name) && (tools.length === 0 || tools.some(isTicked));
  const chosen = offer.services.filter(isChosen);
  const tools = chosen.flatMap((service) => service.tools.filter(isTicked));
  const callable = tools.filter(({ effect }) => isCovered(effect, access)).map(({ name }) => name);
  if (offer.services.length > 0 && callable.length === 0) return 'nothing';

  const names = chosen.map(({ name }) => name);
  const leftOut = offer.services.filter((service) => !isChosen(service)).map(({ name }) => name);
  const without = chosen.flatMap((service) => service.tools.filter((tool) => !isTicked(tool)).map(({ name }) => name));
  const scopes: readonly Scope[] = access === 'read' ? ['tools:read'] : ['tools:read', 'tools:write'];
  const permission = { ...WHOLE_PERMISSION, destructive: access !== 'no-delete' };
  if (later === 'freeze') return { scopes, services: names, permission: { ...permission, only: callable.sort() } };
  return {
    scopes,
    services: offer.narrowedTo?.filter((name) => !leftOut.includes(name)) ?? null,
    permission: {
      ...permission,
      without: [...(offer.narrowedTo === null ? leftOut.map(everyToolOf) : []), ...without].sort(),
    },
  };
}

function isCovered(effect: Effect, access: AccessChoice): boolean {
  return effect === 'reads' || access === 'write' || (access === 'no-delete' && effect === 'writes');
}
