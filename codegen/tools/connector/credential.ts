/** What a user must supply to connect a service, and which operations that is not enough for. */

import { entryOf } from '../../json-pointer.ts';
import type { ConnectorConfig } from '../../load/connector-config.ts';
import type {
  OperationModel,
  ParameterModel,
  ParameterPlace,
  SecuritySchemeModel,
  ServiceModel,
} from '../../model/types.ts';
import { type Reporter, suggest, toShortList } from '../problems.ts';
import { isToken } from '../request/parameter-styles.ts';
import type { ConnectorModel, CredentialPart } from '../types.ts';
import { toCleanText } from '../words/texts.ts';
import { operationKey } from './tool-names.ts';

export interface CredentialPlan {
  readonly credential: ConnectorModel['credential'];
  /** Why the credential is not enough for an operation, or null. */
  refusalOf(operation: OperationModel): string | null;
  /** True for a parameter that the credential fills, and for an optional one of a credential that is not asked for. */
  isCredential(parameter: ParameterModel): boolean;
  /** Names of the parameters of a place that carry a credential, asked for or not. */
  namesIn(place: ParameterPlace): readonly string[];
}

/**
 * Chooses the credential: connector.yaml's `parts`, or its `schemes`, or what the descriptor's security requirements
 * ask for in the first alternative that can be sent.
 *
 * Schemes that only some operations need are added, unless they would write the same header or parameter. What
 * connector.yaml decides is never doubted: with `parts` or `schemes` no operation is refused.
 */
export function buildCredential(model: ServiceModel, config: ConnectorConfig, report: Reporter): CredentialPlan {
  const { parts: ownParts, schemes: ownSchemes, labels = {}, help, url } = config.credential;
  const byId = new Map(model.securitySchemes.map((scheme) => [scheme.id, scheme]));
  if (ownParts !== undefined && ownSchemes !== undefined) {
    report.config('config-credential', ['credential'], 'Both `schemes` and `parts` say what to ask for.');
  }
  const isDecided = ownParts !== undefined || ownSchemes !== undefined;
  const chosen = isDecided ? chooseNamed(ownSchemes ?? [], byId, report) : chooseNeeded(model, byId);
  const parts =
    ownParts === undefined
      ? chosen.map((scheme) => toPart(scheme, entryOf(labels, scheme.id)))
      : ownParts.map((part) => ({
          id: part.id,
          type: part.type,
          label: part.label,
          name: 'name' in part ? part.name : null,
        }));
  checkParts(parts, isDecided, report);
  checkLabels(labels, chosen, report);
  const has = new Set(chosen.map(({ id }) => id));
  const refusalOf = (operation: OperationModel): string | null => {
    if (isDecided || operation.security.length === 0) return null;
    if (operation.security.some((alternative) => alternative.every((id) => has.has(id)))) return null;
    return `needs the credential ${operation.security.map((ids) => ids.join(' and ')).join(' or ')}`;
  };
  reportRefused(model, byId, refusalOf, report);
  if (parts.length === 0 && !isDecided && model.securitySchemes.length === 0) {
    report.config('credential-absent', [], `${model.file} declares no security scheme.`);
  }
  const descriptions = chosen.map(({ description }) => toCleanText(description)).filter((text) => text !== '');
  const filled = new Set(parts.flatMap(placeOf));
  const secret = new Set(
    model.securitySchemes.flatMap((scheme) => (isUsable(scheme) ? placeOf(toPart(scheme, undefined)) : [])),
  );
  return {
    credential: { parts, help: help ?? [...new Set(descriptions)].join('\n\n'), url: url ?? null },
    refusalOf,
    isCredential: ({ in: place, name, required }) => {
      const key = `${place} ${place === 'header' ? name.toLowerCase() : name}`;
      return filled.has(key) || (secret.has(key) && !required);
    },
    namesIn: (place) =>
      [...filled, ...secret].flatMap((key) => (key.startsWith(`${place} `) ? [key.slice(place.length + 1)] : [])),
  };
}

type UsableScheme = Exclude<SecuritySchemeModel, { readonly type: 'unsupported' }>;

function isUsable(scheme: SecuritySchemeModel | undefined): scheme is UsableScheme {
  if (scheme === undefined || scheme.type === 'unsupported') return false;
  return scheme.type !== 'apiKey' || scheme.in !== 'cookie' || isToken(scheme.name);
}

