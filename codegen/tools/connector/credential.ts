/** The credential that a user must supply to connect a service, and the operations that it does not cover. */

import type { ConnectorConfig } from '../../load/connector-config.ts';
import type { KindConfig } from '../../load/credential-config.ts';
import type { OperationModel, ParameterModel, ParameterPlace, ServiceModel } from '../../model/types.ts';
import type { Reporter } from '../problems.ts';
import type { BodyPart } from '../request/credential-places.ts';
import type { ConnectorModel, CredentialKind, CredentialPart, ToolModel } from '../types.ts';
import { toPlainText } from '../words/plain-text.ts';
import {
  checkKinds,
  checkLabels,
  checkOAuth2,
  checkSent,
  reportPartial,
  reportRefused,
  reportUnusable,
} from './credential-checks.ts';
import { chooseExtras, chooseKinds, isEnough } from './credential-kinds.ts';
import {
  findClashes,
  type OwnContext,
  partOf,
  placeOf,
  type SchemeParts,
  toOwnPart,
  toSchemeParts,
} from './credential-parts.ts';
import type { Site } from './oauth2.ts';
import { checkPlacedParts, checkRepeated } from './placed-parts.ts';
import { createPrivilegeOrder, type Requirement } from './privilege/least-privilege.ts';
import { createSentCredential, type SentKind } from './privilege/sent-credential.ts';
import { askedParts, baseUrlOf, isOnServiceHost } from './servers.ts';

export interface CredentialPlan extends CredentialPlaces {
  readonly credential: ConnectorModel['credential'];
  /** Ids of the OAuth 2.0 parts of all kinds. */
  readonly oauth2: readonly string[];
  /** Returns the label of the credential that an operation needs in addition to the first kind. Undefined if it needs no other credential. */
  extraOf(operation: OperationModel): string | undefined;
  /** `ToolModel.credential` of an operation. */
  sentOf(operation: OperationModel): ToolModel['credential'];
  /** Returns the reason why the credential does not cover an operation. Null if it covers it. */
  refusalOf(operation: OperationModel): string | null;
}

/** The places in requests that carry the credential. */
interface CredentialPlaces {
  /** True for a parameter that the credential fills, and for an optional one of an unused credential. */
  isCredential(parameter: ParameterModel): boolean;
  /** Names of the parameters of a place that carry a credential, used or not. */
  namesIn(place: ParameterPlace): readonly string[];
  /** Returns the id of the part that a path parameter carries. Undefined if it carries no part. */
  idInPath(name: string): string | undefined;
  /** The parts that members of bodies carry. */
  readonly inBody: readonly BodyPart[];
  /** Members of bodies that only repeat the credential. */
  readonly repeatedInBody: readonly string[];
}

/**
 * Chooses the credential: connector.yaml's `parts`, or its `schemes`, or what the security requirements of the exposed
 * operations need. The kinds that a user may choose from are connector.yaml's `alternatives`, else the descriptor's.
 *
 * Decisions of connector.yaml are final: with `parts` or `schemes`, no operation is excluded.
 */
