/**
 * One choice of services and tools, which a user makes on two pages: on the consent page, ticked is what a client gets; on the user's
 * own page, ticked is what it loses. Both become the scopes, services and permission of a grant.
 */

import { kindsOf, oauth2PartOf } from '../../../base/credentials/kinds.ts';
import { serviceLogoPathOf } from '../../../base/pages/brand.ts';
import type { Scope } from '../../../base/principal/permission.ts';
import { everyToolOf, type Permission, readPermission, WHOLE_PERMISSION } from '../../../base/principal/permission.ts';
import type { GrantAccess } from '../../../base/store/repositories/oauth-grants.ts';
import type { Catalogue, CatalogueEntry } from '../../../call/tools/catalogue/catalogue.ts';
import {
  countEffects,
  EFFECTS,
  type Effect,
  type EffectCounts,
  effectOf,
} from '../../../call/tools/catalogue/facts.ts';
import { isPermitted } from '../../../call/tools/catalogue/permitted.ts';
import { scopesToAskFor } from '../../../call/upstream/oauth/scopes.ts';
import type { Connector } from '../../../contract/index.ts';
import type { Narrowing } from './narrow.ts';

/** A tool that can be chosen. */
interface ToolChoice {
  readonly name: string;
  readonly title: string;
  readonly effect: Effect;
}

/** A service that can be chosen, and its tools, sorted by name. */
export interface ServiceChoice {
  /** Connector name. */
  readonly name: string;
  readonly title: string;
  readonly tools: readonly ToolChoice[];
}

function toToolChoice({ tool }: CatalogueEntry): ToolChoice {
  return { name: tool.name, title: tool.title, effect: effectOf(tool) };
}

