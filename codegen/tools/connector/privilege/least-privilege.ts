/** Least privilege among security requirements: of the alternatives that an operation accepts, the weakest. */

import type { OperationModel, SecurityAlternative, SecuritySchemeModel } from '../../../model/types.ts';
import { wordSet } from '../../../word-set.ts';
import { toWords } from '../../words/words.ts';
import { partOf, placeOf, type SchemeParts } from '../credential-parts.ts';

/** The security requirement of an operation: any of its alternatives is enough. An empty list means that none is needed. */
export type Requirement = readonly SecurityAlternative[];

/** A scheme is asked of every user if it covers at least this share of the operations that others do not cover. */
export const COMMON_SHARE = 0.5;

/** Words in the name of a scheme, or of its header, that speak of more than one user's rights. */
const POWERFUL_NAMES = wordSet(
  'admin administration administrative administrator admins company elevated enterprise full global impersonation internal ' +
    'management manager master operator org organisation organization owner partner platform privileged provider ' +
    'reseller root service staff sudo super superadmin superuser support system tenant workspace',
);

const POWERFUL_OWNERS = `admin(?:istrator|istrative|s)?|administrators|master|owner|operator|partner|root|service|staff|super[- ]?(?:user|admin)?`;

/** Descriptions of a credential with more than one user's rights. */
const POWERFUL_DESCRIPTION = new RegExp(
  [
    String.raw`\b(?:${POWERFUL_OWNERS})(?:'s|-level)?[- ](?:api[- ])?(?:access|account|credential|key|password|permission|privilege|right|role|secret|token|user)`,
    String.raw`\b(?:by|for|from|of) (?:an? |all |the )?(?:organi[sz]ation )?(?!services?\b)(?:${POWERFUL_OWNERS})s?\b`,
    String.raw`\b(?:account|company|org|organi[sz]ation|tenant|workspace)[- ]wide\b`,
    String.raw`\b(?:full|unlimited|unrestricted|elevated|every|all|any other) (?:access|accounts?|members?|permissions?|privileges?|rights|users?|workspaces?)\b`,
    String.raw`\bimpersonat`,
  ].join('|'),
  'i',
);

/** Names of keys with fewer rights than others of the same service, such as a publishable one next to a secret one. */
const LIMITED_NAME = /\b(?:anon|anonymous|limited|public|publishable|read[- ]?only|restricted|view[- ]?only)\b/i;

/** Returns how much a scheme may allow, by its words: -1 if its name says little, 0 for most, 1 if its description says more, 2 if its name does. */
function powerOf(scheme: SecuritySchemeModel): number {
  const names = scheme.type === 'apiKey' ? [scheme.id, scheme.name] : [scheme.id];
  if (names.some((name) => LIMITED_NAME.test(toWords(name).join(' ')))) return -1;
  if (names.some(isPowerful)) return 2;
  return POWERFUL_DESCRIPTION.test(scheme.description) ? 1 : 0;
}

/** True for `X-Tenant-Key`. `X-Tenant-Id` names the tenant and allows nothing. */
function isPowerful(name: string): boolean {
  const words = toWords(name);
  return words.at(-1) !== 'id' && words.some((word) => POWERFUL_NAMES.has(word));
}

/** Words of OAuth 2.0 scopes for more than one user's rights. */
const POWERFUL_SCOPES = wordSet('admin administration administrator master root sudo super superuser');

/** 2 for an alternative with the scope of an administrator, otherwise -1: its schemes say how much it may allow. */
export function powerOfScopes(needs: SecurityAlternative): number {
  const words = needs.flatMap(({ scopes }) => scopes).flatMap(toWords);
  return words.some((word) => POWERFUL_SCOPES.has(word)) ? 2 : -1;
}

/** Orders the alternatives of security requirements by the power of their schemes. */
export interface PrivilegeOrder {
  /**
   * The weakest alternatives of a requirement that can be sent, in the descriptor's order.
   *
   * An alternative is left out if it has all schemes of another and more, if its words are more powerful than those of another, or if its
   * schemes cover what those of another do and a little more. All stay if none can be sent.
   */
  weakest(requirement: Requirement): Requirement;
}

/** @param operations that have tools: which schemes they accept says which scheme covers more. */
export function createPrivilegeOrder(
  securitySchemes: readonly SecuritySchemeModel[],
  operations: readonly OperationModel[],
  schemes: SchemeParts,
): PrivilegeOrder {
  const powers = new Map(securitySchemes.map((scheme) => [scheme.id, powerOf(scheme)]));
  const powerOfAll = (needs: SecurityAlternative): number =>
    Math.max(powerOfScopes(needs), ...needs.map(({ id }) => powers.get(id) ?? 0));
  const acceptedBy = countAccepted(operations, schemes);
  const isOAuth = (id: string) => partOf(schemes, id)?.type === 'oauth2';
  const opensMore = (id: string, weaker: string): boolean => {
    const [operationsOfId, operationsOfWeaker] = [acceptedBy.get(id), acceptedBy.get(weaker)];
    if (operationsOfId === undefined || operationsOfWeaker === undefined || isOAuth(id) !== isOAuth(weaker))
      return false;
    const difference = operationsOfId.size - operationsOfWeaker.size;
    return (
      difference > 0 &&
      difference < operations.length * COMMON_SHARE &&
      [...operationsOfWeaker].every((operation) => operationsOfId.has(operation))
    );
  };
  const isWeaker = (left: SecurityAlternative, right: SecurityAlternative): boolean => {
    const [onlyLeft, onlyRight] = [withoutSchemesOf(left, right), withoutSchemesOf(right, left)];
    if (onlyLeft.length === 0 && onlyRight.length === 0)
      return left.length > 0 && powerOfScopes(left) < powerOfScopes(right);
    if (onlyRight.length === 0) return false;
    if (onlyLeft.length === 0) return left.length > 0 || powerOfAll(right) > 0;
    if (powerOfAll(onlyLeft) !== powerOfAll(onlyRight)) return powerOfAll(onlyLeft) < powerOfAll(onlyRight);
    return onlyLeft.every(({ id: weaker }) => onlyRight.some(({ id }) => opensMore(id, weaker)));
  };
  return {
    weakest(requirement) {
      const sendable = requirement.filter((needs) => canBeSent(needs, schemes));
      const weakest = sendable.filter((needs) => !sendable.some((other) => isWeaker(other, needs)));
      if (weakest.length > 0) return weakest;
      return sendable.length > 0 ? sendable : requirement;
    },
  };
}

/** True if every scheme of an alternative can be sent, and no two of them in one place. */
function canBeSent(needs: SecurityAlternative, schemes: SchemeParts): boolean {
  const parts = needs.flatMap(({ id }) => partOf(schemes, id) ?? []);
  return parts.length === needs.length && new Set(parts.map(placeOf)).size === parts.length;
}

function withoutSchemesOf(needs: SecurityAlternative, excluded: SecurityAlternative): SecurityAlternative {
  return needs.filter(({ id }) => !excluded.some((other) => other.id === id));
}

/** The operations that accept each scheme, alone or with others. */
function countAccepted(
  operations: readonly OperationModel[],
  schemes: SchemeParts,
): ReadonlyMap<string, ReadonlySet<OperationModel>> {
  const accepted = new Map<string, Set<OperationModel>>();
  for (const operation of operations) {
    const ids = operation.security
      .filter((needs) => canBeSent(needs, schemes))
      .flat()
      .map(({ id }) => id);
    for (const id of ids) {
      const acceptingOperations = accepted.get(id) ?? new Set();
      accepted.set(id, acceptingOperations.add(operation));
    }
  }
  return accepted;
}
