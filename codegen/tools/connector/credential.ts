/** What a user must supply to connect a service, and which operations that is not enough for. */

import type { ConnectorConfig } from '../../load/connector-config.ts';
import type { KindConfig } from '../../load/credential-config.ts';
import type { OperationModel, ParameterModel, ParameterPlace, ServiceModel } from '../../model/types.ts';
import { type Reporter, suggest, toShortList } from '../problems.ts';
import type { ConnectorModel, CredentialKind, CredentialPart } from '../types.ts';
import { toCleanText } from '../words/texts.ts';
import { chooseKinds, isEnough } from './credential-kinds.ts';
import {
  findClashes,
  partOf,
  placeOf,
  reportOAuth2Fault,
  type SchemeParts,
  toOwnPart,
  toSchemeParts,
  wordsFor,
} from './credential-parts.ts';
import { baseUrlOf } from './servers.ts';
import { operationKey } from './tool-names.ts';

export interface CredentialPlan {
  readonly credential: ConnectorModel['credential'];
  /** Ids of the OAuth 2.0 parts of all kinds. */
  readonly oauth2: readonly string[];
  /** Why the credential is not enough for an operation, or null. */
  refusalOf(operation: OperationModel): string | null;
  /** True for a parameter that the credential fills, and for an optional one of a credential that is not asked for. */
  isCredential(parameter: ParameterModel): boolean;
  /** Names of the parameters of a place that carry a credential, asked for or not. */
  namesIn(place: ParameterPlace): readonly string[];
}

/**
 * Chooses the credential: connector.yaml's `parts`, or its `schemes`, or what the security requirements of the exposed
 * operations ask for. Kinds of which a user may choose one are connector.yaml's `alternatives`, else the descriptor's.
 *
 * What connector.yaml decides is never doubted: with `parts` or `schemes` no operation is refused.
 */
export function buildCredential(
  model: ServiceModel,
  config: ConnectorConfig,
  operations: readonly OperationModel[],
  report: Reporter,
): CredentialPlan {
  const own = config.credential;
  const baseUrl = baseUrlOf(model, config);
  const schemes = toSchemeParts(model.securitySchemes, own, baseUrl);
  const isDecided = own.parts !== undefined || own.schemes !== undefined;
  const [first = [], ...others] = isDecided ? [] : chooseKinds(model, operations, schemes);
  const toOwnKind = (kind: KindConfig, path: readonly (string | number)[]) =>
    buildOwnKind(kind, path, { model, baseUrl, schemes, report });
  const main = isDecided ? toOwnKind(own, ['credential']) : toKind(first, schemes, own);
  const alternatives =
    own.alternatives?.map((kind, index): CredentialKind => {
      return { label: kind.label, ...toOwnKind(kind, ['credential', 'alternatives', index]) };
    }) ?? others.map((ids) => toLabelled(toKind(ids, schemes, {})));
  const all = [main, ...alternatives];
  const parts = all.flatMap((kind) => kind.parts);
  checkOAuth2(model, config, schemes, parts, report);
  checkLabels(config, schemes, parts, report);
  if (own.alternatives !== undefined) checkKinds(all, report);

  const refusalOf = (operation: OperationModel): string | null => {
    if (isDecided || isEnough(first, operation.security)) return null;
    return `needs the credential ${operation.security.map((needs) => needs.map(({ id }) => id).join(' and ')).join(' or ')}`;
  };
  reportRefused(operations, model, schemes, refusalOf, report);
  if (parts.length === 0 && !isDecided && model.securitySchemes.length === 0) {
    report.config('credential-absent', [], `${model.file} declares no security scheme.`);
  }
  const filled = new Set(parts.map(placeOf));
  const secret = new Set([...schemes.keys()].flatMap((id) => partOf(schemes, id) ?? []).map(placeOf));
  return {
    credential: {
      ...main,
      ...(own.label === undefined ? {} : { label: own.label }),
      ...(alternatives.length === 0 ? {} : { alternatives }),
    },
    oauth2: [...new Set(parts.flatMap(({ id, type }) => (type === 'oauth2' ? [id] : [])))],
    refusalOf,
    isCredential: ({ in: place, name, required }) => {
      const key = `${place} ${place === 'header' ? name.toLowerCase() : name}`;
      return filled.has(key) || (secret.has(key) && !required);
    },
    namesIn: (place) =>
      [...filled, ...secret].flatMap((key) => (key.startsWith(`${place} `) ? [key.slice(place.length + 1)] : [])),
  };
}

type Kind = Omit<CredentialKind, 'label'>;

interface OwnContext {
  readonly model: ServiceModel;
  readonly baseUrl: string | null;
  readonly schemes: SchemeParts;
  readonly report: Reporter;
}

function toKind(ids: readonly string[], schemes: SchemeParts, { help, url }: KindConfig): Kind {
  const found = ids.flatMap((id) => schemes.get(id) ?? []);
  const texts = found.flatMap((one) => ('part' in one ? toCleanText(one.description) : []));
  return {
    parts: found.flatMap((one) => ('part' in one ? one.part : [])),
    help: help ?? [...new Set(texts.filter((text) => text !== ''))].join('\n\n'),
    url: url ?? null,
  };
}

function toLabelled(kind: Kind): CredentialKind {
  return { label: kind.parts.map(({ label }) => label).join(' and '), ...kind };
}