/** The services of these tools, sorted by name. */
export function toServiceChoices(names: readonly string[], catalogue: Catalogue): ServiceChoice[] {
  const entries = names.flatMap((name) => catalogue.find(name) ?? []);
  return [...Map.groupBy(entries, ({ connector }) => connector)]
    .map(([{ name, title }, ofService]) => ({ name, title, tools: ofService.map(toToolChoice) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** How many of a service's tools have which effect. */
export function effectsOf({ tools }: ServiceChoice): EffectCounts {
  return countEffects(tools.map(({ effect }) => effect));
}

/** A connected service on the consent page. */
export interface OfferedService extends ServiceChoice {
  /** Path of its logo, or null. */
  readonly logoPath: string | null;
  /** Scopes requested at the service's own sign-in; empty when the user typed a key. */
  readonly upstreamScopes: readonly string[];
}

/** How much a user lets a client do. `no-delete`: without the tools that can delete or overwrite. */
export type AccessChoice = 'write' | 'no-delete' | 'read';

/** What a user can allow: the currently connected services and tools that code and request permit. */
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

/** What a connection code can grant: the services that are connected now, those at which the user signed in, and its limits. */
interface GrantableAccess {
  readonly services: readonly string[];
  readonly signedInAt: readonly string[];
  readonly limits: {
    readonly services: readonly string[] | null;
    readonly readOnly: boolean;
    readonly permission: Permission;
  };
}

/** Builds the offer of a code for a request. */
export function buildOffer(code: GrantableAccess, asked: readonly Scope[], catalogue: Catalogue): Offer {
  const { limits } = code;
  const readOnlyLimit = asked.includes('tools:write') ? (limits.readOnly ? 'code' : null) : 'request';
  const mayOffer = (entry: CatalogueEntry) =>
    isPermitted(entry, limits.permission) && (readOnlyLimit === null || effectOf(entry.tool) === 'reads');
  const services = code.services.map((name): OfferedService => {
    const connector = catalogue.findConnector(name);
    return {
      name,
      title: connector?.title ?? name,
      logoPath: connector === undefined ? null : serviceLogoPathOf(connector),
      tools: connector === undefined ? [] : entriesOf(connector, catalogue).filter(mayOffer).map(toToolChoice),
      upstreamScopes: connector !== undefined && code.signedInAt.includes(name) ? upstreamScopesOf(connector) : [],
    };
  });
  const has = (effect: Effect) => services.some(({ tools }) => tools.some((tool) => tool.effect === effect));
  const effects = EFFECTS.filter(has);
  // Without services, their effects are unknown: the request is for services that are connected later.
  const writes = services.length === 0 || effects.includes('writes') || effects.includes('destroys');
  const readOnlyBecause = readOnlyLimit ?? (writes ? null : 'tools');
  const choices: AccessChoice[] =
    effects.includes('writes') && effects.includes('destroys') ? ['write', 'no-delete'] : ['write'];
  return {
    services: services.sort((a, b) => (a.title < b.title ? -1 : 1)),
    access: readOnlyBecause === null ? [...choices, 'read'] : ['read'],
    readOnlyBecause,
    listsTools: services.reduce((sum, { tools }) => sum + tools.length, 0) <= MAX_LISTED_TOOLS,
    narrowedTo: limits.services,
  };
}

function entriesOf(connector: Connector, catalogue: Catalogue): CatalogueEntry[] {
  return catalogue.toolsOf(connector).flatMap(({ name }) => catalogue.find(name) ?? []);
}

function upstreamScopesOf(connector: Connector): readonly string[] {
  const parts = kindsOf(connector.credential).flatMap((kind) => oauth2PartOf(kind) ?? []);
  return [...new Set(parts.flatMap(({ oauth2 }) => scopesToAskFor(connector, oauth2)))];
}

/**
 * Reads what a client gets from the form of the consent page.
 *
 * @returns null for a form that the page cannot produce; `nothing` when no tool is left for the client to call.
 */
export function readConsent(form: URLSearchParams, offer: Offer): Consented | 'nothing' | null {
  const [only, other] = offer.access;
  const access = other === undefined ? only : offer.access.find((one) => one === (form.get('access') ?? only));
  const later = form.get('later') ?? 'join';
  if (access === undefined || (later !== 'join' && later !== 'freeze')) return null;

  const ticked = new Set(form.getAll('tool'));
  const isTicked = ({ name }: ToolChoice) => !offer.listsTools || ticked.has(name);
  const isChosen = ({ name, tools }: ServiceChoice) =>
    form.getAll('service').includes(name) && (tools.length === 0 || tools.some(isTicked));
  const chosen = offer.services.filter(isChosen);
  const tools = chosen.flatMap((service) => service.tools);
  const callable = tools.filter((tool) => isTicked(tool) && isCovered(tool.effect, access));
  if (offer.services.length > 0 && callable.length === 0) return 'nothing';

  const scopes: readonly Scope[] = access === 'read' ? ['tools:read'] : ['tools:read', 'tools:write'];
  const permission = { ...WHOLE_PERMISSION, destructive: access !== 'no-delete' };
  if (later === 'freeze') {
    const services = chosen.map(({ name }) => name);
    return { scopes, services, permission: { ...permission, only: callable.map(({ name }) => name).sort() } };
  }
  const { services, without } = leaveOut(offer.narrowedTo, {
    services: offer.services.filter((service) => !isChosen(service)).map(({ name }) => name),
    tools: tools.filter((tool) => !isTicked(tool)).map(({ name }) => name),
  });
  return { scopes, services, permission: { ...permission, without: without.sort() } };
}

function isCovered(effect: Effect, access: AccessChoice): boolean {
  return effect === 'reads' || access === 'write' || (access === 'no-delete' && effect === 'writes');
}

/**
 * Reads what a grant keeps from the form of the user's own page.
 *
 * @param given.current what the grant allows now. @param given.connected services that the user has connected.
 */
export function readRemoval(
  form: URLSearchParams,
  given: { current: GrantAccess; connected: readonly string[]; catalogue: Catalogue },
): Narrowing {
  const { current, connected, catalogue } = given;
  const dropped = new Set(form.getAll('service'));
  const keepsLater = form.get('later') !== 'yes';
  const before = current.services ?? catalogue.connectors.map(({ name }) => name);
  const limited = before.filter((name) => keepsLater || connected.includes(name));
  const { services, without } = leaveOut(current.services === null && keepsLater ? null : limited, {
    services: before.filter((name) => dropped.has(name)),
    tools: form.getAll('tool').filter((name) => catalogue.find(name) !== undefined),
  });
  return {
    ...(services !== null && (services.length < before.length || !keepsLater) ? { services } : {}),
    ...(form.get('writing') === 'yes' ? { readOnly: true } : {}),
    ...(form.get('destructive') === 'yes' ? { destructive: false } : {}),
    ...(without.length > 0 ? { without: [...readPermission(current.permission).without, ...without] } : {}),
  };
}

/**
 * What is left of a grant's services, and which names its permission leaves out.
 *
 * Services that are connected later stay included (null), so a service that is left out is named as all of its tools.
 */
function leaveOut(
  services: readonly string[] | null,
  leftOut: { readonly services: readonly string[]; readonly tools: readonly string[] },
): { services: readonly string[] | null; without: string[] } {
  if (services === null) return { services, without: [...leftOut.services.map(everyToolOf), ...leftOut.tools] };
  return { services: services.filter((name) => !leftOut.services.includes(name)), without: [...leftOut.tools] };
}
