/** Finds the security schemes that the operations of a service need together, and the alternatives to them. */

import type { SecurityAlternative } from '../../model/types.ts';
import type { CredentialPart } from '../types.ts';
import { partOf, placeOf, type SchemeParts } from './credential-parts.ts';
import { COMMON_SHARE, type Requirement } from './privilege/least-privilege.ts';

/** Ids of the schemes of each kind. */
interface Kinds {
  /** In order of preference. */
  readonly kinds: readonly (readonly string[])[];
  /** A kind with OAuth 2.0 that does not cover every operation; null if there is none, or if one covers all. */
  readonly partial: readonly string[] | null;
}

/** The security requirements of a service, each with the weakest of its alternatives alone. */
export interface WeakestRequirements {
  /** The descriptor's default, whose schemes come first among equal ones. */
  readonly default: Requirement;
  /** Of each operation that has a tool. */
  readonly operations: readonly Requirement[];
}

/**
 * The kinds of credential that the operations with tools require.
 *
 * The first kind is the one that covers most operations; of equal ones, the one whose schemes the descriptor names first. It has what can be
 * sent together, except for schemes that cover few operations. If the descriptor offers both OAuth 2.0 and a credential that a user types, a
 * second kind follows; it covers every operation that the first covers.
 *
 * A scheme that no operation accepts is in no kind.
 */
export function chooseKinds(service: WeakestRequirements, schemes: SchemeParts): Kinds {
  const requirements = toRequirements(service);
  const candidates = findCandidates(requirements, schemes);
  const covers = (ids: readonly string[], all: readonly string[]) =>
    requirements.every(({ needs }) => !isEnough(all, needs) || isEnough(ids, needs));
  const hasOAuth = (ids: readonly string[]) => ids.some((id) => partOf(schemes, id)?.type === 'oauth2');

  const first = chooseFirst(candidates, requirements, service.operations.length);
  if (first.length === 0) return { kinds: [first], partial: null };
  const rivals = candidates.filter((ids) => ids.length > 0 && hasOAuth(ids) !== hasOAuth(first));
  const second = rivals.find((ids) => covers(ids, first) && !first.every((id) => ids.includes(id)));
  if (second !== undefined) return { kinds: [first, second], partial: null };
  return { kinds: [first], partial: rivals.find(hasOAuth) ?? null };
}

/** Each alternative of a requirement, with what the other requirements need in addition. No credential is a candidate as well. */
function findCandidates(
  requirements: readonly CountedRequirement[],
  schemes: SchemeParts,
): readonly (readonly string[])[] {
  const alternatives = requirements.flatMap(({ needs }) => needs.map((all) => all.map(({ id }) => id)));
  const distinct = new Map([[], ...alternatives].map((ids) => [toKey(ids), ids]));
  return [...distinct.values()].flatMap((ids) => {
    const completed = complete(ids, requirements, schemes);
    return completed === null ? [] : [completed];
  });
}

/** The candidate that covers most operations and has no scheme that covers few; of equal ones the first. */
function chooseFirst(
  candidates: readonly (readonly string[])[],
  requirements: readonly CountedRequirement[],
  operationCount: number,
): readonly string[] {
  const opened = (ids: readonly string[]) => countOpened(ids, requirements);
  const opensMany = (id: string, ids: readonly string[]) =>
    opened(ids) - opened(ids.filter((other) => other !== id)) >= operationCount * COMMON_SHARE;
  const common = candidates.filter((ids) => ids.length < 2 || ids.every((id) => opensMany(id, ids)));
  const [preferred = candidates[0] ?? [], ...otherCandidates] = common;
  return otherCandidates.reduce((best, ids) => (opened(ids) > opened(best) ? ids : best), preferred);
}

/**
 * Returns the ids of schemes that operations need in addition to those of a kind, those for most operations first. Operations whose schemes cannot be
 * sent have no such ids.
 */
export function chooseExtras(
  service: WeakestRequirements,
  kind: readonly string[],
  schemes: SchemeParts,
): readonly (readonly string[])[] {
  const missing = toRequirements(service)
    .filter(({ needs, count }) => count > 0 && !isEnough(kind, needs))
    .sort((a, b) => b.count - a.count);
  const countOpenedWith = (ids: readonly string[]) => countOpened([...kind, ...ids], missing);
  const extras = new Map<string, readonly string[]>();
  for (const { needs } of missing) {
    const candidates = needs
      .map((all) => all.map(({ id }) => id).filter((id) => !kind.includes(id)))
      .filter((ids) => complete(ids, [], schemes) !== null);
    const [first, ...otherCandidates] = candidates;
    if (first === undefined || candidates.some((ids) => extras.has(toKey(ids)))) continue;
    const widest = otherCandidates.reduce(
      (best, ids) => (countOpenedWith(ids) > countOpenedWith(best) ? ids : best),
      first,
    );
    extras.set(toKey(widest), widest);
  }
  return [...extras.values()];
}

/** True if schemes satisfy a requirement. An empty requirement or an empty alternative needs none. */
export function isEnough(ids: readonly string[], alternatives: Requirement): boolean {
  return alternatives.length === 0 || alternatives.some((needs) => needs.every(({ id }) => ids.includes(id)));
}

/** A requirement, and how many operations have it. */
interface CountedRequirement {
  readonly needs: Requirement;
  readonly count: number;
}

/** The descriptor's default first; each once, because a descriptor may have a thousand operations. */
function toRequirements(service: WeakestRequirements): CountedRequirement[] {
  const accepted = new Set(service.operations.flatMap((requirement) => requirement.map(keyOfNeeds)));
  const usedDefault = service.default.filter((needs) => accepted.has(keyOfNeeds(needs)));
  const all = [{ needs: usedDefault, count: 0 }, ...service.operations.map((needs) => ({ needs, count: 1 }))];
  const keyOf = ({ needs }: CountedRequirement) => JSON.stringify(needs.map(keyOfNeeds));
  return [...Map.groupBy(all, keyOf).values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [{ ...first, count: group.reduce((sum, { count }) => sum + count, 0) }];
  });
}

/** Number of operations whose requirement these schemes satisfy. */
function countOpened(ids: readonly string[], requirements: readonly CountedRequirement[]): number {
  return requirements.reduce((sum, { needs, count }) => sum + (isEnough(ids, needs) ? count : 0), 0);
}

function toKey(ids: readonly string[]): string {
  return [...ids].sort().join(' ');
}

function keyOfNeeds(needs: SecurityAlternative): string {
  return JSON.stringify(needs.map(({ id }) => id));
}

/** The seed plus what the requirements need in addition; null if the seed cannot be sent. */
function complete(
  seed: readonly string[],
  requirements: readonly CountedRequirement[],
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
  const total = requirements.reduce((sum, { count }) => sum + count, 0);
  const openedBy = (ids: readonly string[]) =>
    countOpened([...chosen.keys(), ...ids], requirements) - countOpened([...chosen.keys()], requirements);
  for (const { needs: requirement } of requirements) {
    const idAlternatives = requirement.map((needs) => needs.map(({ id }) => id)).filter((ids) => ids.length > 0);
    if (idAlternatives.some((ids) => ids.every((id) => chosen.has(id)))) continue;
    idAlternatives.some((ids) => (chosen.size === 0 || openedBy(ids) >= total * COMMON_SHARE) && add(ids));
  }
  return [...chosen.keys()];
}
