/**
 * One choice of services and tools, which a user makes on two pages: on the consent page, ticked is what a client gets; on the user's
 * own page, ticked is what it loses. Both become the scopes, services and permission of a grant.
 */

import { kindsOf, oauth2PartOf } from '../../../base/credentials/kinds.ts';
import type { Scope } from '../../../base/principal/permission.ts';
import {
  everyToolOf,
  mayWrite,
  type Permission,
  readPermission,
  toScopes,
  WHOLE_PERMISSION,
} from '../../../base/principal/permission.ts';
import type { GrantAccess } from '../../../base/store/repositories/oauth-grants.ts';
import type { Catalogue, CatalogueEntry } from '../../../call/tools/catalogue/catalogue.ts';
import { countEffects, type Effect, type EffectCounts, effectOf } from '../../../call/tools/catalogue/facts.ts';
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
  /** Absent: the gateway has it no longer. */
  readonly connector?: Connector;
  /** Scopes requested at the service's own sign-in; empty when the user typed a key. */
  readonly upstreamScopes: readonly string[];
  /** What the client may already do there without asking; only where the page suggests the difference. */
  readonly keeps: readonly Effect[];
  /** Names of tools that the user did not tick for the client before. */
  readonly unticked: ReadonlySet<string>;
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
  readonly readOnlyBecause: 'code' | 'request' | 'tools' | 'unconnected' | null;
  /** What is chosen at first (`CONSENT`). `difference`: what the client may already do, and nothing more. */
  readonly suggests: 'everything' | 'reading' | 'difference';
  /** Whether the user froze the client's tools before. */
  readonly wasFrozen: boolean;
  /** Names that the client's grant leaves out, of tools and services that are not offered now. */
  readonly leftOut: readonly string[];
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

/** Consent by need: what the client may already do. */
interface Need {
  /** The client's newest live grant of the user; null: it has none. */
  readonly held: GrantAccess | null;
}

/**
 * Builds the offer of a code for a request.
 *
 * @param need default: everything is suggested, whatever the client may already do.
 */
export function buildOffer(
  code: GrantableAccess,
  asked: readonly Scope[],
  catalogue: Catalogue,
  need: Need | null = null,
): Offer {
  const { limits } = code;
  const held = need?.held ?? null;
  const readOnlyLimit = asked.includes('tools:write') ? (limits.readOnly ? 'code' : null) : 'request';
  const mayOffer = (entry: CatalogueEntry) =>
    isPermitted(entry, limits.permission) && (readOnlyLimit === null || effectOf(entry.tool) === 'reads');
  const services = code.services.map((name): OfferedService => {
    const connector = catalogue.findConnector(name);
    const entries = connector === undefined ? [] : entriesOf(connector, catalogue).filter(mayOffer);
    return {
      name,
      title: connector?.title ?? name,
      ...(connector === undefined ? {} : { connector }),
      tools: entries.map(toToolChoice),
      upstreamScopes: connector !== undefined && code.signedInAt.includes(name) ? upstreamScopesOf(connector) : [],
      keeps: held === null ? [] : keptEffects(name, held),
      unticked: new Set(
        entries.filter((entry) => held !== null && !wasTicked(entry, held)).map(({ tool }) => tool.name),
      ),
    };
  });
  const has = (effect: Effect) => services.some((service) => hasEffect(service, effect));
  // Without services, their effects are unknown: the request is for services that are connected later.
  const writes = (need === null && services.length === 0) || has('writes') || has('destroys');
  const readOnlyBecause = readOnlyLimit ?? (writes ? null : services.length === 0 ? 'unconnected' : 'tools');
  const { only, without } = readPermission(held?.permission ?? null);
  const isOffered = (name: string) =>
    services.some((service) => name === everyToolOf(service.name) || service.tools.some((tool) => tool.name === name));
  return {
    services: services.sort((a, b) => (a.title < b.title ? -1 : 1)),
    access: readOnlyBecause === null ? accessToOffer(services, need === null) : ['read'],
    readOnlyBecause,
    suggests: need === null ? 'everything' : held === null ? 'reading' : 'difference',
    listsTools: services.reduce((sum, { tools }) => sum + tools.length, 0) <= MAX_LISTED_TOOLS,
    narrowedTo: limits.services,
    wasFrozen: only !== null,
    leftOut: without.filter((name) => !isOffered(name)),
  };
}

