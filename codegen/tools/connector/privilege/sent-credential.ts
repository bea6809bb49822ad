/** The parts of a credential that the requests of each operation carry: those that the descriptor declares for it. */

import type { OperationModel, SecurityAlternative, ServiceModel } from '../../../model/types.ts';
import type { CredentialPart, ToolModel } from '../../types.ts';
import { placeOf } from '../credential-parts.ts';
import type { PrivilegeOrder } from './least-privilege.ts';

/** A kind of credential, and who says what its parts are. */
export interface SentKind {
  readonly parts: readonly CredentialPart[];
  /** `parts` and `schemes`: these keys of connector.yaml. */
  readonly source: 'parts' | 'schemes' | 'descriptor';
}

interface SentContext {
  readonly model: ServiceModel;
  /** Of which a user chooses one. */
  readonly kinds: readonly SentKind[];
  /** Ids of the parts that connector.yaml adds to every kind. */
  readonly addedPartIds: ReadonlySet<string>;
  readonly order: PrivilegeOrder;
  /** True for a scheme of the descriptor that the gateway can send. */
  readonly isSendable: (id: string) => boolean;
  readonly isOnServiceHost: (server: string) => boolean;
}

/**
 * Creates the function that returns `ToolModel.credential` of an operation, with the parts of its extra.
 *
 * What each kind of credential sends, case by case:
 *
 * - The operation requires a credential: the weakest of its alternatives that the kind has.
 * - It also accepts none (`{}`): the same, since users connect a service to be known there. Only a powerful credential is left out.
 * - Its own `security` is empty, or only `{}`: nothing, whatever connector.yaml says.
 * - It has no requirement, but other operations of the descriptor have one: nothing.
 * - The whole descriptor has no requirement: all that connector.yaml describes, on the service's own host.
 * - It requires a scheme that cannot be sent: parts that only connector.yaml describes are sent in its place.
 * - connector.yaml names no scheme of the descriptor: its parts go with every operation that requires a credential.
 * - A part is under `also`: it goes with every operation that requires a credential, on the service's own host.
 * - A parameter of the operation has the name and place of a secret: that secret too, in all of these cases. An optional parameter of an
 *   operation with a `security` of its own does not count.
 */
export function createSentCredential(
  context: SentContext,
): (operation: OperationModel, extra: readonly CredentialPart[]) => ToolModel['credential'] {
  const schemeIds = new Set(context.model.securitySchemes.map(({ id }) => id));
  const requirements = [context.model.security, ...context.model.operations.map(({ security }) => security)];
  const declaresAny = requirements.some(acceptsCredential);

  const idsFor = (operation: OperationModel, kind: SentKind, extra: readonly CredentialPart[]): readonly string[] => {
    const parts = partsWith(kind, extra);
    const ids = idsOfSecrets(parts);
    const idsInParameters = idsOfSecrets(parts.filter((part) => fillsParameter(operation, part)));
    const isOnServiceHost = context.isOnServiceHost(operation.server);
    if (!acceptsCredential(operation.security)) {
      const isUndeclared = operation.declaresSecurity !== true && !declaresAny;
      return isUndeclared && isOnServiceHost ? ids : idsInParameters;
    }
    const isElsewhere = (id: string) => context.addedPartIds.has(id) && !isOnServiceHost;
    const applicableIds = ids.filter((id) => !isElsewhere(id) || idsInParameters.includes(id));
    const needsOther = operation.security.flat().some(({ id }) => !context.isSendable(id));
    // Next to schemes of the descriptor, parts of connector.yaml stand for those that cannot be sent.
    const isStandIn = needsOther || !ids.some((id) => schemeIds.has(id));
    const configuredIds = applicableIds.filter(
      (id) => !schemeIds.has(id) && (isStandIn || context.addedPartIds.has(id)),
    );
    const satisfied = operation.security.filter((needs) => needs.every(({ id }) => ids.includes(id)));
    if (acceptsCredential(satisfied)) {
      const chosen = chooseAlternative(context.order.weakest(satisfied));
      return [
        ...new Set([...chosen.map(({ id }) => id), ...(chosen.length === 0 ? [] : configuredIds), ...idsInParameters]),
      ];
    }
    if (kind.source === 'descriptor') return idsInParameters;
    if (needsOther && configuredIds.every((id) => context.addedPartIds.has(id))) return applicableIds;
    const accepted = operation.security.flat().map(({ id }) => id);
    return applicableIds.filter(
      (id) => configuredIds.includes(id) || accepted.includes(id) || idsInParameters.includes(id),
    );
  };

  return (operation, extra) => {
    const idsByKind = context.kinds.map((kind) => idsFor(operation, kind, extra));
    const isAll = context.kinds.every(
      (kind, index) => idsOfSecrets(partsWith(kind, extra)).length === idsByKind[index]?.length,
    );
    if (isAll) return undefined;
    const distinct = new Map(idsByKind.filter((ids) => ids.length > 0).map((ids) => [[...ids].sort().join(' '), ids]));
    return [...distinct.values()].sort((one, other) => other.length - one.length);
  };
}

function acceptsCredential(requirement: readonly SecurityAlternative[]): boolean {
  return requirement.some((needs) => needs.length > 0);
}

/** The alternative with the fewest schemes, but a credential rather than none. */
function chooseAlternative(alternatives: readonly SecurityAlternative[]): SecurityAlternative {
  const [first = [], ...otherAlternatives] = alternatives.filter((needs) => needs.length > 0);
  return otherAlternatives.reduce((best, needs) => (needs.length < best.length ? needs : best), first);
}

/** The parts of a kind that leave room for those of an extra, and the extra's. */
function partsWith(kind: SentKind, extra: readonly CredentialPart[]): readonly CredentialPart[] {
  const extraPlaces = new Set(extra.map(placeOf));
  return [...kind.parts.filter((part) => !extraPlaces.has(placeOf(part))), ...extra];
}

/** Ids of secrets that go with a request as a whole. A request names those in its path and body itself. */
export function idsOfSecrets(parts: readonly CredentialPart[]): readonly string[] {
  const secrets = parts.filter((part) => part.type === 'oauth2' || part.isPublic !== true);
  const requestSecrets = secrets.filter(({ type }) => type !== 'path' && type !== 'body' && type !== 'server');
  return [...new Set(requestSecrets.map(({ id }) => id))];
}

function fillsParameter({ parameters, declaresSecurity }: OperationModel, part: CredentialPart): boolean {
  const place = placeOf(part);
  return parameters.some(({ in: parameterPlace, name, required }) => {
    const isHere = `${parameterPlace} ${parameterPlace === 'header' ? name.toLowerCase() : name}` === place;
    return isHere && (required || declaresSecurity !== true);
  });
}
