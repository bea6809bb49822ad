/** Checks a credential, and finds operations that work without it. */

import type { ConnectorConfig } from '../../load/connector-config.ts';
import type { OperationModel, ServiceModel } from '../../model/types.ts';
import { type Reporter, suggest, toShortList } from '../problems.ts';
import type { CredentialPart, ToolModel, UnlabelledKind } from '../types.ts';
import { isEnough } from './credential-kinds.ts';
import { describeScheme, MANY_FIELDS, partOf, reportOAuth2Fault, type SchemeParts } from './credential-parts.ts';
import { idsOfSecrets } from './privilege/sent-credential.ts';
import { operationKey } from './tool-names.ts';

/** Reports schemes that connector.yaml names and that cannot be used. `path` leads to its list. */
export function reportUnusable(
  ids: readonly string[],
  path: readonly (string | number)[],
  schemes: SchemeParts,
  report: Reporter,
): void {
  for (const [index, id] of ids.entries()) {
    const schemePart = schemes.get(id);
    if (schemePart !== undefined && 'part' in schemePart) continue;
    if (schemePart !== undefined && schemePart.fault !== null) {
      reportOAuth2Fault(id, schemePart.fault, report);
      continue;
    }
    report.config(
      'config-scheme-unknown',
      [...path, index],
      schemePart === undefined
        ? `The descriptor has no security scheme ${id}.`
        : `The security scheme ${id} is ${schemePart.reason}, which is not supported.`,
      suggest(id, usableIds(schemes), 'Describe the credential with `parts`.'),
    );
  }
}

function usableIds(schemes: SchemeParts): string[] {
  return [...schemes.keys()].filter((id) => partOf(schemes, id) !== undefined);
}