function hasEffect({ tools }: ServiceChoice, effect: Effect): boolean {
  return tools.some((tool) => tool.effect === effect);
}

/** Whether the service has tools of this effect that the client may not call yet, without those that the user did not tick before. */
export function lacksEffect({ tools, keeps, unticked }: OfferedService, effect: Effect): boolean {
  return !keeps.includes(effect) && tools.some((tool) => tool.effect === effect && !unticked.has(tool.name));
}

function accessToOffer(services: readonly OfferedService[], suggestsAll: boolean): readonly AccessChoice[] {
  const lacks = (effect: Effect) => services.some((service) => lacksEffect(service, effect));
  const both: AccessChoice[] = lacks('writes') && lacks('destroys') ? ['write', 'no-delete'] : ['write'];
  if (suggestsAll) return [...both, 'read'];
  return lacks('writes') || lacks('destroys') ? ['read', ...both.toReversed()] : ['read'];
}

/** What a grant lets its client do in a service without asking. */
function keptEffects(service: string, { scopes, services, permission }: GrantAccess): readonly Effect[] {
  const { agreed, destructive, without } = readPermission(permission);
  if (services?.includes(service) === false || without.includes(everyToolOf(service))) return [];
  const writes = mayWrite(toScopes(scopes));
  const isKept = (effect: 'writes' | 'destroys') => writes && (agreed?.[effect].includes(service) ?? true);
  return [
    'reads',
    ...(isKept('writes') ? (['writes'] as const) : []),
    ...(destructive && isKept('destroys') ? (['destroys'] as const) : []),
  ];
}

/** Whether the user ticked the tool for a client before, or would have: later tools join. */
function wasTicked(entry: CatalogueEntry, { services, permission }: GrantAccess): boolean {
  const isOfService = services?.includes(entry.connector.name) ?? true;
  return isOfService && isPermitted(entry, { ...readPermission(permission), destructive: true, pins: {} });
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
  const unticked = new Set(offer.services.flatMap((service) => [...service.unticked]));
  const isTicked = ({ name }: ToolChoice) => (offer.listsTools ? ticked.has(name) : !unticked.has(name));
  const isChosen = ({ name, tools }: ServiceChoice) =>
    form.getAll('service').includes(name) && (tools.length === 0 || tools.some(isTicked));
  const chosen = offer.services.filter(isChosen);
  const tools = chosen.flatMap((service) => service.tools);
  const isAllowed = (service: OfferedService, effect: Effect) =>
    isCovered(effect, access) || service.keeps.includes(effect);
  const byNeed = offer.suggests !== 'everything';
  // By need, tools that the user did not allow yet are granted too: they stay listed, and ask.
  const granted = chosen.flatMap((service) =>
    service.tools.filter((tool) => isTicked(tool) && (byNeed || isAllowed(service, tool.effect))),
  );
  if (offer.services.length > 0 && granted.length === 0) return 'nothing';

  const agreedIn = (effect: Effect) =>
    chosen.filter((service) => hasEffect(service, effect) && isAllowed(service, effect)).map(({ name }) => name);
  const agreed = { writes: agreedIn('writes').sort(), destroys: agreedIn('destroys').sort() };
  const writes = byNeed ? agreed.writes.length + agreed.destroys.length > 0 : access !== 'read';
  const scopes: readonly Scope[] = writes ? ['tools:read', 'tools:write'] : ['tools:read'];
  const permission = byNeed
    ? { ...WHOLE_PERMISSION, agreed }
    : { ...WHOLE_PERMISSION, destructive: access !== 'no-delete' };
  if (later === 'freeze') {
    const services = chosen.map(({ name }) => name);
    return { scopes, services, permission: { ...permission, only: granted.map(({ name }) => name).sort() } };
  }
  const { services, without } = leaveOut(offer.narrowedTo, {
    services: offer.services.filter((service) => !isChosen(service)).map(({ name }) => name),
    tools: tools.filter((tool) => !isTicked(tool)).map(({ name }) => name),
  });
  return { scopes, services, permission: { ...permission, without: [...without, ...offer.leftOut].sort() } };
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