export function buildCredential(
  model: ServiceModel,
  config: ConnectorConfig,
  operations: readonly OperationModel[],
  report: Reporter,
): CredentialPlan {
  const own = config.credential;
  const site = toSite(model, config);
  const schemes = toSchemeParts(model.securitySchemes, own, site);
  const isDecided = own.parts !== undefined || own.schemes !== undefined;
  const order = createPrivilegeOrder(model.securitySchemes, operations, schemes);
  const requirementOf = ({ security }: OperationModel) => (isDecided ? security : order.weakest(security));
  const weakest = { default: order.weakest(model.security), operations: operations.map(requirementOf) };
  const { kinds, partial } = isDecided ? { kinds: [], partial: null } : chooseKinds(weakest, schemes);
  const [first = [], ...others] = kinds;
  const context = { model, oauth2: own.oauth2, site, schemes, report };
  const toOwnKind = (kind: KindConfig, path: readonly (string | number)[]) => buildOwnKind(kind, path, context);
  const ownMain = isDecided ? toOwnKind(own, ['credential']) : toKind(first, schemes, own);
  const ownAlternatives =
    own.alternatives?.map((kind, index): CredentialKind => {
      return { label: kind.label, ...toOwnKind(kind, ['credential', 'alternatives', index]) };
    }) ?? others.map((ids) => toLabelled(toKind(ids, schemes, {})));
  const added = [...askedParts(model, config), ...(own.also ?? []).flatMap((part) => toOwnPart(part, context) ?? [])];
  const withAlso = createAlso(added, config, report);
  const main = withAlso(ownMain, ['credential']);
  const alternatives = ownAlternatives.map((kind, index) => withAlso(kind, ['credential', 'alternatives', index]));
  const all = [main, ...alternatives];
  const mainIds = main.parts.map(({ id }) => id);
  const extras =
    own.extras?.map((kind, index): CredentialKind => {
      return { label: kind.label, ...toOwnKind(kind, ['credential', 'extras', index]) };
    }) ?? (isDecided ? [] : chooseExtras(weakest, mainIds, schemes)).map((ids) => toExtra(ids, schemes));
  const parts = [...all, ...extras].flatMap((kind) => kind.parts);
  checkOAuth2(model, config, { schemes, parts }, report);
  checkLabels(config, schemes, parts, report);
  if (own.alternatives !== undefined) checkKinds(all, report);
  checkPlacedParts(all, operations, model, report);

  const findExtra = createExtraFinder(extras, mainIds, requirementOf);
  const extraOf = (operation: OperationModel) => findExtra(operation)?.label;
  const sentWith = createSentCredential({
    model,
    kinds: toSentKinds(all, own),
    added: new Set((own.also ?? []).map(({ id }) => id)),
    order,
    isSendable: (id) => partOf(schemes, id) !== undefined,
    isOnServiceHost: (server) => isOnServiceHost(server, model, config),
  });
  const sentOf = (operation: OperationModel) => sentWith(operation, findExtra(operation)?.parts ?? []);
  if (isDecided) checkSent(all, operations, sentOf, report);
  const refusalOf = (operation: OperationModel): string | null => {
    if (isDecided || isEnough(first, requirementOf(operation)) || extraOf(operation) !== undefined) return null;
    return `needs the credential ${operation.security.map((needs) => needs.map(({ id }) => id).join(' and ')).join(' or ')}`;
  };
  const refused = operations.filter((operation) => refusalOf(operation) !== null);
  reportRefused(refused, model, schemes, report);
  if (partial !== null && own.alternatives === undefined) reportPartial(partial, operations, model, report);
  if (parts.length === 0 && !isDecided && model.securitySchemes.length === 0) {
    report.config('credential-absent', [], `${model.file} declares no security scheme.`);
  }
  const repeated = (own.repeated ?? []).map((wire) => wire.replace('.', ' '));
  checkRepeated(repeated, operations, model, report);
  return {
    credential: assemble(main, own.label, alternatives, extras),
    oauth2: [...new Set(parts.flatMap(({ id, type }) => (type === 'oauth2' ? [id] : [])))],
    extraOf,
    sentOf,
    refusalOf,
    ...placesOf(parts, schemes, repeated),
  };
}

/** The parameters and members of bodies that the credential fills, and those that only repeat it. */
function placesOf(
  parts: readonly CredentialPart[],
  schemes: SchemeParts,
  repeated: readonly string[],
): CredentialPlaces {
  const filled = toFilledPlaces(parts, repeated);
  const secret = new Set([...schemes.keys()].flatMap((id) => partOf(schemes, id) ?? []).map(placeOf));
  return {
    isCredential: ({ in: place, name, required }) => {
      const key = `${place} ${place === 'header' ? name.toLowerCase() : name}`;
      return filled.has(key) || (secret.has(key) && !required);
    },
    namesIn: (place) =>
      [...filled, ...secret].flatMap((key) => (key.startsWith(`${place} `) ? [key.slice(place.length + 1)] : [])),
    idInPath: (name) => parts.find((part) => part.type === 'path' && part.name === name)?.id,
    repeatedInBody: repeated.flatMap((place) => (place.startsWith('body ') ? [place.slice('body '.length)] : [])),
    inBody: toBodyParts(parts),
  };
}

type Kind = Omit<CredentialKind, 'label'>;

function toSite(model: ServiceModel, config: ConnectorConfig): Site {
  return { baseUrl: baseUrlOf(model, config), asked: askedParts(model, config).map(({ name }) => name ?? '') };
}

/** The places that the credential fills or that repeat it; names of headers in lower case. */
function toFilledPlaces(parts: readonly CredentialPart[], repeated: readonly string[]): ReadonlySet<string> {
  const others = repeated.map((place) => (place.startsWith('header ') ? place.toLowerCase() : place));
  return new Set([...parts.map(placeOf), ...others]);
}