/** OAuth 2.0 settings of connector.yaml must be of one of its parts, or of a scheme that is OAuth 2.0, works, and is used. */
export function checkOAuth2(
  model: ServiceModel,
  { credential }: ConnectorConfig,
  { schemes, parts }: { readonly schemes: SchemeParts; readonly parts: readonly CredentialPart[] },
  report: Reporter,
): void {
  const oauthSchemes = model.securitySchemes.flatMap(({ id, type }) => (type === 'oauth2' ? [id] : []));
  const kinds = [credential, ...(credential.alternatives ?? [])];
  const isNamed = (id: string) => kinds.some((kind) => kind.schemes?.includes(id));
  const ownParts = [...kinds.flatMap((kind) => kind.parts ?? []), ...(credential.also ?? [])];
  for (const id of Object.keys(credential.oauth2 ?? {})) {
    if (ownParts.some((part) => part.type === 'oauth2' && part.id === id)) continue;
    const path = ['credential', 'oauth2', id];
    const schemePart = schemes.get(id);
    if (!oauthSchemes.includes(id)) {
      report.config(
        'config-scheme-unknown',
        path,
        schemePart === undefined
          ? `The descriptor has no security scheme ${id}.`
          : `The security scheme ${id} is ${describeScheme(schemes, id)}, not OAuth 2.0.`,
        suggest(id, oauthSchemes, `Write a part with \`id: ${id}\` and \`type: oauth2\`.`),
      );
    } else if (schemePart !== undefined && 'reason' in schemePart) {
      if (schemePart.fault !== null && !isNamed(id)) reportOAuth2Fault(id, schemePart.fault, report);
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

/** Labels must be of schemes in some kind; prefixes, of those in headers. */
export function checkLabels(
  { credential: { labels = {}, prefixes = {} } }: ConnectorConfig,
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
  const headers = parts.filter(({ id, type }) => type === 'header' && ids.includes(id)).map(({ id }) => id);
  for (const id of Object.keys(prefixes)) {
    if (headers.includes(id)) continue;
    report.config(
      'config-scheme-unknown',
      ['credential', 'prefixes', id],
      `The credential has no security scheme ${id} that is a key in a header.`,
      suggest(id, headers, 'Remove the prefix.'),
    );
  }
}

/** Kinds must be distinguishable: a stored connection is of the first kind whose parts it has in full. */
export function checkKinds(kinds: readonly UnlabelledKind[], report: Reporter): void {
  for (const [index, { parts }] of kinds.entries()) {
    const path = index === 0 ? ['credential'] : ['credential', 'alternatives', index - 1];
    if (parts.length === 0 && kinds.length > 1) {
      report.config('config-credential', path, 'A kind of credential without parts stands next to others.');
    }
    const isHidden = kinds.slice(0, index).some((earlier) => {
      const fields = parts.map(fieldsOf);
      return earlier.parts.length > 0 && earlier.parts.every((part) => fields.includes(fieldsOf(part)));
    });
    if (isHidden) {
      const message =
        'This kind of credential has all parts of an earlier one, so no connection could be of this kind.';
      report.config('config-credential', path, message, 'Put it before the other, or give its parts other ids.');
    }
  }
}

/** The fields that a connection stores for a part: a key is one field, wherever it is sent. */
function fieldsOf({ id, type }: CredentialPart): string {
  return `${MANY_FIELDS.has(type) ? type : 'key'} ${id}`;
}

/** Reports secrets that connector.yaml names and that no operation with a tool is sent: users would be asked for what is never used. */
export function checkSent(
  kinds: readonly UnlabelledKind[],
  operations: readonly OperationModel[],
  credentialOf: (operation: OperationModel) => ToolModel['credential'],
  report: Reporter,
): void {
  const requests = operations.map(credentialOf);
  if (operations.length === 0 || requests.includes(undefined)) return;
  const sentIds = new Set(requests.flat(2));
  const unsent = idsOfSecrets(kinds.flatMap(({ parts }) => parts)).filter((id) => !sentIds.has(id));
  if (unsent.length === 0) return;
  const operationsText =
    operations.length === 1 ? 'the operation with a tool' : `any of the ${operations.length} operations with a tool`;
  report.config('credential-unsent', ['credential'], `${unsent.join(' and ')} is not sent to ${operationsText}.`);
}

/** Reports OAuth 2.0 that some operations do not accept: losing them is a decision. */
export function reportPartial(
  ids: readonly string[],
  operations: readonly OperationModel[],
  { securitySchemes }: ServiceModel,
  report: Reporter,
): void {
  const uncoveredOperations = operations.filter(({ security }) => !isEnough(ids, security));
  const names = ids.join(' and ');
  report.descriptor(
    'credential-partial',
    securitySchemes.find(({ id }) => id === ids[0])?.pointer ?? '',
    `${names} is enough for ${operations.length - uncoveredOperations.length} of ${operations.length} operations, not for ${toShortList(uncoveredOperations.map(operationKey))}.`,
    `Where users are to sign in, write \`credential: { schemes: [${ids.join(', ')}] }\` into connector.yaml, and name the others under notExposed.`,
  );
}

/** One diagnostic for each scheme, not for each operation: a descriptor may have a thousand of them. */
export function reportRefused(
  refused: readonly OperationModel[],
  model: ServiceModel,
  schemes: SchemeParts,
  report: Reporter,
): void {
  const groups = Map.groupBy(refused, ({ security }) => {
    const ids = security.flat().map(({ id }) => id);
    return ids.find((id) => partOf(schemes, id) === undefined) ?? ids[0] ?? '';
  });
  for (const [id, operations] of groups) {
    const schemePart = schemes.get(id);
    const isIncomplete = schemePart !== undefined && 'fault' in schemePart && schemePart.fault !== null;
    report.descriptor(
      'credential-unsupported',
      model.securitySchemes.find((scheme) => scheme.id === id)?.pointer ?? '',
      `${operations.length} operations need ${id} (${describeScheme(schemes, id)}), which cannot be sent: ${toShortList(operations.map(operationKey))}.`,
      isIncomplete
        ? `Write \`credential: { oauth2: { ${id}: { authorizationUrl: https://..., tokenUrl: https://... } } }\` into connector.yaml, or describe another credential with \`parts\`.`
        : undefined,
    );
  }
}
