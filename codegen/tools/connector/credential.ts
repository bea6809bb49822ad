/** What a user must supply to connect a service, and the operations that it does not cover. */

import type { ConnectorConfig } from '../../load/connector-config.ts';
import type { KindConfig } from '../../load/credential-config.ts';
import type { OperationModel, ParameterModel, ParameterPlace, ServiceModel } from '../../model/types.ts';
import type { Reporter } from '../problems.ts';
import type { BodyPart } from '../request/credential-places.ts';
import type { ConnectorModel, CredentialKind } from '../types.ts';
import { toPlainText } from '../words/plain-text.ts';
import {
  checkKinds,
  checkLabels,
  checkOAuth2,
  reportPartial,
  reportRefused,
  reportUnusable,
} from './credential-checks.ts';
import { chooseExtras, chooseKinds, isEnough } from './credential-kinds.ts';
import { findClashes, partOf, placeOf, type SchemeParts, toOwnPart, toSchemeParts } from './credential-parts.ts';
import type { Site } from './oauth2.ts';
import { checkPlacedParts, checkRepeated } from './placed-parts.ts';
import { askedParts, baseUrlOf } from './servers.ts';

export interface CredentialPlan {
  readonly credential: ConnectorModel['credential'];
  /** Ids of the OAuth 2.0 parts of all kinds. */
  readonly oauth2: readonly string[];
  /** Label of what an operation needs in addition to the first kind; undefined: nothing. */
  extraOf(operation: OperationModel): string | undefined;
  /** Why the credential does not cover an operation, or null. */
  refusalOf(operation: OperationModel): string | null;
  /** True for a parameter that the credential fills, and for an optional one of an unused credential. */
  isCredential(parameter: ParameterModel): boolean;
  /** Names of the parameters of a place that carry a credential, used or not. */
  namesIn(place: ParameterPlace): readonly string[];
  /** Id of the part that a path parameter carries; undefined: none. */
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
  const site = { baseUrl: baseUrlOf(model, config), asked: askedParts(model, config).map(({ name }) => name ?? '') };
  const schemes = toSchemeParts(model.securitySchemes, own, site);
  const isDecided = own.parts !== undefined || own.schemes !== undefined;
  const { kinds, partial } = isDecided ? { kinds: [], partial: null } : chooseKinds(model, operations, schemes);
  const [first = [], ...others] = kinds;
  const toOwnKind = (kind: KindConfig, path: readonly (string | number)[]) =>
    buildOwnKind(kind, path, { model, site, schemes, report });
  const ownMain = isDecided ? toOwnKind(own, ['credential']) : toKind(first, schemes, own);
  const ownAlternatives =
    own.alternatives?.map((kind, index): CredentialKind => {
      return { label: kind.label, ...toOwnKind(kind, ['credential', 'alternatives', index]) };
    }) ?? others.map((ids) => toLabelled(toKind(ids, schemes, {})));
  const withAlso = createAlso(model, config, site, report);
  const main = withAlso(ownMain, ['credential']);
  const alternatives = ownAlternatives.map((kind, index) => withAlso(kind, ['credential', 'alternatives', index]));
  const all = [main, ...alternatives];
  const mainIds = main.parts.map(({ id }) => id);
  const extras =
    own.extras?.map((kind, index): CredentialKind => {
      return { label: kind.label, ...toOwnKind(kind, ['credential', 'extras', index]) };
    }) ?? (isDecided ? [] : chooseExtras(model, operations, mainIds, schemes)).map((ids) => toExtra(ids, schemes));
  const parts = [...all, ...extras].flatMap((kind) => kind.parts);
  checkOAuth2(model, config, { schemes, parts }, report);
  checkLabels(config, schemes, parts, report);
  if (own.alternatives !== undefined) checkKinds(all, report);
  checkPlacedParts(all, operations, model, report);

  const extraOf = ({ security }: OperationModel): string | undefined => {
    if (isEnough(mainIds, security)) return undefined;
    return extras.find((extra) => isEnough([...mainIds, ...extra.parts.map(({ id }) => id)], security))?.label;
  };
  const refusalOf = (operation: OperationModel): string | null => {
    if (isDecided || isEnough(first, operation.security) || extraOf(operation) !== undefined) return null;
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
  const filled = new Set([
    ...parts.map(placeOf),
    ...repeated.map((place) => (place.startsWith('header ') ? place.toLowerCase() : place)),
  ]);
  const secret = new Set([...schemes.keys()].flatMap((id) => partOf(schemes, id) ?? []).map(placeOf));
  return {
    credential: {
      ...main,
      ...(own.label === undefined ? {} : { label: own.label }),
      ...(alternatives.length === 0 ? {} : { alternatives }),
      ...(extras.length === 0 ? {} : { extras }),
    },
    oauth2: [...new Set(parts.flatMap(({ id, type }) => (type === 'oauth2' ? [id] : [])))],
    extraOf,
    refusalOf,
    isCredential: ({ in: place, name, required }) => {
      const key = `${place} ${place === 'header' ? name.toLowerCase() : name}`;
      return filled.has(key) || (secret.has(key) && !required);
    },
    namesIn: (place) =>
      [...filled, ...secret].flatMap((key) => (key.startsWith(`${place} `) ? [key.slice(place.length + 1)] : [])),
    idInPath: (name) => parts.find((part) => part.type === 'path' && part.name === name)?.id,
    repeatedInBody: repeated.flatMap((place) => (place.startsWith('body ') ? [place.slice('body '.length)] : [])),
    inBody: [
      ...new Map(
        parts.flatMap(({ id, type, name }) => (type === 'body' && name !== null ? [[name, { id, name }]] : [])),
      ).values(),
    ],
  };
}

type Kind = Omit<CredentialKind, 'label'>;

/** Adds to a kind what every kind asks for. */
function createAlso(
  model: ServiceModel,
  config: ConnectorConfig,
  site: Site,
  report: Reporter,
): <Of extends Kind>(kind: Of, path: readonly (string | number)[]) => Of {
  const also = [
    ...askedParts(model, config),
    ...(config.credential.also ?? []).flatMap(
      (part, index) => toOwnPart(part, model, site, { path: ['credential', 'also', index], report }) ?? [],
    ),
  ];
  const asking = Object.values(config.serverVariables).flatMap(({ ask }) => ask?.help ?? []);
  return (kind, path) => {
    if (also.length === 0) return kind;
    const together = [...also, ...kind.parts];
    for (const clash of findClashes(together)) report.config('config-credential', path, clash);
    return { ...kind, parts: together, help: [...asking, kind.help].filter((text) => text !== '').join('\n\n') };
  };
}

interface OwnContext {
  readonly model: ServiceModel;
  readonly site: Site;
  readonly schemes: SchemeParts;
  readonly report: Reporter;
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
  const { model, site, schemes, report } = context;
  if (own.parts !== undefined && own.schemes !== undefined) {
    report.config('config-credential', path, 'Both `schemes` and `parts` say what to ask for.');
  }
  const named = own.schemes ?? [];
  reportUnusable(named, [...path, 'schemes'], schemes, report);
  const kind = toKind(named, schemes, own);
  const parts =
    own.parts?.flatMap(
      (part, index) => toOwnPart(part, model, site, { path: [...path, 'parts', index], report }) ?? [],
    ) ?? kind.parts;
  for (const clash of findClashes(parts)) report.config('config-credential', path, clash);
  return { ...kind, parts };
}
