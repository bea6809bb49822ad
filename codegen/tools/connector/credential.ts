/** The credential that a user must supply to connect a service, and the operations that it does not cover. */

import { withoutUndefined } from '../../json.ts';
import type { ConnectorConfig } from '../../load/connector-config.ts';
import type { KindConfig } from '../../load/credential-config.ts';
import type { OperationModel, ParameterLocation, ParameterModel, ServiceModel } from '../../model/types.ts';
import type { Reporter } from '../problems.ts';
import type { BodyPart } from '../request/credential-places.ts';
import type { ConnectorModel, CredentialKind, CredentialPart, ToolModel, UnlabelledKind } from '../types.ts';
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
  type ConfigContext,
  findClashes,
  partOf,
  placeOf,
  readPartConfig,
  type SchemeParts,
  toSchemeParts,
} from './credential-parts.ts';
import type { Site } from './oauth2.ts';
import { checkPlacedParts, checkRepeated } from './placed-parts.ts';
import { createPrivilegeOrder, type Requirement } from './privilege/least-privilege.ts';
import { createSentCredential, type SentKind } from './privilege/sent-credential.ts';
import { baseUrlOf, connectionVariableParts, isOnServiceHost } from './servers.ts';

export interface CredentialPlan extends CredentialPlaces {
  readonly credential: ConnectorModel['credential'];
  /** Ids of the OAuth 2.0 parts of all kinds. */
  readonly oauth2: readonly string[];
  /** Returns the label of the credential that an operation needs in addition to the first kind. Undefined if it needs no other credential. */
  extraOf(operation: OperationModel): string | undefined;
  /** `ToolModel.credential` of an operation. */
  credentialOf(operation: OperationModel): ToolModel['credential'];
  /** Returns the reason why the credential does not cover an operation. Null if it covers it. */
  refusalOf(operation: OperationModel): string | null;
}

/** The places in requests that carry the credential. */
interface CredentialPlaces {
  /** True for a parameter that the credential fills, and for an optional one of an unused credential. */
  isCredential(parameter: ParameterModel): boolean;
  /** Names of the parameters of a place that carry a credential, used or not. */
  namesIn(place: ParameterLocation): readonly string[];
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
  const credentialConfig = config.credential;
  const site = toSite(model, config);
  const schemes = toSchemeParts(model.securitySchemes, credentialConfig, site);
  const isDecided = credentialConfig.parts !== undefined || credentialConfig.schemes !== undefined;
  const order = createPrivilegeOrder(model.securitySchemes, operations, schemes);
  const requirementOf = ({ security }: OperationModel) => (isDecided ? security : order.weakest(security));
  const weakest = { default: order.weakest(model.security), operations: operations.map(requirementOf) };
  const { kinds, partial } = isDecided ? { kinds: [], partial: null } : chooseKinds(weakest, schemes);
  const [first = [], ...otherKinds] = kinds;
  const context = { model, oauth2: credentialConfig.oauth2, site, schemes, report };
  const toConfiguredKind = (kind: KindConfig, path: readonly (string | number)[]) =>
    buildConfiguredKind(kind, path, context);
  const baseMain = isDecided
    ? toConfiguredKind(credentialConfig, ['credential'])
    : toKind(first, schemes, credentialConfig);
  const baseAlternatives =
    credentialConfig.alternatives?.map((kind, index): CredentialKind => {
      return { label: kind.label, ...toConfiguredKind(kind, ['credential', 'alternatives', index]) };
    }) ?? otherKinds.map((ids) => toLabelled(toKind(ids, schemes, {})));
  const addedParts = [
    ...connectionVariableParts(model, config),
    ...(credentialConfig.also ?? []).flatMap((part) => readPartConfig(part, context) ?? []),
  ];
  const withAddedParts = createPartAdder(addedParts, config, report);
  const main = withAddedParts(baseMain, ['credential']);
  const alternatives = baseAlternatives.map((kind, index) =>
    withAddedParts(kind, ['credential', 'alternatives', index]),
  );
  const allKinds = [main, ...alternatives];
  const mainIds = main.parts.map(({ id }) => id);
  const extras =
    credentialConfig.extras?.map((kind, index): CredentialKind => {
      return { label: kind.label, ...toConfiguredKind(kind, ['credential', 'extras', index]) };
    }) ?? (isDecided ? [] : chooseExtras(weakest, mainIds, schemes)).map((ids) => toExtra(ids, schemes));
  const parts = [...allKinds, ...extras].flatMap((kind) => kind.parts);
  checkOAuth2(model, config, { schemes, parts }, report);
  checkLabels(config, schemes, parts, report);
  if (credentialConfig.alternatives !== undefined) checkKinds(allKinds, report);
  checkPlacedParts(allKinds, operations, model, report);