function chooseNamed(
  ids: readonly string[],
  byId: ReadonlyMap<string, SecuritySchemeModel>,
  report: Reporter,
): readonly UsableScheme[] {
  return ids.flatMap((id, index) => {
    const scheme = byId.get(id);
    if (isUsable(scheme)) return [scheme];
    const usable = [...byId.values()].filter(isUsable).map((other) => other.id);
    report.config(
      'config-scheme-unknown',
      ['credential', 'schemes', index],
      scheme === undefined
        ? `The descriptor has no security scheme ${id}.`
        : `The security scheme ${id} is ${kindOf(scheme)}, which is not supported.`,
      suggest(id, usable, 'Describe the credential with `parts`.'),
    );
    return [];
  });
}

function chooseNeeded(model: ServiceModel, byId: ReadonlyMap<string, SecuritySchemeModel>): readonly UsableScheme[] {
  const chosen = new Map<string, UsableScheme>();
  const places = new Set<string>();
  const requirements = [model.security, ...model.operations.map(({ security }) => security)];
  for (const alternatives of requirements) {
    if (alternatives.length === 0 || alternatives.some((ids) => ids.length > 0 && ids.every((id) => chosen.has(id))))
      continue;
    for (const ids of alternatives) {
      const schemes = ids.map((id) => byId.get(id));
      if (ids.length === 0 || !schemes.every(isUsable)) continue;
      const added = schemes.filter(({ id }) => !chosen.has(id));
      const wanted = added.flatMap((scheme) => placeOf(toPart(scheme, undefined)));
      if (wanted.some((place) => places.has(place)) || new Set(wanted).size < wanted.length) continue;
      for (const scheme of added) chosen.set(scheme.id, scheme);
      for (const place of wanted) places.add(place);
      break;
    }
  }
  return [...chosen.values()];
}

function toPart(scheme: UsableScheme, label: string | undefined): CredentialPart {
  const { id } = scheme;
  if (scheme.type === 'bearer') return { id, type: 'bearer', label: label ?? 'Access token', name: null };
  if (scheme.type !== 'apiKey') return { id, type: 'basic', label: label ?? 'User name and password', name: null };
  return { id, type: scheme.in, label: label ?? 'API key', name: scheme.name };
}

/** The header, query parameter or cookie that a part writes. */
function placeOf({ type, name }: CredentialPart): readonly string[] {
  if (type === 'query' || type === 'cookie') return [`${type} ${name}`];
  return [`header ${type === 'header' ? (name ?? '').toLowerCase() : 'authorization'}`];
}

function checkParts(parts: readonly CredentialPart[], isDecided: boolean, report: Reporter): void {
  const places = parts.flatMap(placeOf);
  const ids = parts.map(({ id }) => id);
  const repeated = [
    ...places.filter((place, index) => places.indexOf(place) < index),
    ...ids.filter((id, index) => ids.indexOf(id) < index),
  ];
  if (isDecided && repeated.length > 0) {
    report.config('config-credential', ['credential'], `Two parts of the credential use ${repeated.join(', ')}.`);
  }
}

function checkLabels(
  labels: Readonly<Record<string, string>>,
  chosen: readonly UsableScheme[],
  report: Reporter,
): void {
  const ids = chosen.map(({ id }) => id);
  for (const id of Object.keys(labels)) {
    if (ids.includes(id)) continue;
    report.config(
      'config-scheme-unknown',
      ['credential', 'labels', id],
      `The credential has no security scheme ${id}.`,
      suggest(id, ids, 'Remove the label.'),
    );
  }
}

function kindOf(scheme: SecuritySchemeModel): string {
  if (scheme.type === 'unsupported') return scheme.kind;
  return scheme.type === 'apiKey' ? `an API key in a ${scheme.in}` : scheme.type;
}

/** One diagnostic a scheme, not one an operation: a descriptor may have a thousand of them. */
function reportRefused(
  model: ServiceModel,
  byId: ReadonlyMap<string, SecuritySchemeModel>,
  refusalOf: CredentialPlan['refusalOf'],
  report: Reporter,
): void {
  const refused = model.operations.filter((operation) => refusalOf(operation) !== null);
  const groups = Map.groupBy(
    refused,
    (operation) =>
      operation.security.flat().find((id) => !isUsable(byId.get(id))) ?? operation.security.flat()[0] ?? '',
  );
  for (const [id, operations] of groups) {
    const scheme = byId.get(id);
    const kind = scheme === undefined ? 'unknown' : kindOf(scheme);
    report.descriptor(
      'credential-unsupported',
      scheme?.pointer ?? '',
      `${operations.length} operations need ${id} (${kind}), which cannot be sent: ${toShortList(operations.map(operationKey))}.`,
    );
  }
}