function assemble(
  main: Kind,
  label: string | undefined,
  alternatives: readonly CredentialKind[],
  extras: readonly CredentialKind[],
): ConnectorModel['credential'] {
  return {
    ...main,
    ...(label === undefined ? {} : { label }),
    ...(alternatives.length === 0 ? {} : { alternatives }),
    ...(extras.length === 0 ? {} : { extras }),
  };
}

/** The parts that members of bodies carry, each member once. */
function toBodyParts(parts: readonly CredentialPart[]): readonly BodyPart[] {
  const members = parts.flatMap(({ id, type, name }) => (type === 'body' && name !== null ? [{ id, name }] : []));
  return [...new Map(members.map((member) => [member.name, member])).values()];
}

/** Finds the extra with the fewest parts that opens an operation; undefined if it needs none, or if none opens it. */
function createExtraFinder(
  extras: readonly CredentialKind[],
  mainIds: readonly string[],
  requirementOf: (operation: OperationModel) => Requirement,
): (operation: OperationModel) => CredentialKind | undefined {
  return (operation) => {
    const requirement = requirementOf(operation);
    if (isEnough(mainIds, requirement)) return undefined;
    const enough = extras.filter(({ parts }) => isEnough([...mainIds, ...parts.map(({ id }) => id)], requirement));
    return enough.sort((one, other) => one.parts.length - other.parts.length)[0];
  };
}

/** The kinds of which a user chooses one, the first of them and then its alternatives, with the source of each. */
function toSentKinds(kinds: readonly Kind[], own: ConnectorConfig['credential']): readonly SentKind[] {
  return kinds.map(({ parts }, index): SentKind => {
    const configured = index === 0 ? own : own.alternatives?.[index - 1];
    if (configured?.parts !== undefined) return { parts, source: 'parts' };
    return { parts, source: configured?.schemes === undefined ? 'descriptor' : 'schemes' };
  });
}

/** Adds to a kind what every kind asks for. */
function createAlso(
  also: readonly CredentialPart[],
  { serverVariables }: ConnectorConfig,
  report: Reporter,
): <Of extends Kind>(kind: Of, path: readonly (string | number)[]) => Of {
  const asking = Object.values(serverVariables).flatMap(({ ask }) => ask?.help ?? []);
  return (kind, path) => {
    if (also.length === 0) return kind;
    const together = [...also, ...kind.parts];
    for (const clash of findClashes(together)) report.config('config-credential', path, clash);
    return { ...kind, parts: together, help: [...asking, kind.help].filter((text) => text !== '').join('\n\n') };
  };
}

/** Words of a text that helps a person: how a secret comes about or where it is, not how it is sent. */
const HELPS =
  /https?:|\b(?:account|click|console|contact|create|dashboard|enter|find|generate|issue|log ?in|menu|obtain|page|portal|profile|register|request one|settings?|sign ?(?:in|up)|visit)\w*\b/i;

function toKind(ids: readonly string[], schemes: SchemeParts, { help, url }: KindConfig): Kind {
  const usable = ids.flatMap((id) => schemes.get(id) ?? []);
  const texts = usable.flatMap((one) => ('part' in one ? toPlainText(one.description) : []));
  return {
    parts: usable.flatMap((one) => ('part' in one ? one.part : [])),
    help: help ?? [...new Set(texts.filter((text) => HELPS.test(text)))].join('\n\n'),
    url: url ?? null,
  };
}

function toLabelled(kind: Kind): CredentialKind {
  return { label: kind.parts.map(({ label }) => label).join(' and '), ...kind };
}

/** Its label names the scheme: the first kind may have a key as well. */
function toExtra(ids: readonly string[], schemes: SchemeParts): CredentialKind {
  const kind = toKind(ids, schemes, {});
  return { label: kind.parts.map(({ id, label }) => `${label} (${id})`).join(' and '), ...kind };
}

/** A kind that connector.yaml describes. */
function buildOwnKind(own: KindConfig, path: readonly (string | number)[], context: OwnContext): Kind {
  const { schemes, report } = context;
  if (own.parts !== undefined && own.schemes !== undefined) {
    report.config('config-credential', path, 'Both `schemes` and `parts` say what to ask for.');
  }
  const named = own.schemes ?? [];
  reportUnusable(named, [...path, 'schemes'], schemes, report);
  const kind = toKind(named, schemes, own);
  const parts = own.parts?.flatMap((part) => toOwnPart(part, context) ?? []) ?? kind.parts;
  for (const clash of findClashes(parts)) report.config('config-credential', path, clash);
  return { ...kind, parts };
}
