/**
 * Services and tools that a user chooses among. On the consent page, a client gets what is ticked; on the user's own page, it loses
 * what is ticked. Both forms become the scopes, services and permission of a grant.
 */

import { kindsOf, oauth2PartOf } from '../../../base/credentials/kinds.ts';
import type { Scope } from '../../../base/principal/permission.ts';
import {
  everyToolOf,
  FULL_PERMISSION,
  mayWrite,
  type Permission,
  readPermission,
  toScopes,
} from '../../../base/principal/permission.ts';
import type { GrantAccess } from '../../../base/store/repositories/oauth-grants.ts';
import type { Catalogue, CatalogueEntry } from '../../../call/tools/catalogue/catalogue.ts';
import { countEffects, type Effect, type EffectCounts, effectOf } from '../../../call/tools/catalogue/facts.ts';
import { findExclusion, isPermitted } from '../../../call/tools/catalogue/permitted.ts';
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

/** Returns the services of these tools, sorted by name. */
export function toServiceChoices(names: readonly string[], catalogue: Catalogue): ServiceChoice[] {
  const entries = names.flatMap((name) => catalogue.find(name) ?? []);
  return [...Map.groupBy(entries, ({ connector }) => connector)]
    .map(([{ name, title }, ofService]) => ({ name, title, tools: ofService.map(toToolChoice) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Counts a service's tools by effect. */
export function effectsOf({ tools }: ServiceChoice): EffectCounts {
  return countEffects(tools.map(({ effect }) => effect));
}

/** A connected service on the consent page. */
export interface OfferedService extends ServiceChoice {
  /** Undefined if the gateway no longer serves it. */
  readonly connector: Connector | undefined;
  /** Scopes requested at the service's own sign-in. Empty if the user typed a key. */
  readonly upstreamScopes: readonly string[];
  /** Effects that the client's earlier grant has there. Empty unless the page suggests the difference. */
  readonly keeps: readonly Effect[];
  /** Names of tools that the user did not tick for the client before. */
  readonly unticked: ReadonlySet<string>;
}

/** Extent of a client's access. `no-delete` leaves out the tools that can delete or overwrite. */
export type AccessChoice = 'write' | 'no-delete' | 'read';

/** Services and tools that a user can allow: those that are connected, and that the connection code and the request permit. */
export interface ConsentOptions {
  /** Sorted by title. */
  readonly services: readonly OfferedService[];
  /** The choices of access, the suggested one first. No choice allows more than the tools of the services can do. */
  readonly access: readonly AccessChoice[];
  /** The reason why only reading is offered. Null if writing is offered too. */
  readonly readOnlyBecause: 'code' | 'request' | 'allowance' | 'tools' | 'unconnected' | null;
  /** The initial choice (`CONSENT`). `difference` means the access that the client already has, and nothing more. */
  readonly suggests: 'everything' | 'reading' | 'difference';
  /** True if the user froze the client's tools before. */
  readonly wasFrozen: boolean;
  /** Names that the client's grant leaves out, of tools and services that are not offered now. */
  readonly leftOut: readonly string[];
  /** True if tools can be chosen one by one. */
  readonly listsTools: boolean;
  /** Services that the code is narrowed to. Null if services that are connected later are included. */
  readonly narrowedTo: readonly string[] | null;
}

/** A user's choice on the consent page. */
export interface ConsentChoice {
  readonly scopes: readonly Scope[];
  /** Services that the grant is narrowed to. Null for all of the user's, except those that `permission` leaves out. */
  readonly services: readonly string[] | null;
  readonly permission: Permission;
}

/** More check boxes than this cannot be looked through, and would make the form large. */
const MAX_LISTED_TOOLS = 2000;

/** Access that a connection code can grant. */
interface GrantableAccess {
  /** Services that are connected now. */
  readonly services: readonly string[];
  /** Those at which the user signed in by OAuth. */
  readonly signedInAt: readonly string[];
  readonly limits: {
    readonly services: readonly string[] | null;
    readonly readOnly: boolean;
    readonly permission: Permission;
  };
}

/** Consent by need, which compares with the access that the client already has. */
interface ConsentByNeed {
  /** The client's newest live grant of the user. Null if there is none. */
  readonly earlierGrant: GrantAccess | null;
}

/**
 * Builds the options of a connection code for an authorization request.
 *
 * @param byNeed default: everything is suggested, whatever access the client already has.
 */
export function buildConsentOptions(
  code: GrantableAccess,
  requestedScopes: readonly Scope[],
  catalogue: Catalogue,
  byNeed: ConsentByNeed | null = null,
): ConsentOptions {
  const { limits } = code;
  const earlierGrant = byNeed?.earlierGrant ?? null;
  let readOnlyBecause: ConsentOptions['readOnlyBecause'] = null;
  if (!requestedScopes.includes('tools:write')) readOnlyBecause = 'request';
  else if (limits.readOnly) readOnlyBecause = 'code';

  const mayOffer = (entry: CatalogueEntry) =>
    isPermitted(entry, limits.permission) && (readOnlyBecause === null || effectOf(entry.tool) === 'reads');
  const services = code.services.map((name): OfferedService => {
    const connector = catalogue.findConnector(name);
    const entries = connector === undefined ? [] : entriesOf(connector, catalogue).filter(mayOffer);
    const isUnticked = (entry: CatalogueEntry) => earlierGrant !== null && !wasTicked(entry, earlierGrant);
    return {
      name,
      title: connector?.title ?? name,
      connector,
      tools: entries.map(toToolChoice),
      upstreamScopes: connector !== undefined && code.signedInAt.includes(name) ? upstreamScopesOf(connector) : [],
      keeps: earlierGrant === null ? [] : effectsWithoutAsking(name, earlierGrant),
      unticked: new Set(entries.filter(isUnticked).map(({ tool }) => tool.name)),
    };
  });
  services.sort((a, b) => (a.title < b.title ? -1 : 1));

  // Without services, their effects are unknown: the request is for services that are connected later.
  const isForLaterServices = byNeed === null && services.length === 0;
  const canWrite = services.some((service) => hasEffect(service, 'writes') || hasEffect(service, 'destroys'));
  if (readOnlyBecause === null && !isForLaterServices && !canWrite) {
    readOnlyBecause = services.length === 0 ? 'unconnected' : whyNothingWrites(services, limits.permission, catalogue);
  }
  let suggests: ConsentOptions['suggests'] = 'everything';
  if (byNeed !== null) suggests = earlierGrant === null ? 'reading' : 'difference';
  const { only, without } = readPermission(earlierGrant?.permission ?? null);
  const offeredNames = new Set(
    services.flatMap(({ name, tools }) => [everyToolOf(name), ...tools.map((tool) => tool.name)]),
  );
  return {
    services,
    access: readOnlyBecause === null ? accessToOffer(services, byNeed === null) : ['read'],
    readOnlyBecause,
    suggests,
    listsTools: services.reduce((sum, { tools }) => sum + tools.length, 0) <= MAX_LISTED_TOOLS,
    narrowedTo: limits.services,
    wasFrozen: only !== null,
    leftOut: without.filter((name) => !offeredNames.has(name)),
  };
}

/** Returns `allowance` if tools that write are left out because the partner does not allow them to the user. */
function whyNothingWrites(
  services: readonly OfferedService[],
  permission: Permission,
  catalogue: Catalogue,
): 'allowance' | 'tools' {
  const entries = services.flatMap(({ connector }) => (connector === undefined ? [] : entriesOf(connector, catalogue)));
  return entries.some((entry) => findExclusion(entry, permission) === 'allowance' && effectOf(entry.tool) !== 'reads')
    ? 'allowance'
    : 'tools';
}

function hasEffect({ tools }: ServiceChoice, effect: Effect): boolean {
  return tools.some((tool) => tool.effect === effect);
}

/** Returns true if the service has tools of this effect that the client may not call yet, not counting those that the user left unticked before. */
export function lacksEffect({ tools, keeps, unticked }: OfferedService, effect: Effect): boolean {
  return !keeps.includes(effect) && tools.some((tool) => tool.effect === effect && !unticked.has(tool.name));
}

function accessToOffer(services: readonly OfferedService[], suggestsAll: boolean): readonly AccessChoice[] {
  const lacksWrites = services.some((service) => lacksEffect(service, 'writes'));
  const lacksDeletes = services.some((service) => lacksEffect(service, 'destroys'));
  const both: AccessChoice[] = lacksWrites && lacksDeletes ? ['write', 'no-delete'] : ['write'];
  if (suggestsAll) return [...both, 'read'];
  return lacksWrites || lacksDeletes ? ['read', ...both.toReversed()] : ['read'];
}

/** Returns the effects of tools that a grant's client may call in a service without asking the user. */
function effectsWithoutAsking(service: string, { scopes, services, permission }: GrantAccess): readonly Effect[] {
  const { agreed, destructive, without } = readPermission(permission);
  if (services?.includes(service) === false || without.includes(everyToolOf(service))) return [];
  const effects: Effect[] = ['reads'];
  if (!mayWrite(toScopes(scopes))) return effects;
  if (agreed?.writes.includes(service) ?? true) effects.push('writes');
  if (destructive && (agreed?.destroys.includes(service) ?? true)) effects.push('destroys');
  return effects;
}

/**
 * Returns true if the user ticked the tool for a client before. A tool that was added since counts as ticked if the grant includes later
 * tools.
 */
function wasTicked(entry: CatalogueEntry, { services, permission }: GrantAccess): boolean {
  const isOfService = services?.includes(entry.connector.name) ?? true;
  return isOfService && isPermitted(entry, { ...readPermission(permission), destructive: true, pins: {} });
}

function entriesOf(connector: Connector, catalogue: Catalogue): CatalogueEntry[] {
  return catalogue.toolsOf(connector).flatMap(({ name }) => catalogue.find(name) ?? []);
}

function upstreamScopesOf(connector: Connector): readonly string[] {
  const oauth2Parts = kindsOf(connector.credential).flatMap((kind) => oauth2PartOf(kind) ?? []);
  return [...new Set(oauth2Parts.flatMap(({ oauth2 }) => scopesToAskFor(connector, oauth2)))];
}

/**
 * Reads a client's access from the form of the consent page.
 *
 * @returns null for a form that the page cannot produce; `nothing` when no tool is left for the client to call.
 */
export function readConsent(form: URLSearchParams, options: ConsentOptions): ConsentChoice | 'nothing' | null {
  const [suggested] = options.access;
  const chosenAccess = options.access.length === 1 ? suggested : (form.get('access') ?? suggested);
  const access = options.access.find((choice) => choice === chosenAccess);
  const later = form.get('later') ?? 'join';
  if (access === undefined || (later !== 'join' && later !== 'freeze')) return null;

  const ticked = new Set(form.getAll('tool'));
  const unticked = new Set(options.services.flatMap((service) => [...service.unticked]));
  const isTicked = ({ name }: ToolChoice) => (options.listsTools ? ticked.has(name) : !unticked.has(name));
  const isChosen = ({ name, tools }: ServiceChoice) =>
    form.getAll('service').includes(name) && (tools.length === 0 || tools.some(isTicked));
  const chosen = options.services.filter(isChosen);
  const tools = chosen.flatMap((service) => service.tools);
  const isAllowed = (service: OfferedService, effect: Effect) =>
    isCovered(effect, access) || service.keeps.includes(effect);
  const byNeed = options.suggests !== 'everything';
  // By need, tools that the user did not allow yet are granted too: they stay listed, and ask.
  const granted = chosen.flatMap((service) =>
    service.tools.filter((tool) => isTicked(tool) && (byNeed || isAllowed(service, tool.effect))),
  );
  if (options.services.length > 0 && granted.length === 0) return 'nothing';

  const agreedIn = (effect: Effect) =>
    chosen
      .filter((service) => hasEffect(service, effect) && isAllowed(service, effect))
      .map(({ name }) => name)
      .sort();
  const agreed = { writes: agreedIn('writes'), destroys: agreedIn('destroys') };
  const writes = byNeed ? agreed.writes.length + agreed.destroys.length > 0 : access !== 'read';
  const scopes: readonly Scope[] = writes ? ['tools:read', 'tools:write'] : ['tools:read'];
  const permission = byNeed
    ? { ...FULL_PERMISSION, agreed }
    : { ...FULL_PERMISSION, destructive: access !== 'no-delete' };
  if (later === 'freeze') {
    const services = chosen.map(({ name }) => name);
    return { scopes, services, permission: { ...permission, only: granted.map(({ name }) => name).sort() } };
  }
  const { services, without } = leaveOut(options.narrowedTo, {
    services: options.services.filter((service) => !isChosen(service)).map(({ name }) => name),
    tools: tools.filter((tool) => !isTicked(tool)).map(({ name }) => name),
  });
  return { scopes, services, permission: { ...permission, without: [...without, ...options.leftOut].sort() } };
}

function isCovered(effect: Effect, access: AccessChoice): boolean {
  return effect === 'reads' || access === 'write' || (access === 'no-delete' && effect === 'writes');
}

/**
 * Reads the removals from a grant in the form of the user's own page.
 *
 * @param grant.current access that the grant allows now. @param grant.connected services that the user has connected.
 */
export function readRemoval(
  form: URLSearchParams,
  grant: { current: GrantAccess; connected: readonly string[]; catalogue: Catalogue },
): Narrowing {
  const { current, connected, catalogue } = grant;
  const dropped = new Set(form.getAll('service'));
  const losesLater = form.get('later') === 'yes';
  const before = current.services ?? catalogue.connectors.map(({ name }) => name);
  const limited = before.filter((name) => !losesLater || connected.includes(name));
  const { services, without } = leaveOut(current.services === null && !losesLater ? null : limited, {
    services: before.filter((name) => dropped.has(name)),
    tools: form.getAll('tool').filter((name) => catalogue.find(name) !== undefined),
  });
  // Without later services, "all" becomes a list, which is narrower even if it names every service of now.
  const isNarrowed = services !== null && (services.length < before.length || losesLater);
  return {
    services: isNarrowed ? services : undefined,
    readOnly: form.get('writing') === 'yes' ? true : undefined,
    destructive: form.get('destructive') === 'yes' ? false : undefined,
    without: without.length === 0 ? undefined : [...readPermission(current.permission).without, ...without],
  };
}

/**
 * Returns the services that a grant keeps, and the names that its permission leaves out.
 *
 * Null services include services that are connected later. So a service that is left out is named in the permission, as all of its tools.
 */
function leaveOut(
  services: readonly string[] | null,
  leftOut: { readonly services: readonly string[]; readonly tools: readonly string[] },
): { services: readonly string[] | null; without: string[] } {
  if (services === null) return { services, without: [...leftOut.services.map(everyToolOf), ...leftOut.tools] };
  return { services: services.filter((name) => !leftOut.services.includes(name)), without: [...leftOut.tools] };
}