/** A kind that connector.yaml describes. */
function buildOwnKind(own: KindConfig, path: readonly (string | number)[], context: OwnContext): Kind {
  const { model, baseUrl, schemes, report } = context;
  if (own.parts !== undefined && own.schemes !== undefined) {
    report.config('config-credential', path, 'Both `schemes` and `parts` say what to ask for.');
  }
  const named = own.schemes ?? [];
  reportUnusable(named, [...path, 'schemes'], schemes, report);
  const kind = toKind(named, schemes, own);
  const parts =
    own.parts?.flatMap((part, index) => toOwnPart(part, model, baseUrl, [...path, 'parts', index], report) ?? []) ??
    kind.parts;
  for (const clash of findClashes(parts)) report.config('config-credential', path, clash);
  return { ...kind, parts };
}

function reportUnusable(
  ids: readonly string[],
  path: readonly (string | number)[],
  schemes: SchemeParts,
  report: Reporter,
): void {
  for (const [index, id] of ids.entries()) {
    const found = schemes.get(id);
    if (found !== undefined && 'part' in found) continue;
    if (found !== undefined && found.fault !== null) {
      reportOAuth2Fault(id, found.fault, ['credential', 'oauth2', id], report);
      continue;
    }
    report.config(
      'config-scheme-unknown',
      [...path, index],
      found === undefined
        ? `The descriptor has no security scheme ${id}.`
        : `The security scheme ${id} is ${found.reason}, which is not supported.`,
      suggest(id, usableIds(schemes), 'Describe the credential with `parts`.'),
    );
  }
}

function usableIds(schemes: SchemeParts): string[] {
  return [...schemes.keys()].filter((id) => partOf(schemes, id) !== undefined);
}

/** What connector.yaml says of OAuth 2.0 is about a scheme that is OAuth 2.0, works, and is asked for. */
function checkOAuth2(
  model: ServiceModel,
  { credential }: ConnectorConfig,
  schemes: SchemeParts,
  parts: readonly CredentialPart[],
  report: Reporter,
): void {
  const known = model.securitySchemes.flatMap(({ id, type }) => (type === 'oauth2' ? [id] : []));
  const isNamed = (id: string) =>
    [credential, ...(credential.alternatives ?? [])].some((kind) => kind.schemes?.includes(id));
  for (const id of Object.keys(credential.oauth2 ?? {})) {
    const path = ['credential', 'oauth2', id];
    const found = schemes.get(id);
    if (!known.includes(id)) {
      report.config(
        'config-scheme-unknown',
        path,
        found === undefined
          ? `The descriptor has no security scheme ${id}.`
          : `The security scheme ${id} is ${wordsFor(schemes, id)}, not OAuth 2.0.`,
        suggest(id, known, 'Describe it under `parts`, with `type: oauth2`.'),
      );
    } else if (found !== undefined && 'reason' in found) {
      if (found.fault !== null && !isNamed(id)) reportOAuth2Fault(id, found.fault, path, report);
    } else if (!parts.some((part) => part.id === id)) {
      report.config(
        'config-scheme-unknown',
        path,
        `No kind of credential has the security scheme ${id}.`,
        `Name it under \`schemes\`, or under \`alternatives\`.`,
      );
    }
  }
}

function checkLabels(
  { credential: { labels = {} } }: ConnectorConfig,
  schemes: SchemeParts,
  parts: readonly CredentialPart[],
  report: Reporter,
): void {
  const ids = parts.map(({ id }) => id).filter((id) => schemes.has(id));
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

/** A stored connection is of the first kind whose parts it has all. */
function checkKinds(kinds: readonly Kind[], report: Reporter): void {
  for (const [index, { parts }] of kinds.entries()) {
    const path = index === 0 ? ['credential'] : ['credential', 'alternatives', index - 1];
    if (parts.length === 0 && kinds.length > 1) {
      report.config('config-credential', path, 'A kind of credential without parts stands next to others.');
    }
    const isHidden = kinds.slice(0, index).some((earlier) => {
      const keys = parts.map(({ id, type }) => `${type} ${id}`);
      return earlier.parts.length > 0 && earlier.parts.every(({ id, type }) => keys.includes(`${type} ${id}`));
    });
    if (isHidden) {
      const message =
        'This kind of credential has all parts of an earlier one, so no connection could be of this kind.';
      report.config('config-credential', path, message, 'Put it before the other, or give its parts other ids.');
    }
  }
}

/** One diagnostic a scheme, not one an operation: a descriptor may have a thousand of them. */
function reportRefused(
  operations: readonly OperationModel[],
  model: ServiceModel,
  schemes: SchemeParts,
  refusalOf: CredentialPlan['refusalOf'],
  report: Reporter,
): void {
  const refused = operations.filter((operation) => refusalOf(operation) !== null);
  const groups = Map.groupBy(refused, ({ security }) => {
    const ids = security.flat().map(({ id }) => id);
    return ids.find((id) => partOf(schemes, id) === undefined) ?? ids[0] ?? '';
  });
  for (const [id, same] of groups) {
    const found = schemes.get(id);
    const isIncomplete = found !== undefined && 'fault' in found && found.fault !== null;
    report.descriptor(
      'credential-unsupported',
      model.securitySchemes.find((scheme) => scheme.id === id)?.pointer ?? '',
      `${same.length} operations need ${id} (${wordsFor(schemes, id)}), which cannot be sent: ${toShortList(same.map(operationKey))}.`,
      isIncomplete
        ? `Write \`credential: { oauth2: { ${id}: { authorizationUrl: https://..., tokenUrl: https://... } } }\` into connector.yaml, or describe another credential with \`parts\`.`
        : undefined,
    );
  }
}
