/** The credential that a user must supply to connect a service, and the operations that it does not cover. */

import { withoutUndefined } from '../../json.ts';
import type { ConnectorConfig } from '../../load/connector-config.ts';
import type { OperationModel, ParameterLocation, ParameterModel, ServiceModel } from '../../model/types.ts';
import type { Reporter } from '../problems.ts';
import type { BodyPart } from '../request/credential-places.ts';
import type { ConnectorModel, CredentialKind, CredentialPart, ToolModel, UnlabelledKind } from '../types.ts';
import { checkKinds, checkLabels, checkOAuth2, checkSent, reportPartial, reportRefused } from './credential-checks.ts';
import { isEnough } from './credential-kinds.ts';
import { partOf, placeOf, placeOfParameter, type SchemeParts, toSchemeParts } from './credential-parts.ts';
import { type DecidedKinds, decideKinds, isCredentialDecided } from './decide-kinds.ts';
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
  const { credential } = config;
  const connectionParts = connectionVariableParts(model, config);
  const site = {
    baseUrl: baseUrlOf(model, config),
    connectionVariables: connectionParts.map(({ name }) => name ?? ''),
  };
  const schemes = toSchemeParts(model.securitySchemes, credential, site);
  const order = createPrivilegeOrder(model.securitySchemes, operations, schemes);
  const requirementOf = ({ security }: OperationModel) =>
    isCredentialDecided(config) ? security : order.weakest(security);
  const decidedKinds = decideKinds(
    config,
    { default: order.weakest(model.security), operations: operations.map(requirementOf) },
    connectionParts,
    { model, oauth2: credential.oauth2, site, schemes, report },
  );
  const { main, alternatives, extras, chosenIds, partial } = decidedKinds;
  const allKinds = [main, ...alternatives];
  const parts = [...allKinds, ...extras].flatMap((kind) => kind.parts);
  checkOAuth2(model, config, { schemes, parts }, report);
  checkLabels(config, schemes, parts, report);
  if (credential.alternatives !== undefined) checkKinds(allKinds, report);
  checkPlacedParts({ kinds: allKinds, config: credential }, operations, model, report);

  const mainIds = main.parts.map(({ id }) => id);
  const findExtra = createExtraFinder(extras, mainIds, requirementOf);
  const credentialWithExtra = createSentCredential({
    model,
    kinds: toSentKinds(allKinds, credential),
    addedPartIds: new Set((credential.also ?? []).map(({ id }) => id)),
    order,
    isSendable: (id) => partOf(schemes, id) !== undefined,
    isOnServiceHost: (server) => isOnServiceHost(server, model, config),
  });
  const credentialOf = (operation: OperationModel) => credentialWithExtra(operation, findExtra(operation)?.parts ?? []);
  const refusalOf = (operation: OperationModel): string | null => {
    if (chosenIds === null || isEnough(chosenIds, requirementOf(operation))) return null;
    if (findExtra(operation) !== undefined) return null;
    const alternativeTexts = operation.security.map((needs) => needs.map(({ id }) => id).join(' and '));
    return `needs the credential ${alternativeTexts.join(' or ')}`;
  };
  if (chosenIds === null) checkSent(allKinds, operations, credentialOf, report);
  const refused = operations.filter((operation) => refusalOf(operation) !== null);
  reportRefused(refused, model, schemes, report);
  if (partial !== null && credential.alternatives === undefined) reportPartial(partial, operations, model, report);
  if (parts.length === 0 && chosenIds !== null && model.securitySchemes.length === 0) {
    report.config('credential-absent', [], `${model.file} declares no security scheme.`);
  }
  const repeated = (credential.repeated ?? []).map((wire) => {
    const [place = '', ...words] = wire.split('.');
    return placeOfParameter({ in: place, name: words.join('.') });
  });
  checkRepeated(repeated, operations, model, report);
  return {
    credential: assemble(decidedKinds, credential),
    oauth2: [...new Set(parts.flatMap(({ id, type }) => (type === 'oauth2' ? [id] : [])))],
    extraOf: (operation) => findExtra(operation)?.label,
    credentialOf,
    refusalOf,
    ...findFilledPlaces(parts, schemes, repeated),
  };
}

function assemble(
  { main, alternatives, extras }: DecidedKinds,
  { label, repeated }: ConnectorConfig['credential'],
): ConnectorModel['credential'] {
  return withoutUndefined({
    ...main,
    label,
    alternatives: alternatives.length === 0 ? undefined : alternatives,
    extras: extras.length === 0 ? undefined : extras,
    repeated,
  });
}

/** Finds the extra with the fewest parts that covers an operation; undefined if it needs none, or if none covers it. */
function createExtraFinder(
  extras: readonly CredentialKind[],
  mainIds: readonly string[],
  requirementOf: (operation: OperationModel) => Requirement,
): (operation: OperationModel) => CredentialKind | undefined {
  return (operation) => {
    const requirement = requirementOf(operation);
    if (isEnough(mainIds, requirement)) return undefined;
    const findSmallest = (needed: Requirement) =>
      extras
        .filter(({ parts }) => isEnough([...mainIds, ...parts.map(({ id }) => id)], needed))
        .sort((one, other) => one.parts.length - other.parts.length)[0];
    const extra = findSmallest(requirement);
    if (extra !== undefined || isEnough(mainIds, operation.security)) return extra;
    // The `extras` of connector.yaml may be for another alternative than the one with the fewest rights.
    return findSmallest(operation.security);
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

/** The parameters and members of bodies that the credential fills, and those that only repeat it. */
function findFilledPlaces(
  parts: readonly CredentialPart[],
  schemes: SchemeParts,
  repeated: readonly string[],
): CredentialPlaces {
  const filledPlaces = new Set([...parts.map(placeOf), ...repeated]);
  const secretPlaces = new Set([...schemes.keys()].flatMap((id) => partOf(schemes, id) ?? []).map(placeOf));
  return {
    isCredential: (parameter) => {
      const key = placeOfParameter(parameter);
      return filledPlaces.has(key) || (secretPlaces.has(key) && !parameter.required);
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

/** The parts that members of bodies carry, each member once. */
function toBodyParts(parts: readonly CredentialPart[]): readonly BodyPart[] {
  const members = parts.flatMap(({ id, type, name }) => (type === 'body' && name !== null ? [{ id, name }] : []));
  return [...new Map(members.map((member) => [member.name, member])).values()];
}