  const findExtra = createExtraFinder(extras, mainIds, requirementOf);
  const extraOf = (operation: OperationModel) => findExtra(operation)?.label;
  const credentialWithExtra = createSentCredential({
    model,
    kinds: toSentKinds(allKinds, credentialConfig),
    addedPartIds: new Set((credentialConfig.also ?? []).map(({ id }) => id)),
    order,
    isSendable: (id) => partOf(schemes, id) !== undefined,
    isOnServiceHost: (server) => isOnServiceHost(server, model, config),
  });
  const credentialOf = (operation: OperationModel) => credentialWithExtra(operation, findExtra(operation)?.parts ?? []);
  if (isDecided) checkSent(allKinds, operations, credentialOf, report);
  const refusalOf = (operation: OperationModel): string | null => {
    if (isDecided || isEnough(first, requirementOf(operation)) || extraOf(operation) !== undefined) return null;
    return `needs the credential ${operation.security.map((needs) => needs.map(({ id }) => id).join(' and ')).join(' or ')}`;
  };
  const refused = operations.filter((operation) => refusalOf(operation) !== null);
  reportRefused(refused, model, schemes, report);
  if (partial !== null && credentialConfig.alternatives === undefined)
    reportPartial(partial, operations, model, report);
  if (parts.length === 0 && !isDecided && model.securitySchemes.length === 0) {
    report.config('credential-absent', [], `${model.file} declares no security scheme.`);
  }
  const repeated = (credentialConfig.repeated ?? []).map((wire) => wire.replace('.', ' '));
  checkRepeated(repeated, operations, model, report);
  return {
    credential: assemble(main, credentialConfig.label, alternatives, extras),
    oauth2: [...new Set(parts.flatMap(({ id, type }) => (type === 'oauth2' ? [id] : [])))],
    extraOf,
    credentialOf,
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
  const filledPlaces = toFilledPlaces(parts, repeated);
  const secretPlaces = new Set([...schemes.keys()].flatMap((id) => partOf(schemes, id) ?? []).map(placeOf));
  return {
    isCredential: ({ in: place, name, required }) => {
      const key = `${place} ${place === 'header' ? name.toLowerCase() : name}`;
      return filledPlaces.has(key) || (secretPlaces.has(key) && !required);
    },
    namesIn: (place) =>
      [...filledPlaces, ...secretPlaces].flatMap((key) =>
        key.startsWith(`${place} `) ? [key.slice(place.length + 1)] : [],
      ),
    idInPath: (name) => parts.find((part) => part.type === 'path' && part.name === name)?.id,
    repeatedInBody: repeated.flatMap((place) => (place.startsWith('body ') ? [place.slice('body '.length)] : [])),
    inBody: toBodyParts(parts),
  };
}

function toSite(model: ServiceModel, config: ConnectorConfig): Site {
  return {
    baseUrl: baseUrlOf(model, config),
    connectionVariables: connectionVariableParts(model, config).map(({ name }) => name ?? ''),
  };
}

/** The places that the credential fills or that repeat it; names of headers in lower case. */
function toFilledPlaces(parts: readonly CredentialPart[], repeated: readonly string[]): ReadonlySet<string> {
  const repeatedPlaces = repeated.map((place) => (place.startsWith('header ') ? place.toLowerCase() : place));
  return new Set([...parts.map(placeOf), ...repeatedPlaces]);
}

function assemble(
  main: UnlabelledKind,
  label: string | undefined,
  alternatives: readonly CredentialKind[],
  extras: readonly CredentialKind[],
): ConnectorModel['credential'] {
  return withoutUndefined({
    ...main,
    label,
    alternatives: alternatives.length === 0 ? undefined : alternatives,
    extras: extras.length === 0 ? undefined : extras,
  });
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
    const sufficientExtras = extras.filter(({ parts }) =>
      isEnough([...mainIds, ...parts.map(({ id }) => id)], requirement),
    );
    return sufficientExtras.sort((one, other) => one.parts.length - other.parts.length)[0];
  };
}

