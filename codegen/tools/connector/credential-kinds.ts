/** Finds the security schemes that the operations of a service need together, and the alternatives to them. */

import type { OperationModel, SecurityAlternative, ServiceModel } from '../../model/types.ts';
import type { CredentialPart } from '../types.ts';
import { partOf, placeOf, type SchemeParts } from './credential-parts.ts';

type Requirement = readonly SecurityAlternative[];

/** Ids of the schemes of each kind. */
interface Kinds {
  /** In order of preference. */
  readonly kinds: readonly (readonly string[])[];
  /** A kind with OAuth 2.0 that does not cover every operation; null if there is none, or if one covers all. */
  readonly partial: readonly string[] | null;
}

/**
 * The kinds of credential that the descriptor requires.
 *
 * The first kind takes the first alternative of each requirement that can be sent together with what other operations
 * need, unless another covers the same operations and more. If the descriptor offers both OAuth 2.0 and a credential
 * that a user types, a second kind follows; it covers every operation that the first covers.
 */
export function chooseKinds(model: ServiceModel, operations: readonly OperationModel[], schemes: SchemeParts): Kinds {
  const requirements = toRequirements(model, operations);
  const seeds = [[], ...requirements.flat().map((needs) => needs.map(({ id }) => id))];
  const distinct = new Map(seeds.map((seed) => [[...seed].sort().join(' '), seed]));
  const candidates = [...distinct.values()]
    .map((seed) => complete(seed, requirements, schemes))
    .filter((ids) => ids !== null);
  const [preferred = [], ...others] = candidates;
  const covers = (ids: readonly string[], all: readonly string[]) =>
    requirements.every((requirement) => !isEnough(all, requirement) || isEnough(ids, requirement));
  const better = others.find((ids) => covers(ids, preferred) && !covers(preferred, ids));
  const first = better ?? preferred;
  const hasOAuth = (ids: readonly string[]) => ids.some((id) => partOf(schemes, id)?.type === 'oauth2');
  const rivals = candidates.filter((ids) => ids.length > 0 && hasOAuth(ids) !== hasOAuth(first));
  const second = rivals.find((ids) => covers(ids, first) && !sharesAll(first, ids));
  if (second !== undefined && first.length > 0) return { kinds: [first, second], partial: null };
  return { kinds: [first], partial: first.length === 0 ? null : (rivals.find(hasOAuth) ?? null) };
}

/** True if schemes satisfy a requirement. An empty requirement or an empty alternative needs none. */
export function isEnough(ids: readonly string[], alternatives: Requirement): boolean {
  return alternatives.length === 0 || alternatives.some((needs) => needs.every(({ id }) => ids.includes(id)));
}

/** The descriptor's own first; duplicates are removed, because a descriptor may have a thousand operations. */
function toRequirements(model: ServiceModel, operations: readonly OperationModel[]): Requirement[] {
  const all = [model.security, ...operations.map(({ security }) => security)];
  const keyOf = (requirement: Requirement) => JSON.stringify(requirement.map((needs) => needs.map(({ id }) => id)));
  return [...new Map(all.map((requirement) => [keyOf(requirement), requirement])).values()];
}

/** The seed plus what the requirements need in addition; null if the seed cannot be sent. */
function complete(
  seed: readonly string[],
  requirements: readonly Requirement[],
  schemes: SchemeParts,
): readonly string[] | null {
  const chosen = new Map<string, CredentialPart>();
  const add = (ids: readonly string[]): boolean => {
    const parts = ids.flatMap((id) => partOf(schemes, id) ?? []);
    const places = [...chosen.values(), ...parts.filter(({ id }) => !chosen.has(id))].map(placeOf);
    if (parts.length < ids.length || new Set(places).size < places.length) return false;
    for (const part of parts) chosen.set(part.id, part);
    return true;
  };
  if (!add(seed)) return null;
  for (const requirement of requirements) {
    const wanted = requirement.map((needs) => needs.map(({ id }) => id)).filter((ids) => ids.length > 0);
    if (wanted.some((ids) => ids.every((id) => chosen.has(id)))) continue;
    wanted.some(add);
  }
  return [...chosen.keys()];
}

function sharesAll(ids: readonly string[], others: readonly string[]): boolean {
  return ids.every((id) => others.includes(id));
}