/** The kinds of which a user chooses one, the first of them and then its alternatives, with the source of each. */
function toSentKinds(
  kinds: readonly UnlabelledKind[],
  credentialConfig: ConnectorConfig['credential'],
): readonly SentKind[] {
  return kinds.map(({ parts }, index): SentKind => {
    const configured = index === 0 ? credentialConfig : credentialConfig.alternatives?.[index - 1];
    if (configured?.parts !== undefined) return { parts, source: 'parts' };
    return { parts, source: configured?.schemes === undefined ? 'descriptor' : 'schemes' };
  });
}

/** Adds to a kind what every kind asks for. */
function createPartAdder(
  addedParts: readonly CredentialPart[],
  { serverVariables }: ConnectorConfig,
  report: Reporter,
): <AnyKind extends UnlabelledKind>(kind: AnyKind, path: readonly (string | number)[]) => AnyKind {
  const helpTexts = Object.values(serverVariables).flatMap(({ ask }) => ask?.help ?? []);
  return (kind, path) => {
    if (addedParts.length === 0) return kind;
    const allParts = [...addedParts, ...kind.parts];
    for (const clash of findClashes(allParts)) report.config('config-credential', path, clash);
    return { ...kind, parts: allParts, help: [...helpTexts, kind.help].filter((text) => text !== '').join('\n\n') };
  };
}

/** Words of a text that helps a person: how a secret comes about or where it is, not how it is sent. */
const HELP_WORDS =
  /https?:|\b(?:account|click|console|contact|create|dashboard|enter|find|generate|issue|log ?in|menu|obtain|page|portal|profile|register|request one|settings?|sign ?(?:in|up)|visit)\w*\b/i;

function toKind(ids: readonly string[], schemes: SchemeParts, { help, url }: KindConfig): UnlabelledKind {
  const schemeParts = ids.flatMap((id) => schemes.get(id) ?? []);
  const texts = schemeParts.flatMap((schemePart) => ('part' in schemePart ? toPlainText(schemePart.description) : []));
  return {
    parts: schemeParts.flatMap((schemePart) => ('part' in schemePart ? schemePart.part : [])),
    help: help ?? [...new Set(texts.filter((text) => HELP_WORDS.test(text)))].join('\n\n'),
    url: url ?? null,
  };
}

function toLabelled(kind: UnlabelledKind): CredentialKind {
  return { label: kind.parts.map(({ label }) => label).join(' and '), ...kind };
}

/** Its label names the scheme: the first kind may have a key as well. */
function toExtra(ids: readonly string[], schemes: SchemeParts): CredentialKind {
  const kind = toKind(ids, schemes, {});
  return { label: kind.parts.map(({ id, label }) => `${label} (${id})`).join(' and '), ...kind };
}

/** A kind that connector.yaml describes. */
function buildConfiguredKind(
  kindConfig: KindConfig,
  path: readonly (string | number)[],
  context: ConfigContext,
): UnlabelledKind {
  const { schemes, report } = context;
  if (kindConfig.parts !== undefined && kindConfig.schemes !== undefined) {
    report.config('config-credential', path, 'Both `schemes` and `parts` say what to ask for.');
  }
  const schemeIds = kindConfig.schemes ?? [];
  reportUnusable(schemeIds, [...path, 'schemes'], schemes, report);
  const kind = toKind(schemeIds, schemes, kindConfig);
  const parts = kindConfig.parts?.flatMap((part) => readPartConfig(part, context) ?? []) ?? kind.parts;
  for (const clash of findClashes(parts)) report.config('config-credential', path, clash);
  return { ...kind, parts };
}
